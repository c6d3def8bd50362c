// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "npu/interface/message_interfaces.h"

namespace weft::npu {
namespace {

/// Tags of a stream are those from 100 on.
std::uint64_t family_of(std::uint64_t tag) { return tag / 100; }

Packet packet_of(std::uint64_t tag, Cycle created, Cycle injected) {
  Packet packet;
  packet.tag = tag;
  packet.created = created;
  packet.injected = injected;
  return packet;
}

// What waits in a long message waits the longer the later it is sent; a stream is made of short ones.
TEST(SpanLatencies, packets_that_were_ready_before_the_span_count_where_they_belong_to_a_stream) {
  SpanLatencies span;
  span.family = family_of;
  span.clear(1000);
  span.add(packet_of(7, 900, 1010), 1050);
  EXPECT_EQ(span.latency.count(), 0u);
  EXPECT_EQ(span.network_latency.mean(), 40);
  span.add(packet_of(107, 900, 1010), 1050);
  EXPECT_EQ(span.latency.count(), 1u);
  EXPECT_EQ(span.latency.mean(), 150);
  span.add(packet_of(7, 1000, 1010), 1050);
  EXPECT_EQ(span.latency.count(), 2u);
  EXPECT_EQ(span.latency.mean(), 100);
  EXPECT_EQ(span.network_latency.count(), 3u);
}

}  // namespace
}  // namespace weft::npu
