// SPDX-License-Identifier: Apache-2.0
// A look at the state of network interfaces sees what a message carries.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "base/state_form.h"
#include "npu/interface/message_interfaces.h"
#include "npu/interface/payload_holder.h"

namespace weft::npu {
namespace {

using Pass = StateForm::Pass;

/// Whether what `put` gives passes all three looks, the last of which is told that it is the third.
bool passes_looks(const std::function<void(StateForm&, bool)>& put) {
  StateForm form;
  form.set_rules(nullptr, put_payload);
  for (const Pass pass : {Pass::kFirst, Pass::kSecond, Pass::kThird}) {
    form.begin(pass, 0, 1);
    put(form, pass == Pass::kThird);
    if (const bool good = form.end(); pass == Pass::kThird) return good;
  }
  return false;
}

bool payloads_are_alike(const PayloadHolder& usual, const PayloadHolder& third) {
  return passes_looks([&](StateForm& form, bool is_third) { put_payload(form, is_third ? third : usual); });
}

PayloadHolder holder_of(Payload bytes, std::uint64_t first = 0) {
  return {std::make_shared<Payload>(std::move(bytes)), 1, first};
}

TEST(PayloadForm, each_byte_and_the_place_of_the_first_one_are_looked_at) {
  const PayloadHolder usual = holder_of({1, 2, 3});
  EXPECT_TRUE(payloads_are_alike(usual, holder_of({1, 2, 3})));
  EXPECT_FALSE(payloads_are_alike(usual, holder_of({0, 2, 3})));
  EXPECT_FALSE(payloads_are_alike(usual, holder_of({1, 0, 3})));
  EXPECT_FALSE(payloads_are_alike(usual, holder_of({1, 2, 0})));
  EXPECT_FALSE(payloads_are_alike(usual, holder_of({1, 2}))) << "a byte less";
  EXPECT_FALSE(payloads_are_alike(usual, holder_of({1, 2, 3}, 64))) << "a later part of the message";
}

// The bytes behind the number of them could be those of another word, too.
TEST(PayloadForm, the_number_of_bytes_is_looked_at) {
  const auto two_payloads = [](std::size_t bytes_of_first) {
    return [=](StateForm& form, bool is_third) {
      put_payload(form, holder_of(Payload(is_third ? bytes_of_first : 0)));
      for (std::size_t i = is_third ? bytes_of_first : 0; i < 2; ++i) form.same(0);
    };
  };
  EXPECT_TRUE(passes_looks(two_payloads(0)));
  EXPECT_FALSE(passes_looks(two_payloads(1)));
}

TEST(PayloadForm, what_a_message_carries_is_looked_at) {
  const auto message_of = [](const Payload& usual, const Payload& third) {
    return [=](StateForm& form, bool is_third) {
      Config config;
      config.fabric.flit_bytes = 16;
      config.npu.packet_bytes = 64;
      MessageInterfaces interfaces(config, {NodeId{0}, NodeId{1}});
      struct Deaf final : Endpoint {
        void on_data(const Delivery&) override {}
        void on_sent(MessageId) override {}
        void on_timer(std::uint64_t) override {}
        void put_state(StateForm&) override {}
      } endpoint;
      interfaces.at(0).attach(endpoint);
      Message message;
      message.dst = NodeId{1};
      message.payload = std::make_shared<Payload>(is_third ? third : usual);
      message.bytes = message.payload->size();
      interfaces.at(0).send(message);
      interfaces.put_state(form);
    };
  };
  EXPECT_TRUE(passes_looks(message_of({1, 2, 3, 4}, {1, 2, 3, 4})));
  EXPECT_FALSE(passes_looks(message_of({1, 2, 3, 4}, {1, 2, 3, 5})));
}

}  // namespace
}  // namespace weft::npu
