// SPDX-License-Identifier: Apache-2.0
#include "log/timeline_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace weft::log {
namespace {

using Json = nlohmann::json;
using Track = std::pair<std::int64_t, std::int64_t>;
/// As viewers have it: ends are sums of binary numbers.
using Time = double;

constexpr std::size_t kMostProblems = 20;

struct Span {
  Time start = 0;
  Time end = 0;
  std::string name;
};
struct FlowEnd {
  Time at = 0;
  Track track;
};
struct Flow {
  std::optional<FlowEnd> from;
  std::optional<FlowEnd> to;
};

class Checker {
 public:
  void event(const Json& event, std::size_t number) {
    number_ = number;
    if (!event.is_object() || !event.contains("ph") || !event["ph"].is_string()) return problem("is no event");
    const std::string phase = event["ph"];
    if (phase != "X" && phase != "M" && phase != "s" && phase != "f") return problem("has the unknown kind " + phase);
    if (!event.contains("name") || !event["name"].is_string()) return problem("has no name");
    for (const char* key : {"pid", "tid"}) {
      if (!event.contains(key) || !event[key].is_number_integer()) return problem(fmt::format("has no {}", key));
    }
    const Track track{event["pid"], event["tid"]};
    if (phase == "M") return;
    if (!event.contains("ts") || !event["ts"].is_number()) return problem("has no ts");
    const Time at = event["ts"];
    if (phase == "X") return span(event, track, at);
    if (!event.contains("id") || !event["id"].is_number_integer()) return problem("has no id");
    Flow& flow = flows_[event["id"]];
    auto& end = phase == "s" ? flow.from : flow.to;
    if (end) return problem(fmt::format("is the second {} of flow {}", phase, event["id"].dump()));
    end = FlowEnd{at, track};
  }

  TimelineFindings finish() {
    for (auto& [track, spans] : tracks_) check_nesting(track, spans);
    for (const auto& [id, flow] : flows_) check_flow(id, flow);
    findings_.tracks = tracks_.size();
    findings_.flows = flows_.size();
    if (left_out_ > 0) findings_.problems.push_back(fmt::format("{} more problems", left_out_));
    return std::move(findings_);
  }

 private:
  void say(std::string text) {
    if (findings_.problems.size() < kMostProblems) {
      findings_.problems.push_back(std::move(text));
    } else {
      ++left_out_;
    }
  }
  void problem(const std::string& text) { say(fmt::format("event {} {}", number_, text)); }

  void span(const Json& event, Track track, Time at) {
    if (!event.contains("dur") || !event["dur"].is_number()) return problem("has no dur");
    const Time duration = event["dur"];
    if (duration < 0) return problem("has a negative dur");
    ++findings_.spans;
    tracks_[track].push_back({at, at + duration, event["name"]});
  }

  void check_nesting(Track track, std::vector<Span>& spans) {
    std::stable_sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
      return std::make_pair(a.start, b.end) < std::make_pair(b.start, a.end);
    });
    std::vector<const Span*> open;
    for (const Span& span : spans) {
      while (!open.empty() && open.back()->end <= span.start) open.pop_back();
      if (!open.empty() && open.back()->end < span.end) {
        say(fmt::format("'{}' and '{}' overlap on track {} of process {}", open.back()->name, span.name, track.second,
                        track.first));
      }
      open.push_back(&span);
    }
  }

  bool in_span(const FlowEnd& end) const {
    const auto found = tracks_.find(end.track);
    if (found == tracks_.end()) return false;
    return std::any_of(found->second.begin(), found->second.end(),
                       [&](const Span& span) { return span.start <= end.at && end.at <= span.end; });
  }

  void check_flow(std::int64_t id, const Flow& flow) {
    if (!flow.from || !flow.to) return say(fmt::format("flow {} has no {}", id, flow.from ? "end" : "start"));
    if (flow.to->at < flow.from->at) say(fmt::format("flow {} ends before it starts", id));
    if (!in_span(*flow.from)) say(fmt::format("flow {} starts outside of every span", id));
    if (!in_span(*flow.to)) say(fmt::format("flow {} ends outside of every span", id));
  }

  std::size_t number_ = 0;
  std::size_t left_out_ = 0;
  std::map<Track, std::vector<Span>> tracks_;
  std::map<std::int64_t, Flow> flows_;
  TimelineFindings findings_;
};

}  // namespace

TimelineFindings check_timeline(std::istream& json) {
  TimelineFindings findings;
  const Json document = Json::parse(json, nullptr, false);
  if (document.is_discarded()) {
    findings.problems.push_back("is no JSON");
    return findings;
  }
  const Json* events = document.is_array() ? &document : nullptr;
  if (document.is_object() && document.contains("traceEvents")) events = &document["traceEvents"];
  if (events == nullptr || !events->is_array()) {
    findings.problems.push_back("has no array traceEvents");
    return findings;
  }
  Checker checker;
  std::size_t number = 0;
  for (const Json& event : *events) checker.event(event, number++);
  return checker.finish();
}

}  // namespace weft::log
