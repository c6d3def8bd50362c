// SPDX-License-Identifier: Apache-2.0
// What every trace file format gives: one record after the other, in file order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "npu/trace/process_groups.h"
#include "npu/trace/trace_node.h"

namespace weft::npu {

/// What a file says about itself.
struct TraceMetadata {
  std::string version;                                          ///< schema version; often empty
  std::vector<std::pair<std::string, std::string>> attributes;  ///< as text; long values are cut
};

/// One node as it stands in the file.
struct TraceRecord {
  TraceNode node;
  std::vector<std::uint64_t> data_deps;     ///< as written, repetitions included
  std::vector<std::uint64_t> control_deps;  ///< as written, repetitions included
  std::uint64_t offset = 0;                 ///< offset of the record in the (decompressed) file, bytes
};

/// Both lists together, sorted, each id once.
std::vector<std::uint64_t> unique_deps(const std::vector<std::uint64_t>& data,
                                       const std::vector<std::uint64_t>& control);

/// Reads the trace of one rank once, from front to back.
class TraceReader {
 public:
  virtual ~TraceReader() = default;
  virtual const TraceMetadata& metadata() const = 0;
  /// The next node; nullopt at the end of the file. Throws InputError with file and place.
  virtual std::optional<TraceRecord> next() = 0;
  /// Process groups named by the metadata nodes read so far.
  virtual const ProcessGroups& groups() const = 0;
  /// What error messages call the file.
  virtual const std::string& name() const = 0;
};

/// Opens a trace file of any known form: `.json` by its name, everything else is Chakra ET (plain or gzip).
std::unique_ptr<TraceReader> open_trace(const std::string& path);

}  // namespace weft::npu
