// SPDX-License-Identifier: Apache-2.0
// Files, folders and expected errors of the trace tests.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "npu/trace/chakra_reader.h"
#include "npu/trace/chakra_writer.h"
#include "tests/support/temp_dir.h"

namespace weft::npu {

/// A folder of one test case.
class TraceFolder {
 public:
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(file(name), std::ios::binary) << bytes;
    return file(name);
  }

 private:
  weft::test::TempDir folder_;
};

/// One .et file per rank in `folder`; returns what `workload.trace.chakra` names.
inline std::string write_ranks(const TraceFolder& folder, const std::vector<std::vector<TraceNode>>& ranks) {
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    ChakraWriter writer(folder.file("t." + std::to_string(rank) + ".et"));
    for (const TraceNode& node : ranks[rank]) writer.write(node);
    writer.close();
  }
  return folder.file("t");
}

inline std::unique_ptr<ChakraReader> reader_of(const std::string& bytes) {
  return std::make_unique<ChakraReader>(std::make_unique<std::istringstream>(bytes), "test.et");
}

inline std::vector<TraceRecord> read_all(TraceReader& reader) {
  std::vector<TraceRecord> records;
  while (auto record = reader.next()) records.push_back(std::move(*record));
  return records;
}

inline std::vector<TraceRecord> read_all(const std::string& bytes) { return read_all(*reader_of(bytes)); }

/// The text of the InputError that `action` throws; "no error" if it throws none.
inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// Folder of sample traces, "" if the environment does not name one.
inline std::string sample_traces() {
  const char* folder = std::getenv("WEFT_TRACES");
  return folder ? folder : "";
}

}  // namespace weft::npu

/// Leaves a test that needs the sample traces.
#define SKIP_WITHOUT_TRACES()                                                              \
  if (::weft::npu::sample_traces().empty()) {                                              \
    GTEST_SKIP() << "WEFT_TRACES is not set: it names the folder of sample Chakra traces"; \
  }
