// SPDX-License-Identifier: Apache-2.0
// `weft advise collectives`: which algorithm carries out each kind of collective fastest on a fabric, by simulation, as
// a table for people and as one for `algorithm: auto`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "cli/advise/point_runner.h"
#include "config/config.h"

namespace weft::cli {

/// What `weft advise collectives` was asked for.
struct CollectivesRequest {
  std::string program;  ///< see PointSetting
  std::string config;
  std::vector<std::string> settings;  ///< `path=value`
  std::vector<CollectiveKind> kinds;  ///< each once
  std::vector<std::uint64_t> sizes;   ///< bytes as Chakra's comm_size, each once
  std::vector<std::uint32_t> groups;  ///< sizes of groups, of the first ranks; 0 = all ranks
  std::size_t jobs = 1;
};

/// One algorithm for one collective.
struct AlgorithmTime : CollectivePoint {
  std::string algorithm;
  bool finished = true;  ///< false: its run was refused or reached a limit
};

/// The algorithms for one collective, the fastest first; of equals, those come first that the documentation has first.
struct Ranking {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  std::uint64_t ranks = 0;
  std::uint64_t bytes = 0;
  std::vector<AlgorithmTime> algorithms;
};

/// Runs that gave no time, and why.
struct LeftOutRuns {
  std::string algorithm;
  std::string reason;
  std::size_t runs = 0;
};

/// What is, or was, simulated.
struct CollectivesAdvice {
  std::string name;  ///< of the configuration
  std::string fabric_kind;
  std::uint64_t npus = 0;
  std::vector<Ranking> rankings;  ///< by kind, ranks and bytes, as they were asked for
  std::vector<LeftOutRuns> left_out;

  /// Counts a run of an algorithm that ended with an error.
  void leave_out(const std::string& algorithm, const std::string& error);
};

/// Words of `--kinds`, `--sizes` and `--groups`, with commas between them. InputError where they are not legal.
std::vector<CollectiveKind> parse_kinds(const std::string& text);
std::vector<std::uint64_t> parse_sizes(const std::string& text);
std::vector<std::uint32_t> parse_groups(const std::string& text);

/// What has to be simulated: all algorithms that do a kind, but those that the configuration refuses. InputError for a
/// configuration that cannot be loaded, for settings of the workload, and for groups larger than the fabric.
CollectivesAdvice plan_collectives(const CollectivesRequest& request);

/// plan_collectives, then simulates all of it; `watch` is told how far it is. Runs that are refused or reach a limit
/// are left out; InputError where none is left. ViolationError and RunFailed as runs end with; Interrupted on Ctrl-C.
CollectivesAdvice advise_collectives(const CollectivesRequest& request,
                                     const std::function<void(const std::string&)>& watch);

/// The same for the configuration's own collectives, where they stand and with all else that is under way: it is played
/// as a whole by each algorithm, by `ring` what an algorithm cannot do. Of a collective that comes several times the
/// mean counts. Kinds, sizes and groups of the request are not looked at.
CollectivesAdvice advise_played(const CollectivesRequest& request,
                                const std::function<void(const std::string&)>& watch);

/// An advice without rankings for the fabric of `config`.
CollectivesAdvice advice_for(const Config& config);
/// Leaves out a run that was refused or reached a limit; throws as throw_failure otherwise.
void refuse_or_leave_out(CollectivesAdvice& advice, const std::string& algorithm, int status, const std::string& said);
/// InputError where nothing has a time.
void require_some(const CollectivesRequest& request, const CollectivesAdvice& advice);
/// The configuration as it stands; a table of algorithms that it names need not be there yet. InputError as
/// load_config.
Config load_as_it_stands(const CollectivesRequest& request);
/// Drops what has no time, and puts the fastest first, and what was left out into the order of the documentation.
void rank_algorithms(CollectivesAdvice& advice);

void print_collectives(const CollectivesAdvice& advice, std::ostream& out);
nlohmann::ordered_json collectives_json(const CollectivesRequest& request, const CollectivesAdvice& advice);
/// The table that `algorithm: auto` reads (npu::AlgorithmTable).
std::string collectives_table(const CollectivesRequest& request, const CollectivesAdvice& advice);

}  // namespace weft::cli
