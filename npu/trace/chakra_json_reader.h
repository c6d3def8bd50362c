// SPDX-License-Identifier: Apache-2.0
// The JSON form of Chakra traces: an object with a list `workload_graph`. Small files only: it is read as a whole.
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "npu/trace/trace_reader.h"

namespace weft::npu {

/// Reads a `.json` trace (plain or gzip). Errors are InputErrors that name file and array index, or line and column
/// where it is not JSON at all. `TraceRecord::offset` is the array index.
class ChakraJsonReader : public TraceReader {
 public:
  explicit ChakraJsonReader(const std::string& path);

  const TraceMetadata& metadata() const override { return metadata_; }
  std::optional<TraceRecord> next() override;
  const ProcessGroups& groups() const override { return groups_; }
  const std::string& name() const override { return name_; }

 private:
  std::string name_;
  TraceMetadata metadata_;
  ProcessGroups groups_;  ///< always empty: the form has no place for them
  std::vector<TraceRecord> records_;
  std::size_t next_ = 0;
};

}  // namespace weft::npu
