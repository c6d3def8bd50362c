// SPDX-License-Identifier: Apache-2.0
// The front end for packets of a fabric: identity by source, order of arrival, times, and the same figures as the TLM
// port's.
#include "mem/access/source_port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "base/random.h"
#include "mem/access/validation_unit.h"
#include "mem/pool/pool_controller.h"
#include "tests/mem/access/pages.h"
#include "tests/mem/support/bench.h"
#include "tests/mem/support/fixed_controller.h"

namespace weft::mem::test {
namespace {

using testing::ElementsAre;

struct Answer {
  std::uint64_t id;
  bool allowed;
  Cycle at;
  friend bool operator==(const Answer& a, const Answer& b) {
    return a.id == b.id && a.allowed == b.allowed && a.at == b.at;
  }
  friend std::ostream& operator<<(std::ostream& out, const Answer& answer) {
    return out << answer.id << (answer.allowed ? " allowed" : " refused") << " at " << answer.at;
  }
};

struct SourceRun {
  SourceRun(Controller& controller, AccessCheck& access_check) : port(controller, access_check) {
    port.on_answered([this](const SourceAccess& access, const Verdict& verdict, Cycle now) {
      answers.push_back({access.id, verdict.allowed, now});
    });
  }
  void run(bool sleeping = true) {
    for (Cycle now = 0; port.open() > 0; now = sleeping ? port.next_work(now) : now + 1) {
      port.step(now);
      if (port.open() == 0) return;
    }
  }
  SourcePort port;
  std::vector<Answer> answers;
};

ValidationSpec quick() {
  ValidationSpec spec;
  spec.check_cycles = 2;
  spec.miss_cycles = 0;
  return spec;
}

/// 16 pages; node 3's.
ValidationUnit unit_of(const ValidationSpec& spec) {
  ValidationUnit unit(spec, GrantTable(kPage, {{"pool", pages(0, 16)}}));
  unit.claim(3, pages(0, 16));
  return unit;
}

TEST(SourcePort, judges_by_source_and_answers_all) {
  FixedController controller(10, 16 * kPage);
  ValidationUnit unit = unit_of(quick());
  unit.grant(3, 7, pages(1, 1), kMayRead);
  SourceRun run(controller, unit);
  run.port.ask({0, NodeId{3}, Command::kWrite, 0, 64}, 5);
  run.port.ask({1, NodeId{7}, Command::kWrite, kPage, 64}, 6);
  run.port.ask({2, NodeId{7}, Command::kRead, kPage, 64}, 7);
  run.run();
  // Check 2, memory 10; a refusal costs the check only.
  EXPECT_THAT(run.answers, ElementsAre(Answer{1, false, 8}, Answer{0, true, 17}, Answer{2, true, 19}));
  EXPECT_EQ(controller.taken.size(), 2U);
  EXPECT_EQ(controller.refused.size(), 1U);
  EXPECT_EQ(unit.log().at(0).initiator, 7U);
  EXPECT_EQ(unit.in_flight(), 0U);
}

TEST(SourcePort, arrivals_of_one_edge_are_ordered_by_source) {
  const auto order = [](const std::vector<std::uint32_t>& sources) {
    FixedController controller(10, 16 * kPage);
    OpenAccess access_check;
    SourceRun run(controller, access_check);
    for (const std::uint32_t source : sources) run.port.ask({source, NodeId{source}, Command::kRead, 0, 8}, 4);
    run.run();
    std::vector<std::uint32_t> taken;
    for (const FixedController::Taken& each : controller.taken) taken.push_back(each.initiator);
    return taken;
  };
  EXPECT_THAT(order({5, 1, 3}), ElementsAre(1, 3, 5));
  EXPECT_EQ(order({5, 1, 3}), order({1, 3, 5}));
}

TEST(SourcePort, data_can_be_moved_at_acceptance_and_memory_moves_more) {
  FixedController controller(10, 16 * kPage);
  ValidationSpec spec = quick();
  spec.protection.encryption_cycles = 20;
  spec.protection.tag_bytes = 8;
  ValidationUnit unit = unit_of(spec);
  SourceRun run(controller, unit);
  std::vector<std::pair<Cycle, std::uint64_t>> judged;
  run.port.on_judged(
      [&](const SourceAccess&, const Verdict& verdict, Cycle now) { judged.emplace_back(now, verdict.physical); });
  run.port.ask({0, NodeId{3}, Command::kRead, 128, 64}, 5);
  run.run();
  EXPECT_THAT(judged, ElementsAre(std::make_pair(Cycle{5}, std::uint64_t{128})));
  EXPECT_EQ(controller.taken.at(0).bytes, 72U);
  EXPECT_EQ(run.answers.at(0).at, 5U + 2 + 10 + 20);
}

/// Random accesses; several sources.
std::vector<std::pair<SourceAccess, Cycle>> random_asks(std::uint64_t seed, std::uint64_t count) {
  std::vector<std::pair<SourceAccess, Cycle>> asks;
  RandomStream random(seed, NodeId{0});
  Cycle at = 1;
  for (std::uint64_t id = 0; id < count; ++id) {
    at += random.below(30);
    const std::uint64_t address = random.below(16 * kPage - 300);
    asks.push_back({{id, NodeId{static_cast<std::uint32_t>(random.below(4))},
                     random.below(2) == 0 ? Command::kRead : Command::kWrite, address, 1 + random.below(300)},
                    at});
  }
  return asks;
}

void grant_some(ValidationUnit& unit) {
  unit.grant(3, 0, pages(0, 8), kMayReadAndWrite);
  unit.grant(3, 1, pages(4, 12), kMayRead);
}

RC_GTEST_PROP(SourcePortLaws, sleeping_changes_nothing, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  PoolSpec pool;
  pool.controllers = 2;
  pool.groups = 2;
  ValidationSpec spec;
  spec.cache = {8, 2, "lru"};
  spec.protection.integrity_cycles = 7;
  spec.protection.tag_bytes = 8;
  std::vector<std::vector<Answer>> answers;
  for (const bool sleeping : {true, false}) {
    ValidationUnit unit = unit_of(spec);
    grant_some(unit);
    PoolController controller(pool, 16 * kPage);
    SourceRun run(controller, unit);
    for (const auto& [access, at] : random_asks(seed, 60)) run.port.ask(access, at);
    run.run(sleeping);
    answers.push_back(run.answers);
  }
  RC_ASSERT(answers[0].size() == 60u);
  RC_ASSERT(answers[0] == answers[1]);
}

// What a blocking TLM initiator sees: asked one edge before, answered at the same edge.
TEST(SourcePort, answers_when_the_tlm_port_does) {
  set_time_resolution();
  ValidationSpec spec;
  spec.protection.encryption_cycles = 9;
  PoolSpec pool;
  pool.controllers = 4;
  ValidationUnit unit = unit_of(spec);
  grant_some(unit);
  PoolController controller(pool, 16 * kPage);
  PortBench<> bench(controller, 4, {}, &unit);
  const auto asks = random_asks(5, 200);
  std::vector<std::pair<Cycle, Answer>> by_tlm;  // with the edge of arrival
  bench.thread([&] {
    for (const auto& [access, at] : asks) {
      std::vector<unsigned char> data(access.bytes);
      tlm::tlm_generic_payload payload;
      set_access(payload, access.command == Command::kRead ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND,
                 access.address, data.data(), static_cast<unsigned>(access.bytes));
      sc_core::sc_time delay;
      const Cycle arrival = present() + 1;
      bench.initiator(static_cast<int>(index(access.source))).socket->b_transport(payload, delay);
      by_tlm.push_back({arrival, {access.id, payload.is_response_ok(), present()}});
    }
  });
  sc_core::sc_start();
  bench.domain.rethrow_failure();
  ValidationUnit same_unit = unit_of(spec);
  grant_some(same_unit);
  PoolController same_pool(pool, 16 * kPage);
  SourceRun run(same_pool, same_unit);
  for (std::size_t i = 0; i < asks.size(); ++i) run.port.ask(asks[i].first, by_tlm.at(i).first);
  run.run();
  ASSERT_EQ(run.answers.size(), asks.size());
  std::size_t refused = 0;
  for (std::size_t i = 0; i < asks.size(); ++i) {
    EXPECT_EQ(run.answers[i], by_tlm[i].second);
    refused += run.answers[i].allowed ? 0 : 1;
  }
  EXPECT_GT(refused, 20U);
  EXPECT_LT(refused, 180U);
}

}  // namespace
}  // namespace weft::mem::test
