// SPDX-License-Identifier: Apache-2.0
// Rules between the keys of I/O controllers, their streams, and memory, one function each.
#include <fmt/format.h>

#include "config/resolve.h"
#include "config/rules.h"

namespace weft {
namespace {

class IoRules : public Rules {
 public:
  using Rules::Rules;

  void check_all() {
    if (std::holds_alternative<IoWorkload>(config_.workload)) check_streams();
    check_memory();
  }

 private:
  int controllers() const { return fabric_.io.controllers; }

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
  }

  void check_memory() {
    if (!good({"memory.tensors", "memory.remote"})) return;
    const MemorySpec& memory = config_.memory;
    if ((memory.tensors == TensorMemory::kRemote) != !memory.remote.empty())
      refuse("memory.remote", memory.remote.empty() ? "is missing; memory.tensors remote takes its times from it"
                                                    : "has no effect; legal: with memory.tensors remote");
    if (memory.tensors == TensorMemory::kIo) check_io_memory();
    if (!good({"memory.pool"}) || memory.pool.empty()) return;
    if (memory.tensors != TensorMemory::kIo) refuse("memory.pool", "has no effect; legal: with memory.tensors io");
    if (good({"memory.latency"}) && memory.latency_cycles > 0)
      refuse("memory.latency", "has no effect beside memory.pool, whose file has the latencies; legal: 0");
  }

  void check_io_memory() {
    if (!std::holds_alternative<TraceWorkload>(config_.workload))
      return refuse("memory.tensors", "io has no effect without loads and stores; legal: with workload.trace");
    if (good({"workload.trace.data"}) && std::get<TraceWorkload>(config_.workload).collective.data == DataMode::kValues)
      refuse("memory.tensors", "io moves sizes only; legal: with workload.trace.data timing");
    if (good({"io.controllers", "fabric.kind"}) && controllers() == 0)
      refuse("memory.tensors", "loads and stores go over I/O controllers; set io.controllers to 1 or more");
    constexpr int kMost = 1022;  // tags of messages have no room for more
    if (good({"io.controllers", "fabric.kind"}) && controllers() > kMost)
      refuse("memory.tensors",
             fmt::format("io serves up to {} I/O controllers, and there are {}", kMost, controllers()));
    if (good({"memory.piece", "npu.packet_bytes"}) && config_.memory.piece % config_.npu.packet_bytes != 0)
      refuse("memory.piece", fmt::format("{} bytes are no whole number of packets; legal: multiples of "
                                         "npu.packet_bytes, which is {}",
                                         config_.memory.piece, config_.npu.packet_bytes));
  }
};

}  // namespace

void check_io_rules(const Config& config, const RawConfig& raw, ConfigErrors& errors) {
  IoRules(config, raw, errors).check_all();
}

}  // namespace weft
