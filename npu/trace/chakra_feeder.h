// SPDX-License-Identifier: Apache-2.0
// Streams a trace file into a window of live nodes and hands out those whose dependencies have finished.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "npu/trace/id_set.h"
#include "npu/trace/trace_reader.h"

namespace weft::npu {

struct FeederOptions {
  /// Nodes held at once (waiting, ready or running). A node further down the file is not seen before others have
  /// finished, so a smaller window bounds memory but can delay work that is independent of what is in the window.
  /// 0 = no bound.
  std::size_t look_ahead = 16384;
  /// Dependencies on absent ids and cycles through control edges are InputErrors instead of warnings.
  bool strict = false;
  /// Receives the warnings, at most one of each sort for a file; by default they go to standard error.
  std::function<void(const std::string&)> warn;
};

/// Feeder of one rank. InputError for a duplicate id, a cycle of data dependencies, an absent id in strict mode, and
/// for whatever the reader refuses; any of them may come from any call, when the place in the file is reached.
/// Control edges of some PyTorch traces mirror a call tree in both directions and contradict the data edges: where
/// they close a cycle, the nodes in and behind it follow their data dependencies alone, with one warning.
class ChakraFeeder : public TraceFeeder {
 public:
  ChakraFeeder(std::unique_ptr<TraceReader> reader, FeederOptions options = {});
  /// Opens a file by `open_trace`.
  explicit ChakraFeeder(const std::string& path, FeederOptions options = {});

  std::optional<TraceNode> pop_ready() override;
  void finish(std::uint64_t id) override;
  bool done() override;
  bool look_further() override;
  void remember(bool remembers) override;
  void keep(Checkpoint& checkpoint) override;

  /// Process groups of the metadata nodes read so far.
  const ProcessGroups& groups() const { return reader_->groups(); }
  /// Nodes held now, and the most that were ever held.
  std::size_t live_nodes() const { return live_.size(); }
  std::size_t peak_live_nodes() const { return peak_live_; }
  std::uint64_t nodes_read() const { return nodes_read_; }
  /// Dependencies on ids that the file does not hold; complete when the file has been read to its end.
  std::uint64_t absent_references() const { return absent_references_; }
  /// Control edges that were ignored because they close a cycle.
  std::uint64_t ignored_control_edges() const { return ignored_control_edges_; }

 private:
  struct Live {
    TraceNode node;                           ///< empty once handed out
    std::vector<std::uint64_t> control_only;  ///< dependencies that are no data dependencies as well
    std::uint64_t sequence;                   ///< position in the file
    std::size_t waits_for;                    ///< dependencies that have not finished
    bool running = false;                     ///< handed out
  };
  using Ready = std::pair<std::uint64_t, std::uint64_t>;  // sequence, id

  void fill();
  bool read_one();
  std::optional<TraceRecord> next_record();
  std::optional<TraceRecord> read_record();
  void add(TraceRecord record);
  void satisfy(std::uint64_t id);
  void end_of_file();
  bool ignore_control_cycles();
  std::string describe_cycle() const;

  std::unique_ptr<TraceReader> reader_;
  FeederOptions options_;
  bool end_ = false;
  std::uint64_t nodes_read_ = 0;
  std::uint64_t absent_references_ = 0;
  std::uint64_t ignored_control_edges_ = 0;
  std::size_t running_ = 0;
  std::size_t peak_live_ = 0;
  std::unordered_map<std::uint64_t, Live> live_;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> dependents_;  ///< unfinished id -> who waits for it
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;
  IdSet finished_;
  std::exception_ptr broken_;  ///< what the reader has thrown; null = nothing
  bool remembers_ = false;
  std::deque<TraceRecord> remembered_;  ///< read since `remember`
  std::deque<TraceRecord> again_;       ///< read once, and to be read again before the rest of the file
};

}  // namespace weft::npu
