// SPDX-License-Identifier: Apache-2.0
// Goodput of Go-Back-N against the packet error rate, compared with the closed form.
//
// A packet of F flits on a link of one flit per cycle takes S = F cycles. A wrong one is known when its tail is there,
// F - 1 + forward cycles after its head went; `backward` cycles later it goes again. So each failure costs
// C = F - 1 + forward + backward cycles, whatever else was sent in them, W = C / S packets. A packet with error rate p
// fails p / (1 - p) times on average, which gives S / (S + C p / (1 - p)) = (1 - p) / (1 + p (W - 1)). It holds while
// ACKs come in time: neither is the window ever full nor a timeout reached.
#include <gtest/gtest.h>

#include <cmath>

#include "link_bench.h"

namespace weft::fred {
namespace {

using test::LinkBench;

class GbnGoodput : public testing::TestWithParam<double> {};

TEST_P(GbnGoodput, is_that_of_the_closed_form) {
  constexpr std::uint16_t kFlits = 8;
  constexpr double kPackets = 20'000;
  const double p = GetParam();
  GbnSpec spec;
  spec.forward = 21;
  spec.backward = 20;
  spec.replay_packets = 64;
  spec.ack_timeout = 100;
  spec.retransmit_timeout = 1000;
  spec.rate.flit_bytes = 512;
  FaultRates faults;
  faults.flit_bytes = 512;
  faults.header_bytes = 6;
  faults.message_bytes = 0;  // answers arrive
  faults.bit_error_rate = -std::expm1(std::log1p(-p) / (8.0 * (kFlits * 512 + 6)));
  LinkBench bench(spec, std::make_unique<RandomFaults>(faults, 3, 1));
  bench.sizes.assign(static_cast<std::size_t>(kPackets), kFlits);
  Cycle now = 0;
  while (bench.handed.size() < bench.sizes.size()) bench.cycle(++now);

  const double cost = kFlits - 1 + 21 + 20;
  const double window = cost / kFlits;
  const double expected = (1 - p) / (1 + p * (window - 1));
  // Failures are negative binomial: variance n p / (1 - p)^2. The first packet's way counts once.
  const double failures_sigma = std::sqrt(kPackets * p) / (1 - p);
  const double cycles = static_cast<double>(now) - 21;
  EXPECT_NEAR(cycles, kPackets * kFlits / expected, 4 * cost * failures_sigma + 1);
  EXPECT_EQ(bench.link.counters().timeouts, 0u);
  RecordProperty("goodput", std::to_string(kPackets * kFlits / cycles));
  RecordProperty("closed_form", std::to_string(expected));
  std::printf("p %.3f  goodput %.4f  closed form %.4f\n", p, kPackets * kFlits / cycles, expected);
}

INSTANTIATE_TEST_SUITE_P(Rates, GbnGoodput, testing::Values(0.001, 0.01, 0.05, 0.1, 0.3, 0.6));

}  // namespace
}  // namespace weft::fred
