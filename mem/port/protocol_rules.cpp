// SPDX-License-Identifier: Apache-2.0
#include "mem/port/protocol_rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace weft::mem {
namespace {

/// Writes are compared byte by byte up to this length.
constexpr unsigned kComparedBytes = 4096;

}  // namespace

void ProtocolRules::fail(std::string_view rule, const std::string& sentence) {
  findings_.push_back(fmt::format("{}: {} (at {})", rule, sentence, sc_core::sc_time_stamp().to_string()));
}

ProtocolRules::Attributes ProtocolRules::attributes_of(const Payload& payload) {
  Attributes a{payload.get_command(),         payload.get_address(),
               payload.get_data_ptr(),        payload.get_data_length(),
               payload.get_byte_enable_ptr(), payload.get_byte_enable_length(),
               payload.get_streaming_width(), {}};
  if (a.command == tlm::TLM_WRITE_COMMAND && a.data != nullptr)
    a.written.assign(a.data, a.data + std::min(a.length, kComparedBytes));
  return a;
}

void ProtocolRules::check_attributes(const Payload& payload, const Transaction& transaction) {
  const Attributes now = attributes_of(payload);
  const Attributes& then = transaction.attributes;
  if (now.command != then.command || now.address != then.address || now.data != then.data ||
      now.length != then.length || now.enables != then.enables || now.enables_length != then.enables_length ||
      now.width != then.width) {
    fail("attributes", "command, address, data, byte enables or streaming width changed during a transaction");
  } else if (now.written != then.written) {
    fail("write_data", "the data of a write changed during its transaction");
  }
}

void ProtocolRules::begin(Payload& payload, State state) {
  if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE)
    fail("initial_status", "a transaction begins with a response status other than TLM_INCOMPLETE_RESPONSE");
  if (payload.is_dmi_allowed()) fail("initial_dmi", "a transaction begins with the DMI hint set");
  if (!transactions_.emplace(&payload, Transaction{state, attributes_of(payload)}).second)
    fail("reuse", "a payload begins a transaction while it is under way");
}

void ProtocolRules::end(Payload& payload) {
  const auto at = transactions_.find(&payload);
  if (at == transactions_.end()) return;
  check_attributes(payload, at->second);
  transactions_.erase(at);
  if (request_ == &payload) request_ = nullptr;
  if (response_ == &payload) response_ = nullptr;
  if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE)
    fail("final_status", "a transaction ends with TLM_INCOMPLETE_RESPONSE");
}

ProtocolRules::Transaction* ProtocolRules::known(const Payload& payload, std::string_view phase) {
  const auto at = transactions_.find(&payload);
  if (at != transactions_.end()) return &at->second;
  fail("unknown", fmt::format("{} of a transaction that did not begin", phase));
  return nullptr;
}

void ProtocolRules::begin_request(Payload& payload) {
  if (!payload.has_mm()) {
    fail("memory_manager", "nb_transport with a payload that has no memory manager");
  } else if (payload.get_ref_count() < 1) {
    fail("reference", "BEGIN_REQ with a payload that nobody holds");
  }
  if (request_ != nullptr) fail("request_exclusion", "BEGIN_REQ while an earlier request waits for END_REQ");
  begin(payload, State::kRequest);
  request_ = &payload;
}

void ProtocolRules::end_request(Payload& payload) {
  Transaction* transaction = known(payload, "END_REQ");
  if (transaction == nullptr) return;
  if (transaction->state != State::kRequest) fail("order", "END_REQ for a request that has ended");
  transaction->state = State::kAccepted;
  if (request_ == &payload) request_ = nullptr;
}

void ProtocolRules::begin_response(Payload& payload) {
  Transaction* transaction = known(payload, "BEGIN_RESP");
  if (transaction == nullptr) return;
  if (transaction->state == State::kResponse) fail("order", "BEGIN_RESP twice");
  if (response_ != nullptr && response_ != &payload)
    fail("response_exclusion", "BEGIN_RESP while an earlier response waits for END_RESP");
  if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE)
    fail("response_status", "BEGIN_RESP with TLM_INCOMPLETE_RESPONSE");
  check_attributes(payload, *transaction);
  if (request_ == &payload) request_ = nullptr;  // BEGIN_RESP stands for END_REQ, too
  transaction->state = State::kResponse;
  response_ = &payload;
}

void ProtocolRules::end_response(Payload& payload) {
  Transaction* transaction = known(payload, "END_RESP");
  if (transaction == nullptr) return;
  if (transaction->state != State::kResponse) fail("order", "END_RESP before BEGIN_RESP");
  end(payload);
}

void ProtocolRules::before_nb(bool forward, Payload& payload, const tlm::tlm_phase& phase) {
  ++calls_;
  if (phase == tlm::BEGIN_REQ || phase == tlm::END_RESP) {
    if (!forward) {
      fail("direction", "the target sends BEGIN_REQ or END_RESP");
    } else if (phase == tlm::BEGIN_REQ) {
      begin_request(payload);
    } else {
      end_response(payload);
    }
  } else if (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP) {
    if (forward) {
      fail("direction", "the initiator sends END_REQ or BEGIN_RESP");
    } else if (phase == tlm::END_REQ) {
      end_request(payload);
    } else {
      begin_response(payload);
    }
  }
}

void ProtocolRules::after_nb(bool forward, Payload& payload, const tlm::tlm_phase& sent_phase, const Time& sent,
                             tlm::tlm_sync_enum answer, const tlm::tlm_phase& phase, const Time& delay) {
  if (answer == tlm::TLM_ACCEPTED) {
    if (phase != sent_phase || delay != sent)
      fail("accepted", "TLM_ACCEPTED with another phase or delay than was sent");
    return;
  }
  if (delay < sent) fail("delay", "a delay shrinks on the return path");
  if (answer == tlm::TLM_COMPLETED) {
    if (sent_phase == tlm::BEGIN_REQ || sent_phase == tlm::BEGIN_RESP) end(payload);
    return;
  }
  if (forward && sent_phase == tlm::BEGIN_REQ && phase == tlm::END_REQ) {
    end_request(payload);
  } else if (forward && sent_phase == tlm::BEGIN_REQ && phase == tlm::BEGIN_RESP) {
    begin_response(payload);
  } else if (!forward && sent_phase == tlm::BEGIN_RESP && phase == tlm::END_RESP) {
    end_response(payload);
  } else {
    fail("updated", "TLM_UPDATED with a phase that cannot follow");
  }
}

void ProtocolRules::before_b(Payload& payload) {
  ++calls_;
  if (sc_core::sc_get_current_process_handle().proc_kind() == sc_core::SC_METHOD_PROC_)
    fail("thread", "b_transport from a method process");
  begin(payload, State::kBlocking);
}

void ProtocolRules::after_b(Payload& payload) { end(payload); }

}  // namespace weft::mem
