// SPDX-License-Identifier: Apache-2.0
// The front end of a memory without its socket: calls of the base protocol become requests that arrive at clock edges,
// served requests become responses. MemoryPort puts the socket around it.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <tlm>
#include <vector>

#include "base/clock_domain.h"
#include "mem/access_check.h"
#include "mem/controller.h"
#include "mem/port/edge_queue.h"
#include "mem/storage.h"

namespace weft::mem {

struct PortOptions {
  std::uint64_t address_space = 0;  ///< bytes that initiators can address; 0 = the controller's size
  std::uint32_t outstanding =
      64;                  ///< nb_transport transactions of one socket from BEGIN_REQ to the end of the response
  bool dmi = false;        ///< pointers are handed out where the access check allows it
  bool debug_all = false;  ///< transport_dbg does not ask the access check
  /// Responses by nb_transport_bw are sent as soon as their edge is known, with the time until then as annotated delay,
  /// instead of at that edge. Only where everything is allowed. Costs fewer wake-ups; initiators must heed the delay.
  bool early_responses = false;
};

/// What passed a port.
struct PortFigures {
  std::uint64_t accepted = 0;     ///< allowed by the access check
  std::uint64_t refused = 0;      ///< by the access check
  std::uint64_t malformed = 0;    ///< answered with an error for their attributes alone
  std::uint64_t ignored = 0;      ///< TLM_IGNORE_COMMAND
  std::uint64_t dmi_granted = 0;  ///< pointers handed out; what is done through them is not timed and not counted
};

/// Stepped by a clock domain, whose edges are those of the controller. Any number of initiators; the index of the
/// socket's binding is the identity of an initiator. Breaking the base protocol is a ViolationError.
class PortCore : public Block, private RequestOwner {
 public:
  /// `name` stands in messages. All references must outlive the simulation. Adds itself to `domain`.
  PortCore(std::string name, ClockDomain& domain, Controller& controller, AccessCheck& access_check, Storage& storage,
           PortOptions options);
  PortCore(const PortCore&) = delete;
  PortCore& operator=(const PortCore&) = delete;

  /// The response path to initiator `index`; once for each index from 0 on, before the simulation starts.
  void add_initiator(tlm::tlm_bw_transport_if<>& back);

  void b_transport(int index, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  tlm::tlm_sync_enum nb_transport_fw(int index, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  unsigned transport_dbg(int index, tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(int index, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  /// Takes back all pointers into [first, last], addresses as initiators give them.
  void invalidate_dmi(std::uint64_t first, std::uint64_t last);

  void step(Cycle now) override;
  Cycle next_work(Cycle now) const override;

  /// Executes the edges before the present instant that were put off. Not from within a call of the socket.
  void catch_up();
  /// What passed so far, caught up.
  const PortFigures& figures();

 private:
  struct Transaction : Request {
    tlm::tlm_generic_payload* payload = nullptr;  // nullptr: its initiator is gone
    Instant earliest = 0;                         // call and annotated delay
    Cycle return_latency = 0;
    bool passed_check = false;
    sc_core::sc_event* waiter = nullptr;  // what b_transport waits for
    bool is_blocking = false;
  };
  struct Initiator {
    tlm::tlm_bw_transport_if<>* back = nullptr;
    std::uint32_t outstanding = 0;
    Transaction* held = nullptr;         // its END_REQ is yet to come
    Transaction* responding = nullptr;   // its END_RESP is yet to come
    Cycle response_from = 0;             // edge of the next response at the earliest
    bool slot_returns = false;           // at response_from
    std::deque<Transaction*> responses;  // served, behind `responding`
  };

  // Requests, in the order in which they pass.
  tlm::tlm_sync_enum begin_request(std::uint32_t index, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                   const sc_core::sc_time& delay);
  Transaction& make(std::uint32_t index, tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);
  void enqueue(Transaction& transaction, Instant earliest);
  bool has_room(Initiator& initiator, Cycle edge);
  static void take_back_slot(Initiator& initiator) {
    if (initiator.slot_returns) --initiator.outstanding;
    initiator.slot_returns = false;
  }
  void promote_held(Cycle now);
  void accept(Cycle now);
  void accept_one(Transaction& transaction);
  void refuse(Transaction& transaction, const Verdict& verdict);
  void enter(Cycle now);

  // Responses.
  void served(Request& request, Cycle at) override;
  void deliver(Cycle now);
  void respond(Transaction& transaction, Cycle now, Cycle at);
  void send_response(Transaction& transaction, Cycle at);
  void send_waiting(Cycle now);
  void end_response(std::uint32_t index, tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);
  void finish(Transaction& transaction) {
    transaction.payload = nullptr;
    free_.push_back(&transaction);
  }

  static bool ignores(const Transaction& transaction) {
    return transaction.payload != nullptr && transaction.payload->get_command() == tlm::TLM_IGNORE_COMMAND;
  }
  // What arrives has to be looked at by its own edge when it may be answered there, else in time for the first
  // response.
  Cycle due(Cycle arrival, bool at_once) const {
    return arrival == kNever || at_once ? arrival : arrival + controller_.lookahead();
  }
  static Instant after(const sc_core::sc_time& delay) { return SimulatedTime::instance().now() + delay.value(); }
  Cycle edge_after(Instant instant) const { return domain_.clock().first_edge_from(instant + 1); }
  sc_core::sc_time time_to(Cycle edge) const { return time_until(domain_.clock().edge_fs(edge)); }
  static sc_core::sc_time time_until(Instant instant) {
    const SimulatedTime& time = SimulatedTime::instance();
    return instant > time.now() ? time.until(instant) : sc_core::SC_ZERO_TIME;
  }
  Request plain_request(int index, const tlm::tlm_generic_payload& payload) const;

  std::string name_;
  ClockDomain& domain_;
  Controller& controller_;
  AccessCheck& access_check_;
  Storage& storage_;
  PortOptions options_;
  bool judges_at_edges_;  // the access check wants to be asked at the very edge
  PortFigures figures_;
  std::uint64_t next_id_ = 0;

  std::vector<Initiator> initiators_;
  std::deque<Transaction> transactions_;  // addresses stay
  std::vector<Transaction*> free_;
  std::deque<sc_core::sc_event> events_;
  std::vector<sc_core::sc_event*> free_events_;

  EdgeQueue<Transaction*> arriving_;
  std::uint32_t ignoring_ = 0;          // entries of arriving_ that are answered at their edge
  EdgeQueue<Transaction*> entering_;    // judged, on their way to the controller
  EdgeQueue<Transaction*> responding_;  // served or refused, until their edge
  std::uint32_t held_ = 0;
  std::uint32_t waiting_ = 0;  // in Initiator::responses
};

}  // namespace weft::mem
