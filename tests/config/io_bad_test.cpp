// SPDX-License-Identifier: Apache-2.0
// Configurations of I/O controllers and their streams that are refused, each with the text that the user reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/memory_files.h"

namespace weft {
namespace {

using testing::HasSubstr;

/// Controllers on a 5 x 4 mesh that can stream.
const char* const kMesh =
    "fabric: {size: [5, 4], router: {multicast: true}}\nnpu: {message_classes: 2}\nio: {controllers: 18}\n"
    "workload: {io: {size: 1 KiB}}\n";

TEST(ConfigIo, a_mesh_with_streams) {
  const Config config = load_config_text(kMesh, "a.yaml", {"io.bandwidth=128 MB/s"});
  EXPECT_EQ(config.fabric.io.controllers, 18);
  EXPECT_EQ(config.fabric.io.rate, (Rational{1, 250}));  // 128 MB/s of 32 GB/s
  EXPECT_EQ(config.fabric.io.routing, IoRouting::kEdgeFirst);
  EXPECT_EQ(std::get<IoWorkload>(config.workload).bytes, 1024U);
}

TEST(ConfigIoBad, more_controllers_than_the_border_has_places) {
  EXPECT_EQ(
      loading_error(kMesh, {"io.controllers=19"}),
      "--set io.controllers=19: io.controllers: 19 controllers are more than the border of a 5 x 4 mesh has places "
      "for; legal: at most 2 x (5 + 4) = 18");
}

TEST(ConfigIoBad, a_torus_has_no_border) {
  EXPECT_EQ(loading_error("fabric: {kind: torus, size: [4, 4]}\nio: {controllers: 1}\nworkload: {traffic: {}}\n"),
            "a.yaml:2:19: io.controllers: 1 controllers sit at the border of a mesh, but a torus has none; legal: 0");
}

TEST(ConfigIoBad, faster_than_the_port_of_the_npu) {
  EXPECT_EQ(
      loading_error(kMesh, {"io.bandwidth=33 GB/s"}),
      "--set io.bandwidth=33 GB/s: io.bandwidth: a controller on a mesh enters at the port of its NPU and cannot be "
      "faster; legal: at most fabric.local.bandwidth = 32 GB/s");
}

TEST(ConfigIoBad, streams_need_controllers) {
  EXPECT_EQ(loading_error(kMesh, {"io.controllers=0"}),
            "a.yaml:4:11: workload.io: streams come from I/O controllers; set io.controllers to 1 or more");
  EXPECT_THAT(loading_error("fabric: {kind: fred, levels: [{groups: 1}]}\nnpu: {count: 4}\nworkload: {io: {size: 1 "
                            "KiB}}\n"),
              HasSubstr("workload.io: streams come from I/O controllers"));
}

TEST(ConfigIoBad, routers_have_to_copy) {
  const char* const text =
      "workload.io: the routers of a mesh copy the streams on their way: fabric.router.multicast has to be true and "
      "fabric.router.colours 0";
  EXPECT_THAT(loading_error(kMesh, {"fabric.router.multicast=false"}), HasSubstr(text));
  EXPECT_THAT(loading_error(kMesh, {"fabric.router.colours=4"}), HasSubstr(text));
}

TEST(ConfigIoBad, two_orders_of_dimensions_need_two_message_classes) {
  EXPECT_EQ(loading_error(kMesh, {"npu.message_classes=1"}),
            "--set npu.message_classes=1: npu.message_classes: 1 set of VCs can deadlock: with io.routing edge_first "
            "streams go along x first from left and right, and along y first from bottom and top; legal: 2, or "
            "io.routing xy");
  EXPECT_EQ(loading_error(kMesh, {"npu.message_classes=1", "io.routing=xy"}), "");
}

TEST(ConfigIoBad, a_window_has_room_for_a_packet) {
  EXPECT_EQ(loading_error(kMesh, {"workload.io.window=4095 B"}),
            "--set workload.io.window=4095 B: workload.io.window: 4095 bytes have no room for a packet; legal: 0, or "
            "npu.packet_bytes, which is 4096, and more");
  EXPECT_EQ(loading_error(kMesh, {"workload.io.window=4 KiB", "workload.io.window_latency=3 ns"}), "");
  EXPECT_THAT(loading_error(kMesh, {"workload.io.window_latency=0"}), HasSubstr("workload.io.window_latency"));
}

TEST(ConfigIoBad, loads_over_controllers_need_a_trace_and_controllers) {
  EXPECT_THAT(loading_error(kMesh, {"memory.tensors=io"}),
              HasSubstr("memory.tensors: io has no effect without loads and stores; legal: with workload.trace"));
  EXPECT_THAT(loading_error(kMesh, {"memory.tensors=oi"}), HasSubstr("local, io, remote"));
  EXPECT_THAT(loading_error(kMesh, {"memory.tensors=io", "workload.trace.chakra=t", "npu.message_classes=1"}),
              HasSubstr("npu.message_classes: 1 set of VCs can deadlock: with io.routing edge_first"));
}

TEST(ConfigIoBad, a_stream_has_bytes) {
  EXPECT_THAT(loading_error("fabric: {size: [5, 4]}\nworkload: {io: {data: values}}\n"),
              HasSubstr("workload.io.size: is missing; legal: "));
  EXPECT_THAT(loading_error(kMesh, {"workload.io.size=0 B"}), HasSubstr("workload.io.size: 0 B is out of range"));
}

}  // namespace
}  // namespace weft
