// SPDX-License-Identifier: Apache-2.0
// Attributes of the generic payload, every error response, and the reason of a refusal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "mem/port/refusal.h"
#include "tests/mem/support/bench.h"
#include "tests/mem/support/fixed_controller.h"

namespace weft::mem::test {
namespace {

using sc_core::sc_time;
using tlm::tlm_generic_payload;

constexpr std::uint64_t kSize = 1 << 16;

/// One initiator, one thread: `body` gets a function that sends a payload and returns its status.
void with_port(const std::function<void(PortBench<>&, FixedController&)>& body, AccessCheck* access_check = nullptr,
               PortOptions options = {}) {
  set_time_resolution();
  FixedController controller(4, kSize);
  PortBench<> bench(controller, 1, options, access_check);
  bench.thread([&] { body(bench, controller); });
  bench.run();
}

tlm::tlm_response_status send(PortBench<>& bench, tlm_generic_payload& payload) {
  sc_time delay = ns(2);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  bench.initiator(0).socket->b_transport(payload, delay);
  EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
  return payload.get_response_status();
}

std::vector<unsigned char> counted(std::size_t n, unsigned char first = 1) {
  std::vector<unsigned char> bytes(n);
  std::iota(bytes.begin(), bytes.end(), first);
  return bytes;
}

std::vector<unsigned char> stored(PortBench<>& bench, std::uint64_t address, std::size_t n) {
  std::vector<unsigned char> bytes(n);
  bench.storage.read(address, bytes.data(), n);
  return bytes;
}

TEST(PayloadRules, byte_enables_choose_bytes_of_writes) {
  with_port([](PortBench<>& bench, FixedController&) {
    auto data = counted(7);
    unsigned char enables[] = {0xFF, 0x00, 0xFF};  // shorter than the data: they repeat
    tlm_generic_payload payload;
    set_access(payload, tlm::TLM_WRITE_COMMAND, 10, data.data(), 7);
    payload.set_byte_enable_ptr(enables);
    payload.set_byte_enable_length(3);
    EXPECT_EQ(send(bench, payload), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(stored(bench, 9, 9), (std::vector<unsigned char>{0, 1, 0, 3, 4, 0, 6, 7, 0}));
  });
}

TEST(PayloadRules, byte_enables_choose_bytes_of_reads) {
  with_port([](PortBench<>& bench, FixedController&) {
    const auto memory = counted(4, 0x11);
    bench.storage.write(0, memory.data(), 4);
    std::vector<unsigned char> data(4, 0xEE);
    unsigned char enables[] = {0x00, 0xFF, 0xFF, 0x00};
    tlm_generic_payload payload;
    set_access(payload, tlm::TLM_READ_COMMAND, 0, data.data(), 4);
    payload.set_byte_enable_ptr(enables);
    payload.set_byte_enable_length(4);
    EXPECT_EQ(send(bench, payload), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(data, (std::vector<unsigned char>{0xEE, 0x12, 0x13, 0xEE}));
  });
}

TEST(PayloadRules, wrong_byte_enables_bad) {
  with_port([](PortBench<>& bench, FixedController& controller) {
    auto data = counted(4);
    unsigned char enables[] = {0xFF, 0x01, 0xFF, 0xFF};
    tlm_generic_payload payload;
    set_access(payload, tlm::TLM_WRITE_COMMAND, 0, data.data(), 4);
    payload.set_byte_enable_ptr(enables);
    payload.set_byte_enable_length(4);
    EXPECT_EQ(send(bench, payload), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    payload.set_byte_enable_length(0);
    EXPECT_EQ(send(bench, payload), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    EXPECT_TRUE(controller.taken.empty());
    EXPECT_EQ(bench.storage.pages(), 0U);
    EXPECT_EQ(bench.port.core.figures().malformed, 2U);
  });
}

// Ten bytes through a window of four: the last ones win; three passes over four bytes.
TEST(PayloadRules, a_streaming_width_starts_again_at_the_same_address) {
  with_port([](PortBench<>& bench, FixedController& controller) {
    auto data = counted(10);
    tlm_generic_payload payload;
    set_access(payload, tlm::TLM_WRITE_COMMAND, 100, data.data(), 10);
    payload.set_streaming_width(4);
    EXPECT_EQ(send(bench, payload), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(stored(bench, 100, 6), (std::vector<unsigned char>{9, 10, 7, 8, 0, 0}));
    EXPECT_EQ(controller.taken[0].bytes, 4U);
    EXPECT_EQ(controller.taken[0].passes, 3U);
    std::vector<unsigned char> read(10);
    set_access(payload, tlm::TLM_READ_COMMAND, 100, read.data(), 10);
    payload.set_streaming_width(4);
    EXPECT_EQ(send(bench, payload), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(read, (std::vector<unsigned char>{9, 10, 7, 8, 9, 10, 7, 8, 9, 10}));
    // A width above the length changes nothing, and only the window has to lie in the memory.
    set_access(payload, tlm::TLM_WRITE_COMMAND, kSize - 4, data.data(), 10);
    payload.set_streaming_width(4);
    EXPECT_EQ(send(bench, payload), tlm::TLM_OK_RESPONSE);
    set_access(payload, tlm::TLM_READ_COMMAND, kSize - 4, read.data(), 4);
    payload.set_streaming_width(100);
    EXPECT_EQ(send(bench, payload), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(controller.taken[3].bytes, 4U);
    EXPECT_EQ(controller.taken[3].passes, 1U);
  });
}

TEST(PayloadRules, zero_length_and_zero_width_bad) {
  with_port([](PortBench<>& bench, FixedController& controller) {
    auto data = counted(4);
    tlm_generic_payload payload;
    set_access(payload, tlm::TLM_READ_COMMAND, 0, data.data(), 0);
    EXPECT_EQ(send(bench, payload), tlm::TLM_BURST_ERROR_RESPONSE);
    set_access(payload, tlm::TLM_WRITE_COMMAND, 0, data.data(), 4);
    payload.set_streaming_width(0);
    EXPECT_EQ(send(bench, payload), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_TRUE(controller.taken.empty());
  });
}

TEST(PayloadRules, no_data_bad) {
  with_port([](PortBench<>& bench, FixedController&) {
    tlm_generic_payload payload;
    set_access(payload, tlm::TLM_READ_COMMAND, 0, nullptr, 4);
    EXPECT_EQ(send(bench, payload), tlm::TLM_GENERIC_ERROR_RESPONSE);
  });
}

TEST(PayloadRules, ignore_moves_nothing_and_succeeds) {
  with_port([](PortBench<>& bench, FixedController& controller) {
    auto data = counted(4);
    tlm_generic_payload payload;
    set_access(payload, tlm::TLM_IGNORE_COMMAND, kSize + 5, data.data(), 4);
    EXPECT_EQ(send(bench, payload), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(present(), 3U);  // the edge strictly after 0 + 2 ns
    payload.set_data_length(0);
    payload.set_data_ptr(nullptr);
    EXPECT_EQ(send(bench, payload), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(data, counted(4));
    EXPECT_TRUE(controller.taken.empty());
    EXPECT_EQ(bench.port.core.figures().ignored, 2U);
  });
}

TEST(PayloadRules, addresses_outside_bad) {
  with_port([](PortBench<>& bench, FixedController& controller) {
    auto data = counted(4);
    tlm_generic_payload payload;
    for (const std::uint64_t address : {kSize, kSize - 3, ~std::uint64_t{0}, ~std::uint64_t{0} - 3}) {
      set_access(payload, tlm::TLM_WRITE_COMMAND, address, data.data(), 4);
      EXPECT_EQ(send(bench, payload), tlm::TLM_ADDRESS_ERROR_RESPONSE) << address;
    }
    set_access(payload, tlm::TLM_WRITE_COMMAND, kSize - 4, data.data(), 4);
    EXPECT_EQ(send(bench, payload), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(controller.taken.size(), 1U);
    EXPECT_EQ(bench.port.core.figures().malformed, 4U);
  });
}

/// Refuses writes, and everything from 0x8000 on; shifts the rest by a page. Accesses take 3 cycles more on their way
/// in and 2 on their way back.
class ReadOnlyCheck final : public AccessCheck {
 public:
  Verdict judge(const Request& request, Cycle now) override {
    judged.emplace_back(request.id, now);
    return judge_debug(request);
  }
  void finished(const Request& request, Cycle now) override { ended.emplace_back(request.id, now); }
  Verdict judge_debug(const Request& request) override {
    Verdict verdict;
    verdict.latency = 3;
    verdict.return_latency = 2;
    verdict.physical = request.address + 4096;
    if (request.address >= 0x8000) {
      verdict.allowed = false;
      verdict.reason = Reason::kOutside;
      verdict.text = "there is nothing";
    } else if (request.command == Command::kWrite) {
      verdict.allowed = false;
      verdict.reason = Reason::kReadOnly;
      verdict.text = "initiator 0 may not write";
    }
    return verdict;
  }
  DmiRange dmi_range(const Request& request) override {
    if (request.address >= 0x8000) return {};
    return {true, false, 0, 0x7FFF, 4096};
  }
  std::vector<std::pair<std::uint64_t, Cycle>> judged;
  std::vector<std::pair<std::uint64_t, Cycle>> ended;
};

TEST(Refusal, comes_back_as_a_command_error_with_its_reason) {
  ReadOnlyCheck access_check;
  with_port(
      [&](PortBench<>& bench, FixedController& controller) {
        auto data = counted(4);
        tlm_generic_payload payload;
        set_access(payload, tlm::TLM_WRITE_COMMAND, 64, data.data(), 4);
        EXPECT_EQ(send(bench, payload), tlm::TLM_COMMAND_ERROR_RESPONSE);
        EXPECT_EQ(present(), 3U + 3U);  // judged at edge 3, refused 3 cycles later
        const Refusal* refusal = Refusal::of(payload);
        ASSERT_NE(refusal, nullptr);
        EXPECT_EQ(refusal->reason, Reason::kReadOnly);
        EXPECT_EQ(refusal->text, "initiator 0 may not write");
        EXPECT_EQ(bench.storage.pages(), 0U);
        // The same payload again, allowed: nothing of the refusal is left. Data come from the address that the access
        // check gave.
        const auto memory = counted(4, 0x21);
        bench.storage.write(4096 + 64, memory.data(), 4);
        set_access(payload, tlm::TLM_READ_COMMAND, 64, data.data(), 4);
        const Cycle called = present();
        EXPECT_EQ(send(bench, payload), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(present(), called + 2 + 1 + 3 + 4 + 2);  // delay, next edge, gate, controller, gate
        EXPECT_EQ(Refusal::of(payload), nullptr);
        EXPECT_EQ(data, memory);
        EXPECT_EQ(controller.taken.size(), 1U);
        EXPECT_EQ(controller.refused, (std::vector<std::uint64_t>{64}));
        EXPECT_EQ(bench.port.core.figures().refused, 1U);
        EXPECT_EQ(bench.port.core.figures().accepted, 1U);
      },
      &access_check);
  EXPECT_EQ(access_check.judged, (std::vector<std::pair<std::uint64_t, Cycle>>{{0, 3}, {1, 9}}));
  EXPECT_EQ(access_check.ended, (std::vector<std::pair<std::uint64_t, Cycle>>{{1, 9 + 3 + 4 + 2}}));
}

TEST(Refusal, outside_every_region_is_an_address_error) {
  ReadOnlyCheck access_check;
  with_port(
      [&](PortBench<>& bench, FixedController&) {
        auto data = counted(4);
        Refusal own;  // an initiator may bring its own; the target writes to it
        tlm_generic_payload payload;
        payload.set_extension(&own);
        set_access(payload, tlm::TLM_READ_COMMAND, 0x8000, data.data(), 4);
        EXPECT_EQ(send(bench, payload), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(own.reason, Reason::kOutside);
        EXPECT_EQ(own.text, "there is nothing");
        payload.clear_extension(&own);
      },
      &access_check);
}

TEST(Debug, moves_what_the_gate_allows) {
  ReadOnlyCheck access_check;
  with_port(
      [&](PortBench<>& bench, FixedController& controller) {
        auto memory = counted(8, 0x31);
        bench.storage.write(4096 + 8, memory.data(), 8);
        std::vector<unsigned char> data(8);
        tlm_generic_payload payload;
        set_access(payload, tlm::TLM_READ_COMMAND, 8, data.data(), 8);
        EXPECT_EQ(bench.initiator(0).socket->transport_dbg(payload), 8U);
        EXPECT_EQ(data, memory);
        payload.set_command(tlm::TLM_WRITE_COMMAND);
        EXPECT_EQ(bench.initiator(0).socket->transport_dbg(payload), 0U);
        payload.set_command(tlm::TLM_IGNORE_COMMAND);
        EXPECT_EQ(bench.initiator(0).socket->transport_dbg(payload), 0U);
        payload.set_command(tlm::TLM_READ_COMMAND);
        payload.set_address(kSize);
        EXPECT_EQ(bench.initiator(0).socket->transport_dbg(payload), 0U);
        EXPECT_EQ(present(), 0U);
        EXPECT_TRUE(controller.taken.empty());
        set_access(payload, tlm::TLM_READ_COMMAND, 8, data.data(), 8);
        send(bench, payload);  // the checker wants to see a transaction
      },
      &access_check);
}

TEST(Debug, debug_all_does_not_ask) {
  ReadOnlyCheck access_check;
  PortOptions options;
  options.debug_all = true;
  with_port(
      [&](PortBench<>& bench, FixedController&) {
        auto data = counted(8, 0x41);
        tlm_generic_payload payload;
        set_access(payload, tlm::TLM_WRITE_COMMAND, 0, data.data(), 8);
        EXPECT_EQ(bench.initiator(0).socket->transport_dbg(payload), 8U);
        EXPECT_EQ(stored(bench, 4096, 8), data);
        set_access(payload, tlm::TLM_READ_COMMAND, 8, data.data(), 8);
        send(bench, payload);
      },
      &access_check, options);
}

// Only what lies in the memory is moved: the end cuts.
TEST(Debug, is_cut_at_the_end_of_the_memory) {
  with_port([&](PortBench<>& bench, FixedController&) {
    auto data = counted(8);
    tlm_generic_payload payload;
    set_access(payload, tlm::TLM_WRITE_COMMAND, kSize - 3, data.data(), 8);
    EXPECT_EQ(bench.initiator(0).socket->transport_dbg(payload), 3U);
    EXPECT_EQ(stored(bench, kSize - 3, 3), counted(3));
    set_access(payload, tlm::TLM_READ_COMMAND, 8, data.data(), 8);
    send(bench, payload);
  });
}

// What an access before the present edge wrote is seen, though the memory slept since.
TEST(Debug, sees_accesses_accepted_before) {
  with_port([&](PortBench<>& bench, FixedController&) {
    bench.thread([&bench] {
      auto data = counted(4);
      tlm_generic_payload payload;
      set_access(payload, tlm::TLM_WRITE_COMMAND, 0, data.data(), 4);
      send(bench, payload);  // accepted at edge 3, served at 7
    });
    std::vector<unsigned char> seen(4);
    tlm_generic_payload debug;
    sc_core::wait(ns(2.5));
    set_access(debug, tlm::TLM_READ_COMMAND, 0, seen.data(), 4);
    EXPECT_EQ(bench.initiator(0).socket->transport_dbg(debug), 4U);
    EXPECT_EQ(seen, std::vector<unsigned char>(4, 0));
    sc_core::wait(ns(1));
    EXPECT_EQ(bench.initiator(0).socket->transport_dbg(debug), 4U);
    EXPECT_EQ(seen, counted(4));
  });
}

TEST(Dmi, is_refused_unless_asked_for) {
  with_port([&](PortBench<>& bench, FixedController&) {
    auto data = counted(4);
    tlm_generic_payload payload;
    tlm::tlm_dmi dmi;
    set_access(payload, tlm::TLM_READ_COMMAND, 0, data.data(), 4);
    EXPECT_FALSE(bench.initiator(0).socket->get_direct_mem_ptr(payload, dmi));
    EXPECT_EQ(dmi.get_start_address(), 0U);
    EXPECT_EQ(dmi.get_end_address(), ~sc_dt::uint64{0});
    EXPECT_EQ(send(bench, payload), tlm::TLM_OK_RESPONSE);
    EXPECT_FALSE(payload.is_dmi_allowed());
  });
}

TEST(Dmi, reaches_over_the_page_as_far_as_the_gate_allows) {
  ReadOnlyCheck access_check;
  PortOptions options;
  options.dmi = true;
  with_port(
      [&](PortBench<>& bench, FixedController&) {
        auto data = counted(4);
        tlm_generic_payload payload;
        tlm::tlm_dmi dmi;
        set_access(payload, tlm::TLM_READ_COMMAND, 4096 + 100, data.data(), 4);
        ASSERT_TRUE(bench.initiator(0).socket->get_direct_mem_ptr(payload, dmi));
        EXPECT_EQ(dmi.get_start_address(), 4096U);
        EXPECT_EQ(dmi.get_end_address(), 8191U);
        EXPECT_TRUE(dmi.is_read_allowed());
        EXPECT_FALSE(dmi.is_write_allowed());
        bench.storage.write(8192 + 100, data.data(), 4);  // the access check shifts by a page
        EXPECT_EQ(dmi.get_dmi_ptr()[100], 1);
        EXPECT_EQ(dmi.get_dmi_ptr()[103], 4);
        payload.set_command(tlm::TLM_WRITE_COMMAND);
        EXPECT_FALSE(bench.initiator(0).socket->get_direct_mem_ptr(payload, dmi));
        payload.set_command(tlm::TLM_READ_COMMAND);
        payload.set_address(0x8000);
        EXPECT_FALSE(bench.initiator(0).socket->get_direct_mem_ptr(payload, dmi));
        payload.set_address(kSize);
        EXPECT_FALSE(bench.initiator(0).socket->get_direct_mem_ptr(payload, dmi));
        EXPECT_EQ(bench.port.core.figures().dmi_granted, 1U);
        set_access(payload, tlm::TLM_READ_COMMAND, 0, data.data(), 4);
        EXPECT_EQ(send(bench, payload), tlm::TLM_OK_RESPONSE);
        EXPECT_TRUE(payload.is_dmi_allowed());
        bench.port.core.invalidate_dmi(4096, 8191);
        EXPECT_EQ(bench.initiator(0).invalidated, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{4096, 8191}}));
      },
      &access_check, options);
}

}  // namespace
}  // namespace weft::mem::test
