// SPDX-License-Identifier: Apache-2.0
// What a port does at clock edges: it takes requests, gives them to the controller, and lets held ones in.
#include <algorithm>

#include "mem/port/payload_rules.h"
#include "mem/port/port_core.h"
#include "mem/port/refusal.h"

namespace weft::mem {

using sc_core::sc_time;
using tlm::tlm_phase;

void PortCore::step(Cycle now) {
  accept(now);
  enter(now);
  controller_.advance(now);
  deliver(now);
  if (waiting_ > 0) send_waiting(now);
  if (held_ > 0) promote_held(now);
}

Cycle PortCore::next_work(Cycle now) const {
  Cycle next = due(arriving_.first(), judges_at_edges_ || ignoring_ > 0);
  next = std::min(next, due(entering_.first(), false));
  next = std::min({next, controller_.deadline(), responding_.first()});
  if (waiting_ > 0 || held_ > 0) {
    for (const Initiator& initiator : initiators_) {
      const bool waits = !initiator.responses.empty() && initiator.responding == nullptr;
      if (waits || (initiator.held != nullptr && initiator.slot_returns))
        next = std::min(next, initiator.response_from);
    }
  }
  return std::max(next, now + 1);
}

void PortCore::accept(Cycle now) {
  while (arriving_.first() <= now) accept_one(*arriving_.pop());
}

void PortCore::accept_one(Transaction& transaction) {
  transaction.id = next_id_++;
  if (transaction.payload == nullptr) {
    finish(transaction);
    return;
  }
  if (ignores(transaction)) {
    --ignoring_;
    ++figures_.ignored;
    transaction.payload->set_response_status(tlm::TLM_OK_RESPONSE);
    responding_.push(transaction.arrival, transaction.initiator, transaction.id, &transaction);
    return;
  }
  const Verdict verdict = access_check_.judge(transaction, transaction.arrival);
  if (!verdict.allowed) {
    refuse(transaction, verdict);
    return;
  }
  ++figures_.accepted;
  transaction.passed_check = true;
  transaction.physical = verdict.physical;
  transaction.return_latency = verdict.return_latency;
  // Data move in the order of acceptance: the controller may serve accesses to different addresses in another order.
  move_data(storage_, *transaction.payload, verdict.physical);
  if (verdict.moved_bytes > 0) {
    transaction.physical = verdict.moved_from;
    transaction.bytes = verdict.moved_bytes;
  }
  transaction.payload->set_response_status(tlm::TLM_OK_RESPONSE);
  if (options_.dmi) transaction.payload->set_dmi_allowed(access_check_.dmi_range(transaction).can_read);
  if (judges_at_edges_) {
    entering_.push(transaction.arrival + verdict.latency, 0, transaction.id, &transaction);
  } else {
    controller_.take(transaction, transaction.arrival);
  }
}

void PortCore::refuse(Transaction& transaction, const Verdict& verdict) {
  ++figures_.refused;
  controller_.count_refused(transaction);
  const bool outside = verdict.reason == Reason::kOutside;
  transaction.payload->set_response_status(outside ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_COMMAND_ERROR_RESPONSE);
  Refusal::set(*transaction.payload, verdict);
  responding_.push(transaction.arrival + verdict.latency, transaction.initiator, transaction.id, &transaction);
}

void PortCore::enter(Cycle now) {
  while (entering_.first() <= now) {
    const Cycle at = entering_.first();
    controller_.take(*entering_.pop(), at);
  }
}

void PortCore::promote_held(Cycle now) {
  for (Initiator& initiator : initiators_) {
    if (initiator.held == nullptr || !has_room(initiator, now + 1)) continue;
    Transaction& transaction = *initiator.held;
    initiator.held = nullptr;
    --held_;
    ++initiator.outstanding;
    const Instant instant = std::max(transaction.earliest, after(sc_core::SC_ZERO_TIME));
    enqueue(transaction, instant);
    tlm_phase phase = tlm::END_REQ;
    sc_time delay = time_until(instant);
    initiator.back->nb_transport_bw(*transaction.payload, phase, delay);
  }
}

void PortCore::catch_up() {
  const Cycle edge = domain_.reached();
  accept(edge);
  enter(edge);
  controller_.advance(edge);
}

const PortFigures& PortCore::figures() {
  accept(domain_.reached());
  return figures_;
}

}  // namespace weft::mem
