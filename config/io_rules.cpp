// SPDX-License-Identifier: Apache-2.0
// Rules between the keys of I/O controllers, their streams, and memory, one function each.
#include <fmt/format.h>

#include <algorithm>

#include "base/rational_math.h"
#include "base/units.h"
#include "config/fabric_facts.h"
#include "config/resolve.h"
#include "config/rules.h"

namespace weft {
namespace {

class IoRules : public Rules {
 public:
  using Rules::Rules;

  void check_all() {
    check_border_io();
    if (std::holds_alternative<IoWorkload>(config_.workload)) check_streams();
    check_memory();
  }

 private:
  int controllers() const { return io_controllers(fabric_); }

  void check_border_io() {
    const BorderIoSpec& io = fabric_.border_io;
    if (is_fred() || io.controllers == 0 || !good({"io.controllers", "fabric.kind", "fabric.size"}) ||
        !raw_.has("fabric.size"))
      return;
    if (!has_border(fabric_))
      return refuse("io.controllers", fmt::format("{} controllers sit at the border of a mesh, but a {} has none; "
                                                  "legal: 0",
                                                  io.controllers, name_of(fabric_.kind)));
    const int sites = 2 * (fabric_.size_x + fabric_.size_y);
    if (io.controllers > sites)
      refuse("io.controllers",
             fmt::format("{} controllers are more than the border of a {} x {} mesh has places for; "
                         "legal: at most 2 x ({} + {}) = {}",
                         io.controllers, fabric_.size_x, fabric_.size_y, fabric_.size_x, fabric_.size_y, sites));
    if (good({"io.bandwidth", "fabric.local.bandwidth", "clock", "fabric.flit_bytes"}) &&
        fabric_.local.flits_per_cycle < io.rate)
      refuse("io.bandwidth",
             fmt::format(
                 "a controller on a mesh enters at the port of its NPU and cannot be faster; legal: at most "
                 "fabric.local.bandwidth = {}",
                 format_quantity(bandwidth_of(fabric_.local.flits_per_cycle, fabric_.flit_bytes, config_.clock.hertz),
                                 Dimension::kBandwidth)));
  }

  void check_streams() {
    if (!good({"io.controllers", "fabric.kind"})) return;
    const std::string section = "workload.io";
    if (controllers() == 0)
      return refuse(section, "streams come from I/O controllers; set io.controllers to 1 or more");
    const auto& io = std::get<IoWorkload>(config_.workload);
    if (good({"workload.io.window", "npu.packet_bytes"}) && io.window > 0 && io.window < config_.npu.packet_bytes)
      refuse("workload.io.window",
             fmt::format("{} bytes have no room for a packet; legal: 0, or npu.packet_bytes, which is {}, and more",
                         io.window, config_.npu.packet_bytes));
    if (is_fred()) return;
    if (good({"fabric.router.multicast", "fabric.router.colours"}) &&
        (!fabric_.router.multicast || fabric_.router.colours > 0))
      refuse(section,
             "the routers of a mesh copy the streams on their way: fabric.router.multicast has to be true and "
             "fabric.router.colours 0");
    check_orders();
  }

  // What comes from bottom and top has a message class of its own.
  void check_orders() {
    if (good({"io.routing", "npu.message_classes"}) && fabric_.border_io.routing == IoRouting::kEdgeFirst &&
        config_.npu.message_classes < 2)
      refuse(
          "npu.message_classes",
          fmt::format("{} set of VCs can deadlock: with io.routing edge_first streams go along x first from left and "
                      "right, and along y first from bottom and top; legal: 2, or io.routing xy",
                      config_.npu.message_classes));
  }

  void check_memory() {
    if (!good({"memory.place", "memory.remote"})) return;
    const MemorySpec& memory = config_.memory;
    if ((memory.place == MemoryPlace::kRemote) != !memory.remote.empty())
      refuse("memory.remote", memory.remote.empty() ? "is missing; memory.place remote takes its times from it"
                                                    : "has no effect; legal: with memory.place remote");
    if (memory.place == MemoryPlace::kIo) check_io_memory();
    if (!good({"memory.pool"}) || memory.pool.empty()) return;
    if (memory.place != MemoryPlace::kIo) refuse("memory.pool", "has no effect; legal: with memory.place io");
    if (good({"memory.latency"}) && memory.latency_cycles > 0)
      refuse("memory.latency", "has no effect beside memory.pool, whose file has the latencies; legal: 0");
  }

  void check_io_memory() {
    if (!std::holds_alternative<TraceWorkload>(config_.workload))
      return refuse("memory.place", "io has no effect without loads and stores; legal: with workload.trace");
    if (good({"workload.trace.data"}) && std::get<TraceWorkload>(config_.workload).collective.data == DataMode::kValues)
      refuse("memory.place", "io moves sizes only; legal: with workload.trace.data timing");
    if (good({"io.controllers", "fabric.kind"}) && controllers() == 0)
      refuse("memory.place", "loads and stores go over I/O controllers; set io.controllers to 1 or more");
    constexpr int kMost = 1022;  // tags of messages have no room for more
    if (good({"io.controllers", "fabric.kind"}) && controllers() > kMost)
      refuse("memory.place", fmt::format("io serves up to {} I/O controllers, and there are {}", kMost, controllers()));
    if (good({"memory.piece", "npu.packet_bytes"}) && config_.memory.piece % config_.npu.packet_bytes != 0)
      refuse("memory.piece", fmt::format("{} bytes are no whole number of packets; legal: multiples of "
                                         "npu.packet_bytes, which is {}",
                                         config_.memory.piece, config_.npu.packet_bytes));
    if (!is_fred()) check_orders();
  }
};

}  // namespace

void check_io_rules(const Config& config, const RawConfig& raw, ConfigErrors& errors) {
  IoRules(config, raw, errors).check_all();
}

}  // namespace weft
