// SPDX-License-Identifier: Apache-2.0
// A whole DRAM in one module: its clock, channels, bytes, and the socket that initiators bind.
#pragma once

#include <string>
#include <vector>

#include "base/clock_domain.h"
#include "mem/dram/dram_controller.h"
#include "mem/figures.h"
#include "mem/port/memory_port.h"

namespace weft::mem {

/// `memory.port.socket` takes any number of TLM-2.0 initiators. Runs on a clock of the timing's own frequency.
template <unsigned BusWidth = 32>
class DramMemory : public sc_core::sc_module {
 public:
  /// With `access_check` = nullptr everything is allowed. It must outlive the simulation. Throws InputError like
  /// DramController and PortCore.
  DramMemory(const sc_core::sc_module_name& module_name, const DramTiming& timing, const DramOptions& dram = {},
             const PortOptions& options = {}, AccessCheck* access_check = nullptr)
      : sc_module(module_name),
        domain("clock", ClockSpec{timing.hertz}),
        controller(timing, dram),
        storage(controller.size()),
        port("port", domain, controller, access_check != nullptr ? *access_check : open_access_, storage, options) {}

  /// A line for each channel, up to the present instant.
  std::vector<MemoryRow> figures() {
    port.core.catch_up();
    std::vector<MemoryRow> rows;
    for (std::uint32_t i = 0; i < controller.channels(); ++i) rows.push_back({name(), i, controller.figures(i)});
    return rows;
  }

 private:
  OpenAccess open_access_;

 public:
  ClockDomain domain;
  DramController controller;
  Storage storage;
  MemoryPort<BusWidth> port;
};

}  // namespace weft::mem
