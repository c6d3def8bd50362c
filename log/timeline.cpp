// SPDX-License-Identifier: Apache-2.0
#include "log/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "base/output_file.h"

namespace weft::log {
namespace {

/// Events go to the file as they come.
class TraceFile {
 public:
  explicit TraceFile(const std::filesystem::path& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
    if (file_ == nullptr) fail();
    put("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
  }
  ~TraceFile() {
    if (file_ != nullptr) std::fclose(file_);
  }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  /// One event, as the text of a JSON object.
  void event(const std::string& text) {
    put(first_ ? text : ",\n" + text);
    first_ = false;
  }
  void close(const std::string& other_data) {
    put("\n],\"otherData\":" + other_data + "}\n");
    std::FILE* file = std::exchange(file_, nullptr);
    if (std::fclose(file) != 0 || broken_) fail();
  }

 private:
  void put(const std::string& text) { broken_ |= std::fwrite(text.data(), 1, text.size(), file_) != text.size(); }
  [[noreturn]] void fail() const { throw std::runtime_error(fmt::format("{}: cannot be written", path_.string())); }

  std::filesystem::path path_;
  std::FILE* file_;
  bool first_ = true;
  bool broken_ = false;
};

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Something that lies on a track.
struct Span {
  Cycle start = 0;
  Cycle end = 0;
  std::string name;
  const char* category = "";
  std::string args;  ///< text of the JSON object `args`, without its braces
  std::uint32_t collective = ~0u;
  std::uint32_t chunk = ~0u;
  std::size_t lane = 0;
};

/// Spreads spans over lanes in which they nest.
std::size_t choose_lanes(std::vector<Span>& spans) {
  std::stable_sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
    return std::make_pair(a.start, b.end) < std::make_pair(b.start, a.end);
  });
  std::vector<std::vector<Cycle>> open;  ///< per lane: ends of the spans around the present one
  for (Span& span : spans) {
    span.lane = open.size();
    for (std::size_t lane = 0; lane < open.size(); ++lane) {
      while (!open[lane].empty() && open[lane].back() <= span.start) open[lane].pop_back();
      if (!open[lane].empty() && open[lane].back() < span.end) continue;
      span.lane = lane;
      break;
    }
    if (span.lane == open.size()) open.emplace_back();
    open[span.lane].push_back(span.end);
  }
  return open.size();
}

class TimelineWriter {
 public:
  TimelineWriter(TraceFile& file, const LogContents& contents)
      : file_(file),
        contents_(contents),
        collectives_(*contents.log, contents.names->instances),
        us_per_cycle_(1e6 / to_double(contents.names->clock.hertz)) {}

  void write() {
    for (std::size_t n = 0; n < contents_.log->nodes(); ++n) write_node(NodeId{static_cast<std::uint32_t>(n)});
    write_switches();
    if (contents_.level >= LogLevel::kSteps) write_arrows();
  }
  std::size_t arrows_left_out() const { return arrows_left_out_; }

 private:
  static double to_double(Rational value) { return static_cast<double>(value.num) / static_cast<double>(value.den); }
  /// In us. Multiples of 2^-20 us, so that whatever viewers add and subtract is exact and spans that touch do not
  /// overlap.
  double time(Cycle cycle) const {
    return std::ldexp(std::round(std::ldexp(static_cast<double>(cycle) * us_per_cycle_, 20)), -20);
  }

  void name_process(std::uint64_t pid, const std::string& name, std::uint64_t order) {
    file_.event(
        fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"tid":0,"args":{{"name":{}}}}})", pid, quoted(name)));
    file_.event(fmt::format(R"({{"ph":"M","name":"process_sort_index","pid":{},"tid":0,"args":{{"sort_index":{}}}}})",
                            pid, order));
  }

  /// Writes spans that share a track and gives the number of its first lane.
  std::uint64_t write_track(std::uint64_t pid, const std::string& name, std::vector<Span>& spans) {
    const std::uint64_t first = next_track_;
    const std::size_t lanes = choose_lanes(spans);
    next_track_ += lanes;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::string text = lane == 0 ? name : fmt::format("{} ({})", name, lane + 1);
      file_.event(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})", pid,
                              first + lane, quoted(text)));
    }
    for (const Span& span : spans) {
      file_.event(fmt::format(R"({{"ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
                              quoted(span.name), span.category, pid, first + span.lane, time(span.start),
                              time(span.end) - time(span.start), span.args));
    }
    return first;
  }

  Span span_of(const Activity& activity) const {
    Span span;
    span.start = activity.start;
    span.end = activity.end;
    span.name = activity.name;
    span.category = activity_name(activity.kind);
    span.args = fmt::format(R"("start_cycle":{},"end_cycle":{})", activity.start, activity.end);
    if (activity.kind == ActivityKind::kChunk) {
      span.name += fmt::format(" chunk {}", activity.chunk);
      span.chunk = activity.chunk;
    } else {
      span.args += fmt::format(R"(,"bytes":{})", activity.bytes);
    }
    if (const auto number = collectives_.of(activity)) {
      span.collective = *number;
      span.args += fmt::format(R"(,"group":{},"instance":{})", quoted(contents_.names->groups.at(activity.group)),
                               activity.instance);
    }
    return span;
  }

  std::string track_of(const Activity& activity) const {
    switch (activity.kind) {
      case ActivityKind::kCompute:
        return "1 compute";
      case ActivityKind::kHost:
        return "2 host";
      case ActivityKind::kLoad:
      case ActivityKind::kStore:
        return "3 memory";
      case ActivityKind::kSend:
      case ActivityKind::kReceive:
        return "4 messages";
      case ActivityKind::kCollective:
      case ActivityKind::kChunk:
        break;
    }
    return "5 collectives of " + contents_.names->groups.at(activity.group);
  }

  void write_node(NodeId node) {
    const auto& activities = contents_.log->node(node).activities;
    if (activities.empty()) return;
    const auto rank = contents_.names->ranks.at(index(node));
    const std::string& name = contents_.names->nodes.at(index(node));
    const std::uint64_t pid = index(node);
    name_process(pid, rank ? fmt::format("rank {} on {}", index(*rank), name) : name,
                 rank ? index(*rank) : 1'000'000 + pid);
    std::map<std::string, std::vector<Span>> tracks;  // the digit in front orders them
    for (const Activity& activity : activities) {
      // Viewers take what has no length for the beginning of something.
      if (activity.end > activity.start) tracks[track_of(activity)].push_back(span_of(activity));
    }
    for (auto& [track, spans] : tracks) {
      const std::uint64_t first = write_track(pid, track.substr(2), spans);
      for (const Span& span : spans) {
        if (span.chunk != ~0u)
          chunk_tracks_[{index(node), span.collective, span.chunk}] = {first + span.lane, span.start, span.end};
      }
    }
  }

  void write_switches() {
    std::map<NodeId, std::vector<Span>> switches;
    std::map<NodeId, std::string> names;
    for (const SwitchPhase& phase : contents_.phases) {
      Span span;
      span.start = phase.start;
      span.end = phase.end;
      span.name = phase.phase;
      span.category = "phase";
      span.args = fmt::format(R"("start_cycle":{},"end_cycle":{})", phase.start, phase.end);
      switches[phase.node].push_back(std::move(span));
      names[phase.node] = phase.name;
    }
    for (auto& [node, spans] : switches) {
      const std::uint64_t pid = index(node);
      name_process(pid, names[node], 2'000'000 + pid);
      write_track(pid, "phase", spans);
    }
  }

  struct ChunkTrack {
    std::uint64_t track = 0;
    Cycle start = 0;
    Cycle end = 0;
  };
  struct Arrow {
    Cycle from = 0;
    Cycle to = 0;
    NodeId sender{};
    NodeId receiver{};
    std::uint64_t out = 0;  ///< track
    std::uint64_t in = 0;
    std::string name;
  };

  /// From the chunk that sent to the chunk that received, where both are known.
  void write_arrows() {
    std::vector<Arrow> arrows;
    for (std::size_t n = 0; n < contents_.log->nodes(); ++n) {
      const NodeId receiver{static_cast<std::uint32_t>(n)};
      for (const PacketRecord& packet : contents_.log->node(receiver).packets) {
        if (packet.offset + packet.bytes != packet.message_bytes || packet.flow) continue;
        const MessageRecord& message = contents_.log->node(packet.src).messages.at(packet.message);
        const MessageMeaning meaning = contents_.names->message(packet.tag);
        const auto number = collectives_.of(meaning, message.queued);
        if (!number) continue;
        const auto out = chunk_tracks_.find({index(packet.src), *number, meaning.chunk});
        const auto in = chunk_tracks_.find({index(receiver), *number, meaning.chunk});
        if (out == chunk_tracks_.end() || in == chunk_tracks_.end()) continue;
        // Data may come before the receiver has got to the chunk: the arrow then ends where the chunk begins.
        const Cycle to = std::clamp(packet.received, in->second.start, in->second.end);
        arrows.push_back({message.queued, to, packet.src, receiver, out->second.track, in->second.track,
                          fmt::format("step {}", meaning.step)});
      }
    }
    if (arrows.size() > kMostArrows) {
      arrows_left_out_ = arrows.size() - kMostArrows;
      std::stable_sort(arrows.begin(), arrows.end(),
                       [](const Arrow& a, const Arrow& b) { return a.to - a.from > b.to - b.from; });
      arrows.resize(kMostArrows);
    }
    std::uint64_t id = 0;
    for (const Arrow& arrow : arrows) {
      file_.event(fmt::format(R"({{"ph":"s","name":"{}","cat":"message","id":{},"pid":{},"tid":{},"ts":{}}})",
                              arrow.name, id, index(arrow.sender), arrow.out, time(arrow.from)));
      file_.event(fmt::format(R"({{"ph":"f","bp":"e","name":"{}","cat":"message","id":{},"pid":{},"tid":{},"ts":{}}})",
                              arrow.name, id, index(arrow.receiver), arrow.in, time(arrow.to)));
      ++id;
    }
  }

  TraceFile& file_;
  const LogContents& contents_;
  CollectiveIndex collectives_;
  double us_per_cycle_;
  std::uint64_t next_track_ = 1;
  std::size_t arrows_left_out_ = 0;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, ChunkTrack> chunk_tracks_;
};

}  // namespace

void write_timeline(const std::filesystem::path& file, const LogContents& contents) {
  OutputFile output(file, OutputLinks::kReplace);
  TraceFile trace(output.path());
  TimelineWriter writer(trace, contents);
  writer.write();
  nlohmann::json other;
  for (const auto& [key, value] : contents.run) other[key] = value;
  if (writer.arrows_left_out() > 0) other["arrows_left_out"] = writer.arrows_left_out();
  trace.close(other.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  output.complete();
}

}  // namespace weft::log
