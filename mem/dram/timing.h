// SPDX-License-Identifier: Apache-2.0
// What a kind of DRAM is made of and how long everything takes, in cycles of its clock. Read from files like
// configs/memory/hbm3.yaml.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/rational.h"
#include "base/types.h"

namespace weft::mem {

/// One memory: equal channels with banks of their own. Times are distances between the cycles of two commands.
struct DramTiming {
  std::string name;
  Rational hertz{1'000'000'000, 1};  ///< frequency of the command clock
  std::uint32_t channels = 1;        ///< a power of two, as all numbers of the organisation
  std::uint32_t bank_groups = 1;
  std::uint32_t banks_per_group = 1;
  std::uint64_t rows = 1;           ///< rows per bank
  std::uint32_t row_bytes = 1024;   ///< bytes in one row of a bank
  std::uint32_t burst_bytes = 32;   ///< that one column command moves
  std::uint32_t command_buses = 1;  ///< 2: rows (ACT, PRE, REF) and columns (RD, WR) in the same cycle

  Cycle t_bl = 1;        ///< a burst on the data bus
  Cycle t_cl = 1;        ///< RD to its first data
  Cycle t_cwl = 1;       ///< WR to its first data
  Cycle t_rcd = 1;       ///< ACT to RD or WR
  Cycle t_rp = 1;        ///< PRE to ACT or REF
  Cycle t_ras = 1;       ///< ACT to PRE
  Cycle t_rc = 2;        ///< ACT to ACT of a bank, and to REF
  Cycle t_rrd_s = 1;     ///< ACT to ACT of banks in different groups
  Cycle t_rrd_l = 1;     ///< ... in the same group
  Cycle t_faw = 1;       ///< ACT to the fourth ACT after it
  Cycle t_ccd_s = 1;     ///< RD to RD, WR to WR, different groups
  Cycle t_ccd_l = 1;     ///< RD to RD, same group
  Cycle t_ccd_l_wr = 1;  ///< WR to WR, same group
  Cycle t_rtp = 1;       ///< RD to PRE
  Cycle t_wr = 1;        ///< last data of WR to PRE
  Cycle t_wtr_s = 1;     ///< last data of WR to RD, different groups
  Cycle t_wtr_l = 1;     ///< ... same group
  Cycle t_rtw = 1;       ///< RD to WR
  Cycle t_refi = 1000;   ///< between two refreshes of all banks
  Cycle t_rfc = 1;       ///< REF to ACT

  std::uint32_t banks() const { return bank_groups * banks_per_group; }
  std::uint64_t channel_bytes() const { return std::uint64_t{banks()} * rows * row_bytes; }
  std::uint64_t bytes() const { return channels * channel_bytes(); }
  std::uint32_t bursts_per_row() const { return row_bytes / burst_bytes; }
  /// Bytes per second of all channels if their data buses never paused.
  double peak_bandwidth() const {
    return hertz.value() / static_cast<double>(t_bl) * burst_bytes * static_cast<double>(channels);
  }
};

/// A time by its name in files: {"tRCD", &DramTiming::t_rcd}, ...
struct TimingField {
  const char* name;
  Cycle DramTiming::*cycles;
};
const std::vector<TimingField>& timing_fields();

/// Contradictions between the numbers, a sentence each with the name of the time that it is about.
struct TimingProblem {
  std::string key;
  std::string sentence;
};
std::vector<TimingProblem> timing_problems(const DramTiming& timing);

}  // namespace weft::mem
