// SPDX-License-Identifier: Apache-2.0
// Keys of memory: the NPUs' own, and where loads and stores of traces go.
#include "mem/keys.h"

#include "config/key_builders.h"

namespace weft::mem {
namespace {

void add_local_keys(std::vector<ConfigKey>& keys) {
  keys.push_back(text_key(
                     "memory.timing", ValueType::kNameOrFile, "",
                     "DRAM of each NPU: a named timing (hbm3, hbm2e, ddr5) or a file of one. Loads, stores, the memory "
                     "side of compute and messages then share it. Without it npu.memory_bandwidth is a plain limit.",
                     [](auto& c) -> auto& { return c.memory.timing; })
                     .noted("none")
                     .or_empty());
  keys.push_back(name_key(
      "memory.scheduler", names_of(policies().memory_schedulers), "fr_fcfs",
      "With memory.timing: order of the bursts of a channel. " + described(policies().memory_schedulers) + ".",
      [](auto& c) -> auto& { return c.memory.scheduler; }));
  keys.push_back(name_key(
      "memory.mapping", memory_mapping_names(), "row_bank_column_group",
      "With memory.timing: which bits of an address are row, bank, column and bank group, from the highest down.",
      [](auto& c) -> auto& { return c.memory.mapping; }));
  keys.push_back(integer_key(
      "memory.queue_depth", 1, 64, "32", "With memory.timing: bursts of a channel that its scheduler sees.",
      [](auto& c) -> auto& { return c.memory.queue_depth; }));
  keys.push_back(integer_key(
      "memory.age_limit", 0, 1'000'000, "2000",
      "With scheduler fr_fcfs: cycles of the DRAM's clock after which a burst goes before all that came later.",
      [](auto& c) -> auto& { return c.memory.age_limit; }));
  keys.push_back(boolean_key(
      "memory.messages", "true",
      "With memory.timing: what an NPU sends is read from its DRAM first, and what it receives is written there.",
      [](auto& c) -> auto& { return c.memory.messages; }));
}

void add_io_memory_keys(std::vector<ConfigKey>& keys) {
  keys.push_back(bytes_key(
      "memory.piece", ValueType::kByteCount, 1, std::uint64_t{1} << 30, "128 KiB",
      "With memory.tensors io: bytes of a load or store that each I/O controller is asked for at once.",
      [](auto& c) -> auto& { return c.memory.piece; }));
  keys.push_back(integer_key(
      "memory.pieces", 1, 64, "3", "With memory.tensors io: pieces of one load or store that are under way at once.",
      [](auto& c) -> auto& { return c.memory.pieces; }));
  keys.push_back(npu_delay_key(
      "memory.latency", 0, "0",
      "With memory.tensors io: from a controller's being asked for a piece to its first byte. Cycles of the NPU's "
      "clock, or a "
      "time that is rounded up to them.",
      [](auto& c) -> auto& { return c.memory.latency_cycles; }));
  keys.push_back(
      text_key(
          "memory.pool", ValueType::kFile, "",
          "With memory.tensors io: the file of the pool behind the controllers, whose links, switches and modules "
          "then give the times of loads and stores, and whose grants say who may touch what.",
          [](auto& c) -> auto& { return c.memory.pool; })
          .noted("none")
          .or_empty());
}

void add_host_keys(std::vector<ConfigKey>& keys) {
  keys.push_back(boolean_key(
      "memory.dmi", "false",
      "Hosts at memory ports may have pointers (DMI) into local DRAM, and into fully granted pages of a pool without "
      "encryption, integrity and oblivious mode. What they do with them takes no time and is not counted.",
      [](auto& c) -> auto& { return c.memory.dmi; }));
  keys.push_back(boolean_key(
      "memory.debug_all", "false", "Debug accesses of hosts at memory ports (transport_dbg) need no grant.",
      [](auto& c) -> auto& { return c.memory.debug_all; }));
}

}  // namespace

void add_keys(std::vector<ConfigKey>& keys) {
  keys.push_back(word_key(
      "memory.tensors", tensor_memory_names(), "local",
      "Where loads and stores of traces go: the NPU's own memory, memory outside the wafer over the I/O controllers, "
      "or "
      "memory of which memory.remote gives the times.",
      [](auto& c) -> auto& { return c.memory.tensors; }));
  keys.back().formerly("memory.place");
  keys.push_back(
      text_key(
          "memory.remote", ValueType::kFile, "",
          "With memory.tensors remote: a remote-memory file as ASTRA-sim reads it (JSON), whose formula gives the "
          "time of each load and store.",
          [](auto& c) -> auto& { return c.memory.remote; })
          .noted("none")
          .or_empty());
  add_io_memory_keys(keys);
  add_local_keys(keys);
  add_host_keys(keys);
}

}  // namespace weft::mem
