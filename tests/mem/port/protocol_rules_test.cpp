// SPDX-License-Identifier: Apache-2.0
// The protocol checker: every rule is broken once and must be named; a good transaction breaks none.
#include "mem/port/protocol_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/mem/support/payload_pool.h"

namespace weft::mem::test {
namespace {

using sc_core::sc_time;
using testing::Contains;
using testing::IsEmpty;
using testing::StartsWith;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;

/// Plays both sides of a wire.
struct Wire {
  ~Wire() {
    for (tlm_generic_payload* payload : held) payload->release();
  }
  tlm_generic_payload& payload(tlm::tlm_command command = tlm::TLM_WRITE_COMMAND) {
    tlm_generic_payload& taken = pool.take();
    held.push_back(&taken);
    set_access(taken, command, 64, data, 4);
    return taken;
  }
  /// A call that is answered with TLM_ACCEPTED.
  void call(bool forward, tlm_generic_payload& payload, const tlm_phase& phase) {
    answered(forward, payload, phase, tlm::TLM_ACCEPTED, phase);
  }
  void answered(bool forward, tlm_generic_payload& payload, const tlm_phase& phase, tlm::tlm_sync_enum answer,
                const tlm_phase& answer_phase, const sc_time& sent = {}, const sc_time& returned = {}) {
    rules.before_nb(forward, payload, phase);
    rules.after_nb(forward, payload, phase, sent, answer, answer_phase, returned);
  }
  void requested(tlm_generic_payload& payload) { call(true, payload, tlm::BEGIN_REQ); }
  void responded(tlm_generic_payload& payload) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    call(false, payload, tlm::BEGIN_RESP);
  }
  void expect(const std::string& rule) const { EXPECT_THAT(rules.findings(), Contains(StartsWith(rule + ":"))); }

  PayloadPool pool;
  std::vector<tlm_generic_payload*> held;
  unsigned char data[4] = {1, 2, 3, 4};
  ProtocolRules rules;
};

TEST(ProtocolRules, good_transactions_break_none) {
  Wire wire;
  auto& four_phases = wire.payload();
  wire.requested(four_phases);
  wire.call(false, four_phases, tlm::END_REQ);
  wire.responded(four_phases);
  EXPECT_EQ(wire.rules.open(), 1U);
  wire.call(true, four_phases, tlm::END_RESP);
  auto& two_phases = wire.payload();
  wire.answered(true, two_phases, tlm::BEGIN_REQ, tlm::TLM_UPDATED, tlm::END_REQ);
  two_phases.set_response_status(tlm::TLM_OK_RESPONSE);
  wire.answered(false, two_phases, tlm::BEGIN_RESP, tlm::TLM_COMPLETED, tlm::BEGIN_RESP);
  auto& early = wire.payload();
  wire.rules.before_nb(true, early, tlm::BEGIN_REQ);
  early.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  wire.rules.after_nb(true, early, tlm::BEGIN_REQ, {}, tlm::TLM_COMPLETED, tlm::BEGIN_REQ, {});
  auto& without_end_req = wire.payload();
  wire.requested(without_end_req);
  wire.responded(without_end_req);
  wire.call(true, without_end_req, tlm::END_RESP);
  EXPECT_THAT(wire.rules.findings(), IsEmpty());
  EXPECT_EQ(wire.rules.open(), 0U);
}

TEST(ProtocolRules, request_exclusion) {
  Wire wire;
  wire.requested(wire.payload());
  wire.requested(wire.payload());
  wire.expect("request_exclusion");
}

TEST(ProtocolRules, response_exclusion) {
  Wire wire;
  for (int i = 0; i < 2; ++i) {
    auto& payload = wire.payload();
    wire.requested(payload);
    wire.responded(payload);
  }
  wire.expect("response_exclusion");
}

TEST(ProtocolRules, reuse_of_a_payload_under_way) {
  Wire wire;
  auto& payload = wire.payload();
  wire.requested(payload);
  wire.call(false, payload, tlm::END_REQ);
  wire.requested(payload);
  wire.expect("reuse");
}

TEST(ProtocolRules, initial_status_and_hint) {
  Wire wire;
  auto& payload = wire.payload();
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  payload.set_dmi_allowed(true);
  wire.requested(payload);
  wire.expect("initial_status");
  wire.expect("initial_dmi");
}

TEST(ProtocolRules, memory_manager_and_reference) {
  Wire wire;
  tlm_generic_payload plain;
  set_access(plain, tlm::TLM_READ_COMMAND, 0, wire.data, 4);
  wire.requested(plain);
  wire.expect("memory_manager");
  Wire other;
  tlm_generic_payload unheld(&other.pool);
  set_access(unheld, tlm::TLM_READ_COMMAND, 0, other.data, 4);
  other.requested(unheld);
  other.expect("reference");
}

TEST(ProtocolRules, attributes_must_not_change) {
  const std::vector<std::function<void(tlm_generic_payload&)>> changes = {
      [](auto& p) { p.set_command(tlm::TLM_READ_COMMAND); },
      [](auto& p) { p.set_address(65); },
      [](auto& p) { p.set_data_length(3); },
      [](auto& p) { p.set_streaming_width(3); },
      [](auto& p) { p.set_data_ptr(p.get_data_ptr() + 1); },
      [](auto& p) { p.set_byte_enable_ptr(p.get_data_ptr()); },
      [](auto& p) { p.set_byte_enable_length(1); },
  };
  for (const auto& change : changes) {
    Wire wire;
    auto& payload = wire.payload();
    wire.requested(payload);
    change(payload);
    wire.responded(payload);
    wire.expect("attributes");
  }
}

TEST(ProtocolRules, data_of_a_write_must_not_change) {
  Wire wire;
  auto& payload = wire.payload();
  wire.requested(payload);
  wire.data[2] = 9;
  wire.responded(payload);
  wire.expect("write_data");
  Wire reading;
  auto& read = reading.payload(tlm::TLM_READ_COMMAND);
  reading.requested(read);
  reading.data[2] = 9;
  reading.responded(read);
  EXPECT_THAT(reading.rules.findings(), IsEmpty());
}

TEST(ProtocolRules, response_without_status) {
  Wire wire;
  auto& payload = wire.payload();
  wire.requested(payload);
  wire.call(false, payload, tlm::BEGIN_RESP);
  wire.expect("response_status");
  Wire early;
  auto& completed = early.payload();
  early.answered(true, completed, tlm::BEGIN_REQ, tlm::TLM_COMPLETED, tlm::BEGIN_REQ);
  early.expect("final_status");
}

TEST(ProtocolRules, unknown_transactions) {
  for (const auto& [forward, phase] : std::vector<std::pair<bool, tlm_phase>>{
           {true, tlm::END_RESP}, {false, tlm::END_REQ}, {false, tlm::BEGIN_RESP}}) {
    Wire wire;
    auto& payload = wire.payload();
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    wire.call(forward, payload, phase);
    wire.expect("unknown");
  }
}

TEST(ProtocolRules, order_of_phases) {
  Wire end_first;
  auto& a = end_first.payload();
  end_first.requested(a);
  a.set_response_status(tlm::TLM_OK_RESPONSE);
  end_first.call(true, a, tlm::END_RESP);
  end_first.expect("order");
  Wire twice;
  auto& b = twice.payload();
  twice.requested(b);
  twice.call(false, b, tlm::END_REQ);
  twice.call(false, b, tlm::END_REQ);
  twice.expect("order");
  Wire response_twice;
  auto& c = response_twice.payload();
  response_twice.requested(c);
  response_twice.responded(c);
  response_twice.responded(c);
  response_twice.expect("order");
}

TEST(ProtocolRules, direction_of_phases) {
  for (const auto& [forward, phase] : std::vector<std::pair<bool, tlm_phase>>{
           {false, tlm::BEGIN_REQ}, {false, tlm::END_RESP}, {true, tlm::END_REQ}, {true, tlm::BEGIN_RESP}}) {
    Wire wire;
    wire.call(forward, wire.payload(), phase);
    wire.expect("direction");
  }
}

TEST(ProtocolRules, return_values) {
  Wire accepted;
  accepted.answered(true, accepted.payload(), tlm::BEGIN_REQ, tlm::TLM_ACCEPTED, tlm::END_REQ);
  accepted.expect("accepted");
  Wire late;
  late.answered(true, late.payload(), tlm::BEGIN_REQ, tlm::TLM_ACCEPTED, tlm::BEGIN_REQ, sc_core::SC_ZERO_TIME,
                sc_time(1, sc_core::SC_NS));
  late.expect("accepted");
  Wire updated;
  updated.answered(true, updated.payload(), tlm::BEGIN_REQ, tlm::TLM_UPDATED, tlm::END_RESP);
  updated.expect("updated");
  Wire shrunk;
  shrunk.answered(true, shrunk.payload(), tlm::BEGIN_REQ, tlm::TLM_UPDATED, tlm::END_REQ, sc_time(2, sc_core::SC_NS),
                  sc_time(1, sc_core::SC_NS));
  shrunk.expect("delay");
}

TEST(ProtocolRules, b_transport_ends_with_a_status) {
  Wire wire;
  auto& payload = wire.payload();
  wire.rules.before_b(payload);
  wire.rules.after_b(payload);
  wire.expect("final_status");
}

class CallsFromMethod : public sc_core::sc_module {
 public:
  explicit CallsFromMethod(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_HAS_PROCESS(CallsFromMethod);
    SC_METHOD(run);
  }
  Wire wire;

 private:
  void run() { wire.rules.before_b(wire.payload()); }
};

TEST(ProtocolRules, b_transport_from_a_method) {
  CallsFromMethod caller("caller");
  sc_core::sc_start();
  caller.wire.expect("thread");
}

}  // namespace
}  // namespace weft::mem::test
