// SPDX-License-Identifier: Apache-2.0
// A timing with small round numbers for calculations by hand.
#pragma once

#include "mem/dram/timing.h"

namespace weft::mem::test {

/// One channel, two groups of two banks, rows of 16 bursts of 32 bytes. A burst keeps the bus for 2 cycles.
inline DramTiming small_timing() {
  DramTiming t;
  t.name = "small";
  t.channels = 1;
  t.bank_groups = 2;
  t.banks_per_group = 2;
  t.rows = 64;
  t.row_bytes = 512;
  t.burst_bytes = 32;
  t.command_buses = 1;
  t.t_bl = 2;
  t.t_cl = 8;
  t.t_cwl = 5;
  t.t_rcd = 7;
  t.t_rp = 6;
  t.t_ras = 15;
  t.t_rc = 22;
  t.t_rrd_s = 3;
  t.t_rrd_l = 5;
  t.t_faw = 20;
  t.t_ccd_s = 2;
  t.t_ccd_l = 4;
  t.t_ccd_l_wr = 6;
  t.t_rtp = 4;
  t.t_wr = 9;
  t.t_wtr_s = 3;
  t.t_wtr_l = 5;
  t.t_rtw = 7;
  t.t_refi = 1000;
  t.t_rfc = 60;
  return t;
}

}  // namespace weft::mem::test
