// SPDX-License-Identifier: Apache-2.0
#include "mem/port/port_core.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "mem/port/payload_rules.h"
#include "mem/port/refusal.h"

namespace weft::mem {

using sc_core::sc_time;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

PortCore::PortCore(std::string name, ClockDomain& domain, Controller& controller, AccessCheck& access_check,
                   Storage& storage, PortOptions options)
    : name_(std::move(name)),
      domain_(domain),
      controller_(controller),
      access_check_(access_check),
      storage_(storage),
      options_(options),
      judges_at_edges_(!access_check.is_open()) {
  if (options_.address_space == 0) options_.address_space = controller.size();
  if (options_.outstanding == 0) throw InputError(name_ + ": outstanding: 0; at least 1");
  domain_.add(*this);
}

void PortCore::add_initiator(tlm::tlm_bw_transport_if<>& back) { initiators_.emplace_back().back = &back; }

PortCore::Transaction& PortCore::make(std::uint32_t index, tlm_generic_payload& payload, const sc_time& delay) {
  if (free_.empty()) free_.push_back(&transactions_.emplace_back());
  Transaction& transaction = *free_.back();
  free_.pop_back();
  transaction.initiator = index;
  transaction.command = payload.is_write() ? Command::kWrite : Command::kRead;
  transaction.address = payload.get_address();
  transaction.bytes = pass_bytes(payload);
  transaction.passes =
      transaction.bytes == 0 ? 1 : (payload.get_data_length() + transaction.bytes - 1) / transaction.bytes;
  transaction.owner = this;
  transaction.payload = &payload;
  transaction.earliest = after(delay);
  transaction.return_latency = 0;
  transaction.passed_check = false;
  transaction.is_blocking = false;
  return transaction;
}

void PortCore::enqueue(Transaction& transaction, Instant earliest) {
  transaction.arrival = edge_after(earliest);
  arriving_.push(transaction.arrival, transaction.initiator, 0, &transaction);
  const bool at_once = judges_at_edges_ || ignores(transaction);
  if (ignores(transaction)) ++ignoring_;
  domain_.wake(*this, due(transaction.arrival, at_once));
}

// --- calls of initiators ---

void PortCore::b_transport(int index, tlm_generic_payload& payload, sc_time& delay) {
  Refusal::clear(payload);
  const tlm::tlm_response_status status = check_attributes(payload, options_.address_space);
  if (status != tlm::TLM_OK_RESPONSE) {
    ++figures_.malformed;
    if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
    payload.set_response_status(status);
    delay = sc_core::SC_ZERO_TIME;
    return;
  }
  Transaction& transaction = make(static_cast<std::uint32_t>(index), payload, delay);
  transaction.is_blocking = true;
  if (free_events_.empty()) free_events_.push_back(&events_.emplace_back());
  transaction.waiter = free_events_.back();
  free_events_.pop_back();
  enqueue(transaction, transaction.earliest);
  // A thread that is killed while it waits leaves a request without data behind.
  struct Abandon {
    Transaction& transaction;
    bool armed = true;
    ~Abandon() {
      if (armed) transaction.payload = nullptr;
    }
  } abandon{transaction};
  sc_core::wait(*transaction.waiter);
  abandon.armed = false;
  free_events_.push_back(transaction.waiter);
  finish(transaction);
  delay = sc_core::SC_ZERO_TIME;
}

tlm_sync_enum PortCore::nb_transport_fw(int index, tlm_generic_payload& payload, tlm_phase& phase, sc_time& delay) {
  const auto socket = static_cast<std::uint32_t>(index);
  WEFT_CHECK(socket < initiators_.size(), name_ + ": a call before the end of elaboration");
  if (phase == tlm::BEGIN_REQ) return begin_request(socket, payload, phase, delay);
  if (phase == tlm::END_RESP) {
    end_response(socket, payload, delay);
    return tlm::TLM_COMPLETED;
  }
  WEFT_CHECK(phase != tlm::END_REQ && phase != tlm::BEGIN_RESP,
             fmt::format("{}: initiator {} sends {}, a phase of targets", name_, index,
                         phase == tlm::END_REQ ? "END_REQ" : "BEGIN_RESP"));
  return tlm::TLM_ACCEPTED;  // phases of extensions are ignorable
}

tlm_sync_enum PortCore::begin_request(std::uint32_t index, tlm_generic_payload& payload, tlm_phase& phase,
                                      const sc_time& delay) {
  Initiator& initiator = initiators_[index];
  WEFT_CHECK(initiator.held == nullptr,
             fmt::format("{}: initiator {} sends BEGIN_REQ before the END_REQ of the request before", name_, index));
  WEFT_CHECK(payload.has_mm(), fmt::format("{}: initiator {} calls nb_transport_fw with a payload that has no memory "
                                           "manager",
                                           name_, index));
  Refusal::clear(payload);
  const tlm::tlm_response_status status = check_attributes(payload, options_.address_space);
  if (status != tlm::TLM_OK_RESPONSE) {
    ++figures_.malformed;
    payload.set_response_status(status);
    return tlm::TLM_COMPLETED;
  }
  payload.acquire();
  Transaction& transaction = make(index, payload, delay);
  if (!has_room(initiator, edge_after(after(sc_core::SC_ZERO_TIME)))) {
    initiator.held = &transaction;
    ++held_;
    if (initiator.slot_returns) domain_.wake(*this, initiator.response_from);
    return tlm::TLM_ACCEPTED;
  }
  ++initiator.outstanding;
  enqueue(transaction, transaction.earliest);
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

// A slot that an END_RESP gives back counts from the same edge as the next response, so that a request of the same
// instant finds the same room before and after it.
bool PortCore::has_room(Initiator& initiator, Cycle edge) {
  if (initiator.response_from < edge) take_back_slot(initiator);
  return initiator.outstanding < options_.outstanding;
}

}  // namespace weft::mem
