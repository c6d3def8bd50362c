// SPDX-License-Identifier: Apache-2.0
#include "npu/trace/chakra_feeder.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>

#include "base/error.h"

namespace weft::npu {

namespace {

// Ids among the control dependencies that are not among the data dependencies; sorted.
std::vector<std::uint64_t> control_only(const TraceRecord& record) {
  std::vector<std::uint64_t> ids = unique_deps(record.control_deps, {});
  if (ids.empty()) return ids;
  const std::vector<std::uint64_t> data = unique_deps(record.data_deps, {});
  std::vector<std::uint64_t> only;
  std::set_difference(ids.begin(), ids.end(), data.begin(), data.end(), std::back_inserter(only));
  return only;
}

}  // namespace

ChakraFeeder::ChakraFeeder(std::unique_ptr<TraceReader> reader, FeederOptions options)
    : reader_(std::move(reader)), options_(std::move(options)) {
  if (!options_.warn) options_.warn = [](const std::string& text) { std::cerr << "warning: " << text << "\n"; };
}

ChakraFeeder::ChakraFeeder(const std::string& path, FeederOptions options)
    : ChakraFeeder(open_trace(path), std::move(options)) {}

std::optional<TraceNode> ChakraFeeder::pop_ready() {
  fill();
  if (ready_.empty()) return std::nullopt;
  const std::uint64_t id = ready_.top().second;
  ready_.pop();
  Live& live = live_.at(id);
  live.running = true;
  ++running_;
  return std::move(live.node);
}

void ChakraFeeder::finish(std::uint64_t id) {
  const auto found = live_.find(id);
  WEFT_CHECK(found != live_.end() && found->second.running,
             fmt::format("{}: node {} finishes but is not running", reader_->name(), id));
  live_.erase(found);
  --running_;
  if (!end_) finished_.insert(id);
  satisfy(id);
}

bool ChakraFeeder::done() {
  fill();
  return end_ && live_.empty();
}

bool ChakraFeeder::look_further() {
  const std::size_t target = live_.size() + std::max<std::size_t>(options_.look_ahead, 1);
  while (ready_.empty() && live_.size() < target && read_one()) {
  }
  return !ready_.empty();
}

// The window grows beyond the look-ahead only where nothing could ever happen otherwise: forward references.
void ChakraFeeder::fill() {
  while (!end_ && (options_.look_ahead == 0 || live_.size() < options_.look_ahead)) read_one();
  while (!end_ && ready_.empty() && running_ == 0) read_one();
  const bool stuck = end_ && ready_.empty() && running_ == 0 && !live_.empty();
  if (stuck && (options_.strict || !ignore_control_cycles())) {
    throw InputError(fmt::format("{}: {} nodes can never start: {}", reader_->name(), live_.size(), describe_cycle()));
  }
}

void ChakraFeeder::remember(bool remembers) {
  remembers_ = remembers;
  remembered_.clear();
}

std::optional<TraceRecord> ChakraFeeder::next_record() {
  std::optional<TraceRecord> record;
  if (again_.empty()) {
    record = read_record();
  } else {
    record = std::move(again_.front());
    again_.pop_front();
  }
  if (record && remembers_) remembered_.push_back(*record);
  return record;
}

// What is wrong with a file is wrong with it whenever the next record is asked for: see Episodes.
std::optional<TraceRecord> ChakraFeeder::read_record() {
  if (broken_) std::rethrow_exception(broken_);
  try {
    return reader_->next();
  } catch (...) {
    broken_ = std::current_exception();
    throw;
  }
}

bool ChakraFeeder::read_one() {
  if (end_) return false;
  auto record = next_record();
  if (!record) {
    end_of_file();
    return false;
  }
  add(std::move(*record));
  return true;
}

void ChakraFeeder::add(TraceRecord record) {
  const std::uint64_t id = record.node.id;
  if (live_.find(id) != live_.end() || finished_.contains(id)) {
    throw InputError(fmt::format("{}: byte {}: node id {} (\"{}\") is used a second time; ids must be unique in a file",
                                 reader_->name(), record.offset, id, record.node.name));
  }
  std::size_t waits_for = 0;
  for (const std::uint64_t dep : record.node.deps) {
    if (finished_.contains(dep)) continue;
    dependents_[dep].push_back(id);
    ++waits_for;
  }
  const std::uint64_t sequence = nodes_read_++;
  if (waits_for == 0) ready_.emplace(sequence, id);
  live_.emplace(id, Live{std::move(record.node), control_only(record), sequence, waits_for});
  peak_live_ = std::max(peak_live_, live_.size());
}

void ChakraFeeder::satisfy(std::uint64_t id) {
  const auto found = dependents_.find(id);
  if (found == dependents_.end()) return;
  const std::vector<std::uint64_t> waiting = std::move(found->second);
  dependents_.erase(found);
  for (const std::uint64_t child : waiting) {
    Live& live = live_.at(child);
    if (--live.waits_for == 0) ready_.emplace(live.sequence, child);
  }
}

void ChakraFeeder::end_of_file() {
  end_ = true;
  finished_.clear();  // nobody can ask for them any more
  std::vector<std::uint64_t> absent;
  for (const auto& [id, waiting] : dependents_) {
    if (live_.find(id) == live_.end()) {
      absent.push_back(id);
      absent_references_ += waiting.size();
    }
  }
  if (absent.empty()) return;
  std::sort(absent.begin(), absent.end());
  const std::string counts = fmt::format("{}: {} dependencies name {} ids that are not in the file, the first is {}",
                                         reader_->name(), absent_references_, absent.size(), absent.front());
  if (options_.strict) {
    throw InputError(fmt::format("{} (wanted by node {}); strict mode refuses that", counts,
                                 dependents_.at(absent.front()).front()));
  }
  options_.warn(counts + "; they count as finished");
  for (const std::uint64_t id : absent) satisfy(id);
}

// Called when the whole file is read and every live node waits for another one.
bool ChakraFeeder::ignore_control_cycles() {
  const std::string cycle = describe_cycle();
  std::uint64_t ignored = 0;
  dependents_.clear();
  for (auto& [id, live] : live_) {
    std::vector<std::uint64_t> rest;
    for (const std::uint64_t dep : live.node.deps) {
      if (live_.find(dep) == live_.end()) continue;
      const bool control = std::binary_search(live.control_only.begin(), live.control_only.end(), dep);
      if (control) {
        ++ignored;
        continue;
      }
      rest.push_back(dep);
      dependents_[dep].push_back(id);
    }
    live.waits_for = rest.size();
    live.node.deps = std::move(rest);
    live.control_only.clear();
    if (live.waits_for == 0) ready_.emplace(live.sequence, id);
  }
  if (ready_.empty()) return false;
  ignored_control_edges_ += ignored;
  options_.warn(fmt::format("{}: {}; {} control dependencies of {} nodes are ignored, data dependencies hold",
                            reader_->name(), cycle, ignored, live_.size()));
  return true;
}

// Every live node waits for another live one, so a walk along the dependencies must come back to itself.
std::string ChakraFeeder::describe_cycle() const {
  std::vector<std::uint64_t> path;
  std::unordered_map<std::uint64_t, std::size_t> step_of;
  std::uint64_t id = std::min_element(live_.begin(), live_.end(), [](const auto& a, const auto& b) {
                       return a.second.sequence < b.second.sequence;
                     })->first;
  while (step_of.emplace(id, path.size()).second) {
    path.push_back(id);
    const std::vector<std::uint64_t>& deps = live_.at(id).node.deps;
    id = *std::find_if(deps.begin(), deps.end(), [&](std::uint64_t dep) { return live_.count(dep) != 0; });
  }
  path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(step_of.at(id)));
  path.push_back(id);
  constexpr std::size_t kShown = 12;
  std::string text;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path.size() > kShown && i == kShown - 1) {
      text += fmt::format(" -> ... {} more", path.size() - kShown);
      i = path.size() - 1;
    }
    text += fmt::format("{}{}", i == 0 ? "" : " -> ", path[i]);
  }
  return fmt::format("dependencies form a cycle: {} (each waits for the next)", text);
}

}  // namespace weft::npu
