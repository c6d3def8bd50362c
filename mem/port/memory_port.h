// SPDX-License-Identifier: Apache-2.0
// A memory's TLM-2.0 target socket: the module that initiators bind.
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <systemc>
#include <tlm>

#include "mem/port/port_core.h"

namespace weft::mem {

/// Serves any number of initiators of the base protocol, `BusWidth` bits wide, with the rules of PortCore. The width is
/// what the socket declares; a transaction may be of any length.
template <unsigned BusWidth = 32>
class MemoryPort : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<PortCore, BusWidth> socket;

  /// The arguments are those of PortCore.
  MemoryPort(const sc_core::sc_module_name& module_name, ClockDomain& domain, Controller& controller,
             AccessCheck& access_check, Storage& storage, const PortOptions& options = {})
      : sc_module(module_name), socket("socket"), core(name(), domain, controller, access_check, storage, options) {
    socket.register_b_transport(&core, &PortCore::b_transport);
    socket.register_nb_transport_fw(&core, &PortCore::nb_transport_fw);
    socket.register_transport_dbg(&core, &PortCore::transport_dbg);
    socket.register_get_direct_mem_ptr(&core, &PortCore::get_direct_mem_ptr);
  }

  PortCore core;

 private:
  void end_of_elaboration() override {
    for (int i = 0; i < static_cast<int>(socket.size()); ++i) core.add_initiator(*socket[i]);
  }
};

}  // namespace weft::mem
