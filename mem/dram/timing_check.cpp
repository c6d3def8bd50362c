// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "mem/dram/timing.h"

namespace weft::mem {

const std::vector<TimingField>& timing_fields() {
  static const std::vector<TimingField> kFields = {
      {"tBL", &DramTiming::t_bl},
      {"tCL", &DramTiming::t_cl},
      {"tCWL", &DramTiming::t_cwl},
      {"tRCD", &DramTiming::t_rcd},
      {"tRP", &DramTiming::t_rp},
      {"tRAS", &DramTiming::t_ras},
      {"tRC", &DramTiming::t_rc},
      {"tRRD_S", &DramTiming::t_rrd_s},
      {"tRRD_L", &DramTiming::t_rrd_l},
      {"tFAW", &DramTiming::t_faw},
      {"tCCD_S", &DramTiming::t_ccd_s},
      {"tCCD_L", &DramTiming::t_ccd_l},
      {"tCCD_L_WR", &DramTiming::t_ccd_l_wr},
      {"tRTP", &DramTiming::t_rtp},
      {"tWR", &DramTiming::t_wr},
      {"tWTR_S", &DramTiming::t_wtr_s},
      {"tWTR_L", &DramTiming::t_wtr_l},
      {"tRTW", &DramTiming::t_rtw},
      {"tREFI", &DramTiming::t_refi},
      {"tRFC", &DramTiming::t_rfc},
  };
  return kFields;
}

namespace {

/// Collects "key: smaller must not exceed larger".
class Comparisons {
 public:
  void at_least(const char* key, Cycle value, const std::string& other, Cycle bound) {
    if (value >= bound) return;
    problems.push_back({key, fmt::format("{} is {} cycles, less than {}, {} cycles", key, value, other, bound)});
  }
  std::vector<TimingProblem> problems;
};

}  // namespace

std::vector<TimingProblem> timing_problems(const DramTiming& t) {
  Comparisons check;
  check.at_least("tRC", t.t_rc, "tRAS + tRP", t.t_ras + t.t_rp);
  check.at_least("tRAS", t.t_ras, "tRCD", t.t_rcd);
  check.at_least("tRRD_L", t.t_rrd_l, "tRRD_S", t.t_rrd_s);
  check.at_least("tFAW", t.t_faw, "tRRD_S", t.t_rrd_s);
  check.at_least("tCCD_S", t.t_ccd_s, "tBL, which one burst keeps the data bus", t.t_bl);
  check.at_least("tCCD_L", t.t_ccd_l, "tCCD_S", t.t_ccd_s);
  check.at_least("tCCD_L_WR", t.t_ccd_l_wr, "tCCD_L", t.t_ccd_l);
  check.at_least("tWTR_L", t.t_wtr_l, "tWTR_S", t.t_wtr_s);
  check.at_least("tCL", t.t_cl, "tCWL", t.t_cwl);
  if (t.t_cl >= t.t_cwl)
    check.at_least("tRTW", t.t_rtw, "tCL + tBL - tCWL, when the bus is free", t.t_cl + t.t_bl - t.t_cwl);
  // A refresh waits until all banks may close, and nothing else happens meanwhile.
  const Cycle longest_close = std::max({t.t_ras, t.t_rcd + t.t_rtp, t.t_rcd + t.t_cwl + t.t_bl + t.t_wr}) + t.t_rp;
  check.at_least("tREFI", t.t_refi, "tRFC + 1", t.t_rfc + 1);
  if (t.t_refi > t.t_rfc)
    check.at_least("tREFI", t.t_refi, "tRFC, and the time to close all banks and to serve one access",
                   t.t_rfc + 2 * longest_close);
  return check.problems;
}

}  // namespace weft::mem
