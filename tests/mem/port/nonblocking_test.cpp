// SPDX-License-Identifier: Apache-2.0
// nb_transport: phases, exclusion, early completion, memory management, and what breaks the protocol.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "mem/port/refusal.h"
#include "tests/mem/support/bench.h"
#include "tests/mem/support/fixed_controller.h"

namespace weft::mem::test {
namespace {

using sc_core::sc_time;
using testing::ElementsAre;
using testing::HasSubstr;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

/// What one initiator saw, in order: "END_REQ 5", "BEGIN_RESP 9 +2" (with a delay).
class Recorder {
 public:
  explicit Recorder(PlainInitiator<>& initiator) : initiator_(initiator) {
    initiator.on_backward = [this](tlm_generic_payload& payload, tlm_phase& phase, sc_time& delay) {
      note(phase.get_name(), delay);
      if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
      statuses.push_back(payload.get_response_status());
      const tlm_sync_enum answer = on_response(payload, phase, delay);
      if (answer != tlm::TLM_ACCEPTED) payload.release();
      return answer;
    };
  }
  /// Sends BEGIN_REQ with a payload of the pool.
  tlm_sync_enum begin(tlm::tlm_command command, std::uint64_t address, const sc_time& delay = sc_core::SC_ZERO_TIME) {
    tlm_generic_payload& payload = pool.take();
    set_access(payload, command, address, data, 4);
    return begin(payload, delay);
  }
  tlm_sync_enum begin(tlm_generic_payload& payload, sc_time delay) {
    tlm_phase phase = tlm::BEGIN_REQ;
    const sc_time sent = delay;
    const tlm_sync_enum answer = initiator_.socket->nb_transport_fw(payload, phase, delay);
    EXPECT_EQ(delay, sent);
    if (answer == tlm::TLM_UPDATED) note("returned " + std::string(phase.get_name()), delay);
    if (answer == tlm::TLM_ACCEPTED) note("accepted", sc_core::SC_ZERO_TIME);
    if (answer == tlm::TLM_COMPLETED) {
      note("completed", sc_core::SC_ZERO_TIME);
      statuses.push_back(payload.get_response_status());
      payload.release();
    }
    return answer;
  }
  void end(tlm_generic_payload& payload, sc_time delay = sc_core::SC_ZERO_TIME) {
    tlm_phase phase = tlm::END_RESP;
    EXPECT_EQ(initiator_.socket->nb_transport_fw(payload, phase, delay), tlm::TLM_COMPLETED);
    payload.release();
  }
  void note(const std::string& what, const sc_time& delay) {
    std::string text = what + " " + std::to_string(present());
    if (delay != sc_core::SC_ZERO_TIME) text += " +" + std::to_string(delay.value() / 1'000'000);
    seen.push_back(text);
  }

  std::function<tlm_sync_enum(tlm_generic_payload&, tlm_phase&, sc_time&)> on_response = [](auto&, auto&, auto&) {
    return tlm::TLM_COMPLETED;
  };
  PayloadPool pool;
  unsigned char data[8] = {1, 2, 3, 4};
  std::vector<std::string> seen;
  std::vector<tlm::tlm_response_status> statuses;

 private:
  PlainInitiator<>& initiator_;
};

TEST(NonBlocking, request_and_response) {
  set_time_resolution();
  FixedController controller(5);
  PortBench<> bench(controller, 1);
  Recorder recorder(bench.initiator(0));
  bench.thread([&] {
    sc_core::wait(ns(10));
    EXPECT_EQ(recorder.begin(tlm::TLM_WRITE_COMMAND, 64, ns(2)), tlm::TLM_UPDATED);
  });
  bench.run();
  EXPECT_THAT(recorder.seen, ElementsAre("returned END_REQ 10 +2", "BEGIN_RESP 18"));  // seen at 13
  EXPECT_THAT(recorder.statuses, ElementsAre(tlm::TLM_OK_RESPONSE));
  EXPECT_EQ(recorder.pool.out, 0);
}

// Malformed requests are answered at once; the payload is not kept.
TEST(NonBlocking, malformed_requests_complete_early) {
  set_time_resolution();
  FixedController controller(5);
  PortBench<> bench(controller, 1);
  Recorder recorder(bench.initiator(0));
  bench.thread([&] { EXPECT_EQ(recorder.begin(tlm::TLM_READ_COMMAND, ~std::uint64_t{0}), tlm::TLM_COMPLETED); });
  bench.run();
  EXPECT_THAT(recorder.statuses, ElementsAre(tlm::TLM_ADDRESS_ERROR_RESPONSE));
  EXPECT_EQ(recorder.pool.out, 0);
  EXPECT_TRUE(controller.taken.empty());
}

// The response of one request must end before the next one begins: the first END_RESP comes 20 ns later.
TEST(NonBlocking, responses_wait_for_the_end_of_the_one_before) {
  set_time_resolution();
  FixedController controller(5);
  PortBench<> bench(controller, 1);
  Recorder recorder(bench.initiator(0));
  std::vector<tlm_generic_payload*> ending;
  recorder.on_response = [&](tlm_generic_payload& payload, auto&, auto&) {
    ending.push_back(&payload);
    return tlm::TLM_ACCEPTED;
  };
  bench.thread([&] {
    recorder.begin(tlm::TLM_WRITE_COMMAND, 0);
    recorder.begin(tlm::TLM_WRITE_COMMAND, 64);
    sc_core::wait(ns(26));
    ASSERT_EQ(ending.size(), 1U);
    recorder.end(*ending[0]);  // at 26
    sc_core::wait(ns(4));
    ASSERT_EQ(ending.size(), 2U);
    recorder.end(*ending[1], ns(3));
  });
  bench.run();
  EXPECT_THAT(recorder.seen, ElementsAre("returned END_REQ 0", "returned END_REQ 0", "BEGIN_RESP 6", "BEGIN_RESP 27"));
  EXPECT_EQ(recorder.pool.out, 0);
}

// An initiator that answers BEGIN_RESP with END_RESP after 10 ns: the next response comes at the edge after that.
TEST(NonBlocking, a_response_may_be_ended_on_the_return_path) {
  set_time_resolution();
  FixedController controller(5);
  PortBench<> bench(controller, 1);
  Recorder recorder(bench.initiator(0));
  recorder.on_response = [](auto&, tlm_phase& phase, sc_time& delay) {
    phase = tlm::END_RESP;
    delay += ns(10);
    return tlm::TLM_UPDATED;
  };
  bench.thread([&] {
    recorder.begin(tlm::TLM_WRITE_COMMAND, 0);
    recorder.begin(tlm::TLM_WRITE_COMMAND, 64);
  });
  bench.run();
  EXPECT_THAT(recorder.seen, ElementsAre("returned END_REQ 0", "returned END_REQ 0", "BEGIN_RESP 6", "BEGIN_RESP 17"));
}

// Two may be under way. The third one's END_REQ comes with the first response, at 6; it is seen at 7 and served at 12.
TEST(NonBlocking, more_requests_than_may_be_under_way_wait_for_end_req) {
  set_time_resolution();
  FixedController controller(5);
  PortOptions options;
  options.outstanding = 2;
  PortBench<> bench(controller, 1, options);
  Recorder recorder(bench.initiator(0));
  bench.thread([&] {
    recorder.begin(tlm::TLM_WRITE_COMMAND, 0);
    recorder.begin(tlm::TLM_WRITE_COMMAND, 64);
    EXPECT_EQ(recorder.begin(tlm::TLM_WRITE_COMMAND, 128), tlm::TLM_ACCEPTED);
  });
  bench.run();
  EXPECT_THAT(recorder.seen, ElementsAre("returned END_REQ 0", "returned END_REQ 0", "accepted 0", "BEGIN_RESP 6",
                                         "BEGIN_RESP 6", "END_REQ 6", "BEGIN_RESP 12"));
  EXPECT_EQ(recorder.pool.out, 0);
}

// One slot, responses ended by END_RESP: the next request of the same instant, before or after it, is seen at one edge.
TEST(NonBlocking, a_slot_returned_within_an_instant_counts_the_same_in_every_order) {
  set_time_resolution();
  FixedController controller(5);
  PortOptions options;
  options.outstanding = 1;
  PortBench<> bench(controller, 2, options);
  Recorder first(bench.initiator(0));
  Recorder second(bench.initiator(1));
  for (Recorder* recorder : {&first, &second}) {
    recorder->on_response = [&bench, recorder, &first](tlm_generic_payload& payload, auto&, auto&) {
      bench.thread([recorder, &payload, early = recorder == &first] {
        sc_core::wait(ns(10) - sc_core::sc_time_stamp());
        if (early) {
          recorder->end(payload);
        } else {
          sc_core::wait(sc_core::SC_ZERO_TIME);
          sc_core::wait(sc_core::SC_ZERO_TIME);
          recorder->end(payload);
        }
      });
      return present() < 10 ? tlm::TLM_ACCEPTED : tlm::TLM_COMPLETED;
    };
    bench.thread([recorder] {
      recorder->begin(tlm::TLM_WRITE_COMMAND, 0);
      sc_core::wait(ns(10) - sc_core::sc_time_stamp());
      sc_core::wait(sc_core::SC_ZERO_TIME);
      recorder->begin(tlm::TLM_WRITE_COMMAND, 64);
    });
  }
  // The last response is completed at once; the thread spawned for it must not end it again.
  first.on_response = [&, old = first.on_response](auto& payload, auto& phase, auto& delay) {
    return present() > 10 ? tlm::TLM_COMPLETED : old(payload, phase, delay);
  };
  second.on_response = [&, old = second.on_response](auto& payload, auto& phase, auto& delay) {
    return present() > 10 ? tlm::TLM_COMPLETED : old(payload, phase, delay);
  };
  bench.run();
  ASSERT_EQ(controller.taken.size(), 4U);
  EXPECT_EQ(controller.taken[2].at, controller.taken[3].at);
  EXPECT_EQ(controller.taken[2].at, 12U);  // the slot is back from edge 11 on
}

// Both kinds of calls of several initiators, at random; everything ends, payloads come back, times are in order.
TEST(NonBlocking, mixed_traffic_keeps_the_protocol) {
  set_time_resolution();
  FixedController controller(9);
  PortOptions options;
  options.outstanding = 3;
  PortBench<> bench(controller, 4, options);
  std::vector<std::unique_ptr<Recorder>> recorders;
  for (int i = 0; i < 4; ++i) {
    recorders.push_back(std::make_unique<Recorder>(bench.initiator(i)));
    Recorder* recorder = recorders.back().get();
    if (i == 1) {
      recorder->on_response = [&bench, recorder](tlm_generic_payload& payload, auto&, auto&) {
        bench.thread([recorder, &payload] {
          sc_core::wait(ns(2.7));
          recorder->end(payload, ns(0.6));
        });
        return tlm::TLM_ACCEPTED;
      };
    }
    bench.thread([&bench, recorder, i] {
      for (int k = 0; k < 200; ++k) {
        if (i == 3) {
          tlm_generic_payload payload;
          set_access(payload, tlm::TLM_READ_COMMAND, 64, recorder->data, 4);
          sc_time delay = ns(0.5);
          bench.initiator(3).socket->b_transport(payload, delay);
        } else if (recorder->begin(tlm::TLM_WRITE_COMMAND, 64 * static_cast<std::uint64_t>(k)) == tlm::TLM_ACCEPTED) {
          const std::size_t before = recorder->seen.size();
          while (std::find_if(recorder->seen.begin() + static_cast<std::ptrdiff_t>(before), recorder->seen.end(),
                              [](const std::string& s) { return s.find("END_REQ") == 0; }) == recorder->seen.end())
            sc_core::wait(ns(1));
        }
        sc_core::wait(ns(0.9 * (k % 4)));
      }
    });
  }
  bench.run();
  EXPECT_EQ(controller.taken.size(), 800U);
  for (const auto& recorder : recorders) EXPECT_EQ(recorder->pool.out, 0);
  for (std::size_t i = 1; i < controller.taken.size(); ++i)
    EXPECT_LE(controller.taken[i - 1].at, controller.taken[i].at);
}

// With early responses the call comes when the edge is known, with the rest of the time as delay; the edge is the same.
TEST(NonBlocking, early_responses_carry_the_time_that_is_left) {
  set_time_resolution();
  FixedController controller(5);
  PortOptions options;
  options.early_responses = true;
  PortBench<> bench(controller, 1, options);
  Recorder recorder(bench.initiator(0));
  std::vector<Cycle> ends;
  recorder.on_response = [&](auto&, auto&, const sc_time& delay) {
    ends.push_back((sc_core::sc_time_stamp() + delay).value() / 1'000'000);
    return tlm::TLM_COMPLETED;
  };
  bench.thread([&] {
    recorder.begin(tlm::TLM_READ_COMMAND, 0);
    recorder.begin(tlm::TLM_READ_COMMAND, 64, ns(3));
  });
  bench.run();
  EXPECT_THAT(ends, ElementsAre(6, 9));
  // Looked at by edge 1 + 5 at the latest, when the other one, seen at 4, is known, too.
  EXPECT_THAT(recorder.seen,
              ElementsAre("returned END_REQ 0", "returned END_REQ 0 +3", "BEGIN_RESP 6", "BEGIN_RESP 6 +3"));
}

/// Refuses everything.
class ClosedAccess final : public AccessCheck {
 public:
  Verdict judge(const Request& request, Cycle /*now*/) override { return judge_debug(request); }
  Verdict judge_debug(const Request& /*request*/) override {
    Verdict verdict;
    verdict.allowed = false;
    verdict.reason = Reason::kNotGranted;
    verdict.text = "no grant";
    return verdict;
  }
  DmiRange dmi_range(const Request& /*request*/) override { return {}; }
};

TEST(NonBlocking, refusals_come_with_the_response) {
  set_time_resolution();
  FixedController controller(5);
  ClosedAccess access_check;
  PortBench<> bench(controller, 1, {}, &access_check);
  Recorder recorder(bench.initiator(0));
  recorder.on_response = [](tlm_generic_payload& payload, auto&, auto&) {
    EXPECT_NE(Refusal::of(payload), nullptr);
    return tlm::TLM_COMPLETED;
  };
  bench.thread([&] { recorder.begin(tlm::TLM_WRITE_COMMAND, 0); });
  bench.run();
  EXPECT_THAT(recorder.seen, ElementsAre("returned END_REQ 0", "BEGIN_RESP 1"));
  EXPECT_THAT(recorder.statuses, ElementsAre(tlm::TLM_COMMAND_ERROR_RESPONSE));
  tlm_generic_payload& again = recorder.pool.take();
  EXPECT_EQ(again.get_extension<Refusal>(), nullptr);  // it went with the reset
  again.release();
}

/// The sentence of the violation that `body` commits against a port with one slot.
std::string violation_of(const std::function<void(Recorder&, PlainInitiator<>&)>& body) {
  set_time_resolution();
  FixedController controller(5);
  PortOptions options;
  options.outstanding = 1;
  PortBench<> bench(controller, 1, options);
  Recorder recorder(bench.initiator(0));
  std::string sentence;
  bench.thread([&] {
    try {
      body(recorder, bench.initiator(0));
    } catch (const ViolationError& error) {
      sentence = error.what();
    }
    sc_core::sc_stop();
  });
  sc_core::sc_start();
  return sentence;
}

TEST(NonBlocking, begin_req_before_end_req_bad) {
  EXPECT_EQ(violation_of([](Recorder& recorder, auto&) {
              for (int i = 0; i < 3; ++i) recorder.begin(tlm::TLM_READ_COMMAND, 0);
            }),
            "port: initiator 0 sends BEGIN_REQ before the END_REQ of the request before");
}

TEST(NonBlocking, payload_without_memory_manager_bad) {
  EXPECT_THAT(violation_of([](Recorder& recorder, auto&) {
                tlm_generic_payload payload;
                set_access(payload, tlm::TLM_READ_COMMAND, 0, recorder.data, 4);
                recorder.begin(payload, ns(0));
              }),
              HasSubstr("no memory manager"));
}

TEST(NonBlocking, end_resp_without_response_bad) {
  EXPECT_THAT(violation_of([](Recorder& recorder, auto&) { recorder.end(recorder.pool.take()); }),
              HasSubstr("END_RESP for a transaction that has no response under way"));
}

TEST(NonBlocking, phases_of_targets_bad) {
  EXPECT_EQ(violation_of([](Recorder& recorder, PlainInitiator<>& initiator) {
              tlm_phase phase = tlm::BEGIN_RESP;
              sc_time delay;
              initiator.socket->nb_transport_fw(recorder.pool.take(), phase, delay);
            }),
            "port: initiator 0 sends BEGIN_RESP, a phase of targets");
}

DECLARE_EXTENDED_PHASE(HINT_OF_A_TEST);

TEST(NonBlocking, phases_of_extensions_are_ignored) {
  EXPECT_EQ(violation_of([](Recorder& recorder, PlainInitiator<>& initiator) {
              tlm_phase phase = HINT_OF_A_TEST;
              sc_time delay;
              EXPECT_EQ(initiator.socket->nb_transport_fw(recorder.pool.take(), phase, delay), tlm::TLM_ACCEPTED);
            }),
            "");
}

}  // namespace
}  // namespace weft::mem::test
