// SPDX-License-Identifier: Apache-2.0
#include "report/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json_fault.h"
#include "report/csv_reader.h"

namespace weft::report {
namespace {

using Track = std::pair<std::int64_t, std::int64_t>;  // pid, tid

struct Span {
  Track track;
  std::string name;
  std::string category;
  double start_us = 0;
  double length_us = 0;
};

/// What a timeline holds that can be drawn: spans, and names of processes and threads.
struct Timeline {
  std::vector<Span> spans;
  std::map<std::int64_t, std::string> processes;
  std::map<Track, std::string> threads;
};

void take_event(const Json& event, Timeline* timeline) {
  const std::string phase = event.value("ph", "");
  const Track track{event.value("pid", std::int64_t{0}), event.value("tid", std::int64_t{0})};
  if (phase == "X") {
    timeline->spans.push_back({track, event.at("name").get<std::string>(), event.value("cat", ""),
                               event.at("ts").get<double>(), event.at("dur").get<double>()});
  } else if (phase == "M") {
    const std::string what = event.value("name", "");
    if (what == "process_name") timeline->processes[track.first] = event.at("args").at("name").get<std::string>();
    if (what == "thread_name") timeline->threads[track] = event.at("args").at("name").get<std::string>();
  }
}

// Events are taken one by one and not kept: there may be millions, of which arrows and counters are not drawn.
Timeline parse(const std::filesystem::path& file) {
  Timeline timeline;
  int events_at = 1;  // their depth: in an array, or in the member "traceEvents" of an object
  const auto take = [&](int depth, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start && depth == 0) events_at = 0;
    if (event == Json::parse_event_t::key && depth == 1) events_at = value == "traceEvents" ? 2 : 0;
    if (event != Json::parse_event_t::object_end || depth == 0 || depth != events_at) return true;
    take_event(value, &timeline);
    return false;
  };
  try {
    const Json json = Json::parse(read_result(file), take);
    if (!json.is_array()) json.at("traceEvents");
  } catch (const Json::exception& error) {
    throw InputError(fmt::format("{}: is not a Chrome trace: {}; run the configuration again", file.string(),
                                 json_fault(error.what())));
  }
  return timeline;
}

/// Number of a text in a list without repetitions.
class Names {
 public:
  std::size_t number(const std::string& text) {
    const auto [it, is_new] = numbers_.emplace(text, list_.size());
    if (is_new) list_.push_back(text);
    return it->second;
  }
  Json json() const { return list_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> list_;
};

std::string name_or(const std::string& name, const char* what, std::int64_t number) {
  return name.empty() ? fmt::format("{} {}", what, number) : name;
}

}  // namespace

Json read_timeline(const RunFacts& facts, const Limits& limits, double share) {
  const std::filesystem::path file = facts.folder / "timeline.json";
  if (!std::filesystem::exists(file)) return nullptr;
  Timeline timeline = parse(file);
  const std::size_t all = timeline.spans.size();
  const auto most = static_cast<std::size_t>(static_cast<double>(limits.spans) * share);
  if (all > most) {
    std::stable_sort(timeline.spans.begin(), timeline.spans.end(),
                     [](const Span& a, const Span& b) { return a.length_us > b.length_us; });
    timeline.spans.resize(most);
  }
  std::stable_sort(timeline.spans.begin(), timeline.spans.end(), [](const Span& a, const Span& b) {
    return std::pair(a.track, a.start_us) < std::pair(b.track, b.start_us);
  });
  std::map<Track, std::size_t> tracks;
  Names names;
  Names categories;
  Json columns = {{"track", Json::array()},
                  {"name", Json::array()},
                  {"category", Json::array()},
                  {"start", Json::array()},
                  {"length", Json::array()}};
  Json track_names = Json::array();
  for (const Span& span : timeline.spans) {
    const auto [it, is_new] = tracks.emplace(span.track, tracks.size());
    if (is_new) {
      track_names.push_back({{"process", name_or(timeline.processes[span.track.first], "process", span.track.first)},
                             {"thread", name_or(timeline.threads[span.track], "track", span.track.second)}});
    }
    columns["track"].push_back(it->second);
    columns["name"].push_back(names.number(span.name));
    columns["category"].push_back(categories.number(span.category));
    columns["start"].push_back(rounded(span.start_us * 1000, 1000));
    columns["length"].push_back(rounded(span.length_us * 1000, 1000));
  }
  return {{"tracks", track_names},
          {"names", names.json()},
          {"categories", categories.json()},
          {"spans", columns},
          {"all", all},
          {"shown", timeline.spans.size()}};
}

}  // namespace weft::report
