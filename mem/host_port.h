// SPDX-License-Identifier: Apache-2.0
// Memory ports for hosts: outside TLM-2.0 initiators on the memories that a configuration describes, beside its wafer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock_domain.h"
#include "mem/access/validation_unit.h"
#include "mem/dram/dram_config.h"
#include "mem/figures.h"
#include "mem/pool/pool_config.h"
#include "mem/pool/pool_controller.h"
#include "mem/port/memory_port.h"

namespace weft::mem {

/// memory.dmi and memory.debug_all, for a port of DRAM (`DramMemory` with `timing_of`) or of a pool.
PortOptions host_port_options(const Config& config);

/// The access check of a host's port to `pool`: its access control, one region of all its pages, and the rules of
/// memory.dmi and memory.debug_all. Null where the file has no `access`. Grants are made by whoever binds the host: its
/// identity is the number of its socket.
std::unique_ptr<ValidationUnit> host_access_check(const Config& config, const PoolFile& pool);

/// The pool of memory.pool as one module: `port.socket` takes any number of TLM-2.0 initiators, of which socket n uses
/// I/O controller n modulo their number. Runs on the NPUs' clock.
template <unsigned BusWidth = 32>
class HostPool : public sc_core::sc_module {
 public:
  /// Throws InputError as pool_of does.
  HostPool(const sc_core::sc_module_name& module_name, const Config& config)
      : sc_module(module_name),
        file(pool_of(config)),
        access_check(host_access_check(config, file)),
        domain("clock", config.npu.clock.value_or(config.clock)),
        controller(file.spec, access_check ? access_check->physical_size() : file.size),
        storage(controller.size()),
        port("port", domain, controller, access_check ? static_cast<AccessCheck&>(*access_check) : open_access_,
             storage, options(config)) {
    if (access_check) {
      access_check->on_dmi_invalidation(
          [this](AddressRange pages) { port.core.invalidate_dmi(pages.first, pages.last()); });
    }
  }

  /// Lines of memory.csv, up to the present instant.
  std::vector<MemoryRow> figures() {
    port.core.catch_up();
    return controller.figures(name());
  }

 private:
  PortOptions options(const Config& config) const {
    PortOptions options = host_port_options(config);
    options.address_space = access_check ? access_check->grants().size() : file.size;
    return options;
  }
  OpenAccess open_access_;

 public:
  PoolFile file;
  std::unique_ptr<ValidationUnit> access_check;  ///< null = everything is allowed
  ClockDomain domain;
  PoolController controller;
  Storage storage;
  MemoryPort<BusWidth> port;
};

}  // namespace weft::mem
