// SPDX-License-Identifier: Apache-2.0
#include "mem/port/port_core.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/error.h"
#include "mem/port/payload_rules.h"
#include "mem/port/refusal.h"

namespace weft::mem {

using sc_core::sc_time;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

PortCore::PortCore(std::string name, ClockDomain& domain, Controller& controller, Gate& gate, Storage& storage,
                   PortOptions options)
    : name_(std::move(name)),
      domain_(domain),
      controller_(controller),
      gate_(gate),
      storage_(storage),
      options_(options),
      judges_at_edges_(!gate.is_open()) {
  if (options_.address_space == 0) options_.address_space = controller.size();
  if (options_.outstanding == 0) throw InputError(name_ + ": outstanding: 0; at least 1");
  domain_.add(*this);
}

void PortCore::add_initiator(tlm::tlm_bw_transport_if<>& back) { initiators_.emplace_back().back = &back; }

Cycle PortCore::edge_after(const sc_time& instant) const {
  return domain_.clock().first_edge_from(instant.value() + 1);
}

sc_time PortCore::time_to(Cycle edge) const {
  const sc_time instant = sc_time::from_value(domain_.clock().edge_fs(edge));
  const sc_time& now = sc_core::sc_time_stamp();
  return instant > now ? instant - now : sc_core::SC_ZERO_TIME;
}

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
  transaction.earliest = sc_core::sc_time_stamp() + delay;
  transaction.return_latency = 0;
  transaction.passed_gate = false;
  transaction.is_blocking = false;
  return transaction;
}

bool PortCore::ignores(const Transaction& transaction) const {
  return transaction.payload != nullptr && transaction.payload->get_command() == tlm::TLM_IGNORE_COMMAND;
}

// What arrives has to be looked at by its own edge when it may be answered there, else in time for the first response.
Cycle PortCore::due(Cycle arrival, bool at_once) const {
  return arrival == kNever || at_once ? arrival : arrival + controller_.lookahead();
}

void PortCore::enqueue(Transaction& transaction, const sc_time& earliest) {
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
  if (!has_room(initiator, edge_after(sc_core::sc_time_stamp()))) {
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

void PortCore::take_back_slot(Initiator& initiator) {
  if (initiator.slot_returns) --initiator.outstanding;
  initiator.slot_returns = false;
}

void PortCore::end_response(std::uint32_t index, tlm_generic_payload& payload, const sc_time& delay) {
  Initiator& initiator = initiators_[index];
  WEFT_CHECK(
      initiator.responding != nullptr && initiator.responding->payload == &payload,
      fmt::format("{}: initiator {} sends END_RESP for a transaction that has no response under way", name_, index));
  Transaction& transaction = *initiator.responding;
  initiator.responding = nullptr;
  take_back_slot(initiator);
  initiator.response_from = edge_after(sc_core::sc_time_stamp() + delay);
  initiator.slot_returns = true;
  if (!initiator.responses.empty() || initiator.held != nullptr) domain_.wake(*this, initiator.response_from);
  payload.release();
  finish(transaction);
}

// --- edges ---

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
  const Verdict verdict = gate_.judge(transaction, transaction.arrival);
  if (!verdict.allowed) {
    refuse(transaction, verdict);
    return;
  }
  ++figures_.accepted;
  transaction.passed_gate = true;
  transaction.physical = verdict.physical;
  transaction.return_latency = verdict.return_latency;
  // Data move in the order of acceptance: the controller may serve accesses to different addresses in another order.
  move_data(storage_, *transaction.payload, verdict.physical);
  if (verdict.moved_bytes > 0) {
    transaction.physical = verdict.moved_from;
    transaction.bytes = verdict.moved_bytes;
  }
  transaction.payload->set_response_status(tlm::TLM_OK_RESPONSE);
  if (options_.dmi) transaction.payload->set_dmi_allowed(gate_.dmi_range(transaction).can_read);
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
    const sc_time instant = std::max(transaction.earliest, sc_core::sc_time_stamp());
    enqueue(transaction, instant);
    tlm_phase phase = tlm::END_REQ;
    sc_time delay = instant - sc_core::sc_time_stamp();
    initiator.back->nb_transport_bw(*transaction.payload, phase, delay);
  }
}

// --- responses ---

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
  if (transaction.passed_gate) gate_.finished(transaction, at);
  if (transaction.is_blocking) {
    if (transaction.payload == nullptr) {
      free_events_.push_back(transaction.waiter);
      finish(transaction);
    } else if (at <= now) {
      transaction.waiter->notify();
    } else {
      transaction.waiter->notify(time_to(at));
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
  if (answer == tlm::TLM_UPDATED || delay > sent)
    initiator.response_from = edge_after(sc_core::sc_time_stamp() + delay);
  payload.release();
  finish(transaction);
}

void PortCore::finish(Transaction& transaction) {
  transaction.payload = nullptr;
  free_.push_back(&transaction);
}

// --- debug and pointers ---

Request PortCore::plain_request(int index, const tlm_generic_payload& payload) const {
  Request request;
  request.initiator = static_cast<std::uint32_t>(index);
  request.command = payload.is_write() ? Command::kWrite : Command::kRead;
  request.address = payload.get_address();
  request.bytes = payload.get_data_length();
  return request;
}

unsigned PortCore::transport_dbg(int index, tlm_generic_payload& payload) {
  accept(domain_.reached());
  Request request = plain_request(index, payload);
  const bool moves = payload.is_read() || payload.is_write();
  if (!moves || payload.get_data_ptr() == nullptr || request.address >= options_.address_space) return 0;
  request.bytes = std::min(request.bytes, options_.address_space - request.address);
  if (request.bytes == 0) return 0;
  Verdict verdict = gate_.judge_debug(request);
  if (!verdict.allowed && (!options_.debug_all || verdict.reason == Reason::kOutside)) return 0;
  if (payload.is_write()) {
    storage_.write(verdict.physical, payload.get_data_ptr(), request.bytes);
  } else {
    storage_.read(verdict.physical, payload.get_data_ptr(), request.bytes);
  }
  return static_cast<unsigned>(request.bytes);
}

bool PortCore::get_direct_mem_ptr(int index, tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  dmi.init();
  Request request = plain_request(index, payload);
  request.bytes = 1;
  DmiRange range;
  if (options_.dmi && request.address < options_.address_space) range = gate_.dmi_range(request);
  const bool allowed = payload.is_write() ? range.can_write : range.can_read;
  if (!allowed) {
    dmi.set_start_address(options_.dmi ? request.address : 0);
    dmi.set_end_address(options_.dmi ? request.address : ~std::uint64_t{0});
    return false;
  }
  // Pointers reach as far as the page in which the address lies.
  const std::uint64_t physical = range.physical + (request.address - range.first);
  const std::uint64_t offset = physical % Storage::kPageBytes;
  const std::uint64_t before = std::min(offset, request.address - range.first);
  const std::uint64_t last = std::min(range.last, options_.address_space - 1);
  const std::uint64_t after = std::min(Storage::kPageBytes - 1 - offset, last - request.address);
  dmi.set_dmi_ptr(storage_.page(physical) + (offset - before));
  dmi.set_start_address(request.address - before);
  dmi.set_end_address(request.address + after);
  if (range.can_read && range.can_write) {
    dmi.allow_read_write();
  } else if (range.can_write) {
    dmi.allow_write();
  } else {
    dmi.allow_read();
  }
  ++figures_.dmi_granted;
  return true;
}

void PortCore::invalidate_dmi(std::uint64_t first, std::uint64_t last) {
  for (Initiator& initiator : initiators_) initiator.back->invalidate_direct_mem_ptr(first, last);
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
