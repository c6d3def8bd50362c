// SPDX-License-Identifier: Apache-2.0
// A memory port with any number of plain TLM initiators, each behind a protocol checker. Nothing here knows Weft's
// ports: the initiators are tlm_utils::simple_initiator_socket.
#pragma once

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <functional>
#include <memory>

#include "mem/port/memory_port.h"
#include "mem/port/protocol_checker.h"
#include "tests/mem/support/payload_pool.h"

namespace weft::mem::test {

template <unsigned BusWidth = 32>
class PlainInitiator : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<PlainInitiator, BusWidth> socket;

  explicit PlainInitiator(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
    socket.register_nb_transport_bw(this, &PlainInitiator::nb_transport_bw);
    socket.register_invalidate_direct_mem_ptr(this, &PlainInitiator::invalidate);
  }
  /// What a response or an END_REQ is answered with; the default ends every response at once.
  std::function<tlm::tlm_sync_enum(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&)> on_backward =
      [](auto&, tlm::tlm_phase& phase, auto&) {
        return phase == tlm::BEGIN_RESP ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
      };
  std::vector<std::pair<std::uint64_t, std::uint64_t>> invalidated;

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    return on_backward(payload, phase, delay);
  }
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last) { invalidated.emplace_back(first, last); }
};

/// The clock has 1 GHz: edge n lies at n ns.
template <unsigned BusWidth = 32>
struct PortBench {
  /// `prefix` makes names unique where there are several benches.
  PortBench(Controller& controller, int initiators, PortOptions options = {}, AccessCheck* own_check = nullptr,
            const std::string& prefix = "")
      : domain((prefix + "domain").c_str(), ClockSpec{}),
        storage(controller.size()),
        port((prefix + "port").c_str(), domain, controller, own_check != nullptr ? *own_check : open_access, storage,
             options) {
    for (int i = 0; i < initiators; ++i) {
      const std::string number = std::to_string(i);
      all.push_back(std::make_unique<PlainInitiator<BusWidth>>((prefix + "initiator" + number).c_str()));
      checkers.push_back(std::make_unique<ProtocolChecker<BusWidth>>((prefix + "checker" + number).c_str()));
      all.back()->socket.bind(checkers.back()->target_socket);
      checkers.back()->initiator_socket.bind(port.socket);
    }
  }
  /// Runs to the end; the base protocol must have been kept and every transaction must have ended.
  void run() {
    sc_core::sc_start();
    domain.rethrow_failure();
    expect_protocol_kept();
  }
  void expect_protocol_kept() {
    for (const auto& checker : checkers) {
      EXPECT_EQ(checker->rules().findings(), std::vector<std::string>{}) << checker->name();
      EXPECT_EQ(checker->rules().open(), 0U) << checker->name();
      EXPECT_GT(checker->rules().calls(), 0U) << checker->name();
    }
  }
  /// A process that starts with the simulation.
  void thread(const std::function<void()>& body) { sc_core::sc_spawn(body); }
  PlainInitiator<BusWidth>& initiator(int i) { return *all[static_cast<std::size_t>(i)]; }

  OpenAccess open_access;
  ClockDomain domain;
  Storage storage;
  MemoryPort<BusWidth> port;
  std::vector<std::unique_ptr<PlainInitiator<BusWidth>>> all;
  std::vector<std::unique_ptr<ProtocolChecker<BusWidth>>> checkers;
};

inline sc_core::sc_time ns(double value) { return {value, sc_core::SC_NS}; }

/// Edge of the present instant with a clock of 1 GHz.
inline Cycle present() { return sc_core::sc_time_stamp().value() / 1'000'000; }

}  // namespace weft::mem::test
