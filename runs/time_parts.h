// SPDX-License-Identifier: Apache-2.0
// What the rank that ends last did, from the log of a run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft::runs {

/// The time of one rank, split into computing and what it waits for, as in Fig. 10 of the FRED paper. All numbers are
/// cycles, and the parts add up to `cycles`.
struct TimeParts {
  std::uint64_t rank = 0;
  std::uint64_t cycles = 0;
  /// compute, load, mp, dp, pp, collective, other. Of what goes on at the same time the first of them counts. `load`
  /// are loads and stores, `pp` transfers between ranks and the wait for them, `collective` what belongs to no phase of
  /// training, `other` the time in which nothing of its own is under way.
  std::vector<std::pair<std::string, std::uint64_t>> parts;
};

/// Reads them of the rank that ends last from the log in a results folder. Nothing where the run has no log or no rank
/// in it; throws InputError where the log is damaged.
std::optional<TimeParts> read_time_parts(const std::filesystem::path& folder);

}  // namespace weft::runs
