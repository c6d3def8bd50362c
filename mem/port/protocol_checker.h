// SPDX-License-Identifier: Apache-2.0
// A module to put between an initiator and a target: passes every call on and checks the base protocol.
#pragma once

#include <systemc>
#include <tlm>

#include "mem/port/protocol_rules.h"

namespace weft::mem {

/// Bind the initiator to `target_socket` and `initiator_socket` to the target; one checker per binding. Takes no time.
template <unsigned BusWidth = 32>
class ProtocolChecker : public sc_core::sc_module,
                        private tlm::tlm_fw_transport_if<>,
                        private tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_target_socket<BusWidth> target_socket;
  tlm::tlm_initiator_socket<BusWidth> initiator_socket;

  explicit ProtocolChecker(const sc_core::sc_module_name& name)
      : sc_module(name), target_socket("target_socket"), initiator_socket("initiator_socket") {
    target_socket.bind(*this);
    initiator_socket.bind(*this);
  }

  const ProtocolRules& rules() const { return rules_; }

 private:
  using Payload = tlm::tlm_generic_payload;

  void b_transport(Payload& payload, sc_core::sc_time& delay) override {
    rules_.before_b(payload);
    initiator_socket->b_transport(payload, delay);
    rules_.after_b(payload);
  }
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
    const tlm::tlm_phase sent_phase = phase;
    const sc_core::sc_time sent = delay;
    rules_.before_nb(true, payload, phase);
    const tlm::tlm_sync_enum answer = initiator_socket->nb_transport_fw(payload, phase, delay);
    rules_.after_nb(true, payload, sent_phase, sent, answer, phase, delay);
    return answer;
  }
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
    const tlm::tlm_phase sent_phase = phase;
    const sc_core::sc_time sent = delay;
    rules_.before_nb(false, payload, phase);
    const tlm::tlm_sync_enum answer = target_socket->nb_transport_bw(payload, phase, delay);
    rules_.after_nb(false, payload, sent_phase, sent, answer, phase, delay);
    return answer;
  }
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override {
    return initiator_socket->get_direct_mem_ptr(payload, dmi);
  }
  unsigned transport_dbg(Payload& payload) override { return initiator_socket->transport_dbg(payload); }
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override {
    target_socket->invalidate_direct_mem_ptr(first, last);
  }

  ProtocolRules rules_;
};

}  // namespace weft::mem
