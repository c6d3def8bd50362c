// SPDX-License-Identifier: Apache-2.0
// Plays a workload over FRED switches in all forms of the fabric and on several threads and compares what came of it,
// each run in a process of its own: results, flits of every link, and the state after every cycle.
#pragma once

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/random.h"
#include "sc_models/supervisor.h"
#include "sc_models/switch_fabric.h"
#include "sc_models/system.h"
#include "sc_models/workload.h"
#include "tests/support/temp_dir.h"

namespace weft::sc_models::test {

inline fred::FredFabric& switches_of(System& system) { return dynamic_cast<SwitchFabric&>(system.fabric()).switches(); }

/// Takes down the fabric's state after every cycle in which something is under way: a hash of all so far, and now and
/// then that of one cycle.
class StateLog final : public Block {
 public:
  explicit StateLog(System& system) : system_(system), switches_(switches_of(system)) {}
  void step(Cycle now) override {
    const std::uint64_t state = switches_.state_hash(now);
    hash_ = mix64(hash_ ^ state);
    if (now % 64 == 0) text_ += fmt::format("state {} {:x} {:x}\n", now, state, hash_);
  }
  Cycle next_work(Cycle now) const override { return system_.empty() ? kNever : now + 1; }
  const std::string& text() const { return text_; }

 private:
  System& system_;
  fred::FredFabric& switches_;
  std::uint64_t hash_ = 0;
  std::string text_;
};

using MakeWorkload = std::function<std::unique_ptr<Workload>(System&)>;

inline std::string describe(const System& system, const RunResult& result, Cycle cycles) {
  std::string text = fmt::format("end {} packets {} flits {} hops {} latency {} {} verified {}\n", cycles,
                                 result.packets, result.flits, result.hops, result.latency.mean(),
                                 result.latency.count(), result.verified_collectives);
  for (const RankRecord& rank : result.ranks) text += fmt::format("rank {}\n", rank.finish_cycle);
  for (const IoStreamRecord& stream : result.io_streams)
    text += fmt::format("stream {} {} {}\n", stream.end_cycle, stream.steady_bytes, stream.steady_cycles);
  for (std::size_t i = 0; i < system.links(); ++i) {
    const LinkRecord link = system.link(i, cycles);
    text += fmt::format("{} {} {} {}", link.name, link.from, link.to, link.flits);
    for (const auto& value : link.values.all()) text += fmt::format(" {}", value.value_or(0));
    text += "\n";
  }
  for (std::size_t i = 0; i < system.nodes(); ++i) {
    const NodeRecord node = system.node(i);
    text += "node";
    for (const auto& value : node.values.all()) text += fmt::format(" {}", value.value());
    text += "\n";
  }
  return text;
}

/// Flits go one by one, so that the state of the switches after each cycle is part of what is compared.
inline TestKnobs flit_by_flit() {
  TestKnobs knobs;
  knobs.trains = false;
  return knobs;
}

/// One run to its end. With several threads some of the state after a cycle is in the mail, and switches of trains are
/// not stepped in every cycle, so it is left out there.
inline std::string play(const Config& config, const TestKnobs& knobs, const MakeWorkload& make) {
  set_time_resolution();
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
  System system("system", config, nullptr, knobs);
  StateLog log(system);
  if (config.threads == 1 && !knobs.trains) system.fabric_clock().add(log);
  WEFT_CHECK(config.threads == 1 || system.parts().size() > 1, "there is one part only");
  const std::unique_ptr<Workload> workload = make(system);
  RunControl control;
  Supervisor supervisor(system, *workload, control);
  workload->start();
  do {
    sc_core::sc_start();
    system.fabric_clock().rethrow_failure();
  } while (supervisor.continue_at_rest());
  WEFT_CHECK(supervisor.reason() == StopReason::kFinished, supervisor.text());
  system.require_empty();
  RunResult result;
  system.fabric().add_to(&result);
  workload->collect(supervisor.cycles(), &result);
  system.finish_statistics(supervisor.cycles());
  std::uint64_t preemptions = 0;
  for (std::uint32_t i = 0; i < switches_of(system).chiplets(); ++i)
    preemptions += switches_of(system).chiplet(i).counters().preemptions;
  return describe(system, result, supervisor.cycles()) +
         fmt::format("uswitch hops {} preemptions {}\n", *result.uswitch_hops, preemptions) + log.text();
}

/// What came of a run, in a child; what went wrong, if something did.
inline std::string outcome_of(const Config& config, const TestKnobs& knobs, const MakeWorkload& make) {
  const weft::test::TempDir folder;
  const pid_t child = fork();
  if (child == 0) {
    std::string text;
    try {
      text = play(config, knobs, make);
    } catch (const std::exception& error) {
      text = std::string("failed: ") + error.what();
    }
    weft::test::write_text(folder / "outcome", text);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? weft::test::read_text(folder / "outcome") : "failed: no end";
}

/// The first line in which two texts differ.
inline std::string difference(const std::string& a, const std::string& b) {
  std::size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  if (at == a.size() && at == b.size()) return "";
  const auto line = [at](const std::string& text) {
    const std::size_t from = text.rfind('\n', at == 0 ? 0 : at - 1) + 1;
    return text.substr(from, std::min<std::size_t>(text.find('\n', at) - from, 200));
  };
  return fmt::format("'{}' became '{}'", line(a), line(b));
}

/// Without the states, which come last.
inline std::string without_states(const std::string& outcome) {
  const std::size_t states = outcome.find("\nstate ");
  return states == std::string::npos ? outcome : outcome.substr(0, states + 1);
}

/// Runs it on several threads, which have to do what one does; `expected` is its outcome.
inline void expect_same_on_threads(Config config, const std::string& expected, const MakeWorkload& make) {
  for (const int threads : {2, 3}) {
    config.threads = threads;
    EXPECT_EQ(difference(without_states(expected), outcome_of(config, {}, make)), "") << threads << " threads";
  }
}

/// Runs it with packets as trains of flits, in the cycles in which they have work and in every cycle.
inline void expect_same_as_trains(const Config& config, const std::string& expected, const MakeWorkload& make) {
  for (const bool sleep : {true, false}) {
    TestKnobs knobs;
    knobs.sleep = sleep;
    EXPECT_EQ(difference(without_states(expected), outcome_of(config, knobs, make)), "") << "trains, sleep " << sleep;
  }
}

/// Runs it in all forms and returns what they have in common.
inline std::string expect_same_in_all_forms(Config config, const MakeWorkload& make) {
  std::string expected = outcome_of(config, flit_by_flit(), make);
  EXPECT_NE(expected.substr(0, 6), "failed") << expected;
  EXPECT_GT(expected.size(), 1000u);
  expect_same_as_trains(config, expected, make);
  TestKnobs awake = flit_by_flit();
  awake.sleep = false;
  EXPECT_EQ(difference(expected, outcome_of(config, awake, make)), "") << "one region, all awake";
  expect_same_on_threads(config, expected, make);
  config.fabric.form = FabricForm::kModules;
  EXPECT_EQ(difference(expected, outcome_of(config, flit_by_flit(), make)), "") << "modules";
  EXPECT_EQ(difference(expected, outcome_of(config, awake, make)), "") << "modules, all awake";
  for (const std::uint64_t shuffle : {1, 2, 3}) {
    TestKnobs knobs = flit_by_flit();
    knobs.shuffle = shuffle;
    EXPECT_EQ(difference(expected, outcome_of(config, knobs, make)), "") << "modules in random order " << shuffle;
  }
  return expected;
}

inline std::unique_ptr<Workload> npus_of(System& system) { return make_npu_workload(system, nullptr); }

}  // namespace weft::sc_models::test
