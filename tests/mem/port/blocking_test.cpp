// SPDX-License-Identifier: Apache-2.0
// b_transport: at which edge a call is seen, in which order, when it returns.
#include <gtest/gtest.h>

#include "tests/mem/support/bench.h"
#include "tests/mem/support/fixed_controller.h"

namespace weft::mem::test {
namespace {

using sc_core::sc_time;

void call(PlainInitiator<>& initiator, tlm::tlm_command command, std::uint64_t address, std::uint32_t& value,
          sc_time delay = sc_core::SC_ZERO_TIME) {
  tlm::tlm_generic_payload payload;
  set_access(payload, command, address, reinterpret_cast<unsigned char*>(&value), 4);
  initiator.socket->b_transport(payload, delay);
  EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
}

TEST(BlockingTransport, writes_and_reads_back) {
  set_time_resolution();
  FixedController controller(5);
  PortBench<> bench(controller, 1);
  bench.thread([&] {
    std::uint32_t value = 0xCAFE1234;
    call(bench.initiator(0), tlm::TLM_WRITE_COMMAND, 4094, value);  // across two pages of the storage
    EXPECT_EQ(present(), 1U + 5U);                                  // seen at edge 1
    std::uint32_t read = 0;
    call(bench.initiator(0), tlm::TLM_READ_COMMAND, 4094, read);
    EXPECT_EQ(read, value);
    EXPECT_EQ(present(), 7U + 5U);
    call(bench.initiator(0), tlm::TLM_READ_COMMAND, 4096, read);
    EXPECT_EQ(read, 0xCAFEU);
  });
  bench.run();
  EXPECT_EQ(bench.storage.pages(), 2U);
}

}  // namespace
}  // namespace weft::mem::test
