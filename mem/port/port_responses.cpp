// SPDX-License-Identifier: Apache-2.0
// The response path of a port: served or refused requests become responses at their edges.
#include <fmt/format.h>

#include "base/error.h"
#include "mem/port/port_core.h"

namespace weft::mem {

using sc_core::sc_time;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

void PortCore::served(Request& request, Cycle at) {
  auto& transaction = static_cast<Transaction&>(request);
  responding_.push(at + transaction.return_latency, transaction.initiator, transaction.id, &transaction);
}

void PortCore::deliver(Cycle now) {
  const bool early = options_.early_responses && !judges_at_edges_;
  while (responding_.first() <= (early ? kNever - 1 : now)) {
    const Cycle at = responding_.first();
    respond(*responding_.pop(), now, at);
  }
}

void PortCore::respond(Transaction& transaction, Cycle now, Cycle at) {
  if (transaction.passed_check) access_check_.finished(transaction, at);
  if (transaction.is_blocking) {
    if (transaction.payload == nullptr) {
      free_events_.push_back(transaction.waiter);
      finish(transaction);
    } else if (at <= now) {
      transaction.waiter->notify();
    } else {
      transaction.waiter->notify(SimulatedTime::instance().event_after(domain_.clock().edge_fs(at)));
    }
    return;
  }
  Initiator& initiator = initiators_[transaction.initiator];
  if (initiator.responding != nullptr || initiator.response_from > now || !initiator.responses.empty()) {
    transaction.last_part = at;
    initiator.responses.push_back(&transaction);
    ++waiting_;
    return;
  }
  send_response(transaction, at);
}

void PortCore::send_waiting(Cycle now) {
  for (Initiator& initiator : initiators_) {
    while (!initiator.responses.empty() && initiator.responding == nullptr && initiator.response_from <= now) {
      Transaction& transaction = *initiator.responses.front();
      initiator.responses.pop_front();
      --waiting_;
      send_response(transaction, transaction.last_part);
    }
  }
}

void PortCore::send_response(Transaction& transaction, Cycle at) {
  const std::uint32_t index = transaction.initiator;
  // The initiator may call back from within; its list does not grow after elaboration.
  Initiator& initiator = initiators_[index];
  tlm_generic_payload& payload = *transaction.payload;
  initiator.responding = &transaction;
  tlm_phase phase = tlm::BEGIN_RESP;
  sc_time delay = time_to(at);
  const sc_time sent = delay;
  const tlm_sync_enum answer = initiator.back->nb_transport_bw(payload, phase, delay);
  if (answer == tlm::TLM_ACCEPTED) return;
  WEFT_CHECK(answer == tlm::TLM_COMPLETED || phase == tlm::END_RESP,
             fmt::format("{}: initiator {} answers BEGIN_RESP with another phase than END_RESP", name_, index));
  WEFT_CHECK(initiator.responding == &transaction, fmt::format("{}: initiator {} ends a response twice", name_, index));
  initiator.responding = nullptr;
  take_back_slot(initiator);
  --initiator.outstanding;
  if (answer == tlm::TLM_UPDATED || delay > sent) initiator.response_from = edge_after(after(delay));
  payload.release();
  finish(transaction);
}

void PortCore::end_response(std::uint32_t index, tlm_generic_payload& payload, const sc_time& delay) {
  Initiator& initiator = initiators_[index];
  WEFT_CHECK(
      initiator.responding != nullptr && initiator.responding->payload == &payload,
      fmt::format("{}: initiator {} sends END_RESP for a transaction that has no response under way", name_, index));
  Transaction& transaction = *initiator.responding;
  initiator.responding = nullptr;
  take_back_slot(initiator);
  initiator.response_from = edge_after(after(delay));
  initiator.slot_returns = true;
  if (!initiator.responses.empty() || initiator.held != nullptr) domain_.wake(*this, initiator.response_from);
  payload.release();
  finish(transaction);
}

}  // namespace weft::mem
