// SPDX-License-Identifier: Apache-2.0
// When a recording begins and what it keeps: triggers, the last cycles, a full disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "tests/waves/support/two_routers.h"
#include "tests/waves/support/vcd_reader.h"
#include "tests/waves/support/wave_text.h"
#include "waves/fst/fst_format.h"
#include "waves/recorder.h"

namespace weft::waves {
namespace {

using test::kEast;
using test::kWest;
using test::read_vcd;
using test::scope;
using test::TempDir;
using test::two_routers;
using testing::HasSubstr;
using testing::StartsWith;

NodeActivity collective(const std::string& name, const std::string& group) {
  NodeActivity activity(name);
  activity.collective = name;
  activity.group = group;
  return activity;
}

WavesSpec waiting_for(const std::string& trigger, std::vector<std::string> patterns = {}) {
  WavesSpec spec = scope(std::move(patterns));
  spec.trigger = trigger;
  return spec;
}

/// The message of the InputError that making a recorder throws.
std::string refusal(const WavesSpec& spec) {
  const TempDir folder;
  try {
    const Recorder recorder(spec, folder / "a.vcd", two_routers());
  } catch (const InputError& error) {
    return error.what();
  }
  return "taken";
}

/// A flit on the east link in each cycle, numbered by it.
void send(Recorder& recorder, Cycle now, int credits = 1) {
  recorder.flit_sent(now, kEast, VcId{0}, {NodeId{0}, static_cast<std::uint32_t>(now)}, true, true, credits);
}

TEST(Trigger, waits_for_a_collective_at_any_npu_in_scope_or_not) {
  const TempDir folder;
  Recorder recorder(waiting_for("collective all_reduce_2", {"fabric"}), folder / "a.vcd", two_routers());
  for (Cycle now = 0; now < 10; ++now) {
    send(recorder, now);
    if (now == 2) recorder.node_activity(now, NodeId{0}, collective("all_reduce_1", "all"));
    if (now == 4) recorder.node_activity(now, NodeId{1}, collective("all_reduce_2", "all"));
  }
  recorder.finish(10);
  EXPECT_EQ(recorder.warning(), "");
  const auto file = read_vcd(folder / "a.vcd");
  EXPECT_EQ(file.begin, 4u);
  EXPECT_EQ(file["fabric.router[0,0].east.packet"].at(4), "0.4");
  EXPECT_EQ(file["fabric.router[0,0].east.packet"].at(9), "0.9");
}

TEST(Trigger, waits_for_the_group_it_names) {
  const TempDir folder;
  Recorder recorder(waiting_for("collective sync of group dp_1"), folder / "a.vcd", two_routers());
  recorder.node_activity(3, NodeId{0}, collective("sync", "dp_0"));
  recorder.node_activity(7, NodeId{0}, collective("sync", "dp_1"));
  recorder.finish(10);
  EXPECT_EQ(read_vcd(folder / "a.vcd").begin, 7u);
}

TEST(Trigger, waits_for_a_queue_that_fills) {
  const TempDir folder;
  Recorder recorder(waiting_for("queue fabric.router[0,0].east full", {"npu[0]", "**.west"}), folder / "a.vcd",
                    two_routers());
  recorder.flit_sent(2, kWest, VcId{0}, {NodeId{1}, 1}, true, true, 0);  // another link
  send(recorder, 3, 1);
  send(recorder, 5, 0);
  recorder.flit_sent(8, kWest, VcId{1}, {NodeId{1}, 2}, true, true, 1);
  recorder.finish(10);
  const auto file = read_vcd(folder / "a.vcd");
  EXPECT_EQ(file.begin, 5u);
  EXPECT_EQ(file["fabric.router[1,0].west.packet"].at(8), "1.2");
  EXPECT_EQ(file.signals.count("fabric.router[0,0].east.packet"), 0u);
}

// A credit that comes back in the same cycle: the queue was not full.
TEST(Trigger, a_queue_is_looked_at_when_the_cycle_is_over) {
  const TempDir folder;
  Recorder recorder(waiting_for("queue fabric.router[0,0].east full"), folder / "a.vcd", two_routers());
  send(recorder, 3, 0);
  recorder.credit_returned(3, kEast, VcId{0}, 1);
  recorder.finish(10);
  EXPECT_EQ(recorder.warning(),
            "waves: the queue behind fabric.router[0,0].east was never full until the end at 9 ns; the file holds no "
            "change");
}

TEST(Trigger, the_window_still_counts) {
  const TempDir folder;
  WavesSpec spec = waiting_for("collective sync");
  spec.from_ns = 6;
  spec.to_ns = 8;
  Recorder recorder(spec, folder / "a.vcd", two_routers());
  recorder.node_activity(3, NodeId{0}, collective("sync", ""));
  for (Cycle now = 4; now < 20; ++now) send(recorder, now);
  recorder.finish(20);
  const auto file = read_vcd(folder / "a.vcd");
  EXPECT_EQ(file.begin, 6u);
  EXPECT_EQ(file.end, 8u);
}

TEST(Trigger, what_never_happens_is_said) {
  const TempDir folder;
  Recorder recorder(waiting_for("collective sync of group dp"), folder / "a.vcd", two_routers());
  send(recorder, 3);
  recorder.finish(10);
  EXPECT_EQ(recorder.warning(),
            "waves: no collective 'sync' of group 'dp' began until the end at 9 ns; the file holds no change");
  EXPECT_EQ(read_vcd(folder / "a.vcd").begin, 10u);
}

TEST(Trigger, what_does_not_happen_within_the_window_is_said) {
  const TempDir folder;
  WavesSpec spec = waiting_for("collective sync of group dp");
  spec.to_ns = 8;
  Recorder recorder(spec, folder / "a.vcd", two_routers());
  for (Cycle now = 4; now < 20; ++now) send(recorder, now);
  recorder.finish(20);
  EXPECT_EQ(recorder.warning(),
            "waves: no collective 'sync' of group 'dp' began until the end at 8 ns; the file holds no change");
}

TEST(Trigger, is_refused_when_it_means_nothing_bad) {
  EXPECT_THAT(refusal(waiting_for("queue full")),
              StartsWith("waves.trigger: 'queue full' is nothing to wait for; legal"));
  EXPECT_THAT(refusal(waiting_for("collective a of dp")), HasSubstr("legal: 'collective NAME'"));
  EXPECT_EQ(refusal(waiting_for("queue fabric.router[0,0].eats full")),
            "waves.trigger: 'fabric.router[0,0].eats' matches nothing: 'fabric.router[0,0]' holds no 'eats'; nearest: "
            "east");
}

TEST(LastCycles, only_they_are_in_the_file) {
  for (const char* name : {"a.vcd", "a.fst"}) {
    if (!has_fst() && std::string(name) == "a.fst") continue;
    const TempDir folder;
    WavesSpec spec = scope({});
    spec.last_cycles = 5;
    Recorder recorder(spec, folder / name, two_routers());
    for (Cycle now = 0; now <= 100; ++now) {
      send(recorder, now);
      if (now == 2) recorder.node_activity(now, NodeId{0}, {"long ago"});
    }
    recorder.finish(101);
    const auto changes = test::changes_of(folder / name);
    const std::vector<std::string> expected = {"96 '0.96'", "97 '0.97'",   "98 '0.98'",
                                               "99 '0.99'", "100 '0.100'", "101 ''"};
    EXPECT_EQ(changes.at("fabric.router[0,0].east.packet"), expected) << name;
    EXPECT_EQ(changes.at("npu[0].running"), (std::vector<std::string>{"96 'long ago'"})) << name;
    EXPECT_THAT(test::read_text(folder / "a.gtkw"), HasSubstr("[timestart] 96\n")) << name;
  }
}

// The window ends at 8 ns, the run goes on to 20.
TEST(LastCycles, of_a_window_that_is_over_are_said_to_be_its_own) {
  for (const Cycle last : {Cycle{20}, Cycle{8}}) {
    const TempDir folder;
    WavesSpec spec = scope({});
    spec.last_cycles = 3;
    spec.to_ns = 8;
    Recorder recorder(spec, folder / "a.vcd", two_routers());
    for (Cycle now = 0; now < last; ++now) send(recorder, now);
    recorder.finish(last);
    EXPECT_EQ(recorder.warning(),
              last == 8 ? ""
                        : "waves.last_cycles: the file holds the last 3 cycles of the window, which ended at 8 ns "
                          "(waves.to), not those before the end of the run at 19 ns");
  }
}

TEST(LastCycles, an_error_leaves_them_too) {
  const TempDir folder;
  WavesSpec spec = scope({});
  spec.last_cycles = 3;
  try {
    Recorder recorder(spec, folder / "a.vcd", two_routers());
    for (Cycle now = 0; now <= 50; ++now) send(recorder, now);
    throw ViolationError("the run broke");
  } catch (const ViolationError&) {
  }
  const auto file = read_vcd(folder / "a.vcd");
  EXPECT_GE(file.begin, 47u);
  EXPECT_EQ(file["fabric.router[0,0].east.packet"].at(50), "0.50");
}

/// Records without end into a file that may have 100 kB; 0 = the run went on after the file was full, 1 = it threw.
int fill_disk(const std::filesystem::path& file, WavesFull on_full) {
  signal(SIGXFSZ, SIG_IGN);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{100'000, 100'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    WavesSpec spec = scope({});
    spec.on_full = on_full;
    int status = 2;
    try {
      Recorder recorder(spec, file, two_routers());
      for (Cycle now = 0; now < 2'000'000 && !recorder.done(); ++now) {
        send(recorder, now);
        if (now % 500 == 0) recorder.flush();
      }
      const bool was_done = recorder.done();
      send(recorder, 3'000'000);
      recorder.finish(3'000'001);
      const std::string warning = recorder.warning();
      if (was_done && warning.find("nothing is recorded after it") != std::string::npos) status = 0;
    } catch (const WaveFileFull& full) {
      const std::string text = full.what();
      if (text.rfind("waves: cannot write '", 0) == 0 && text.find("readable") != std::string::npos) status = 1;
    }
    _exit(status);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100;
}

TEST(OnFull, the_run_stops_or_goes_on_and_the_file_is_readable) {
  for (const char* name : {"a.vcd", "a.fst"}) {
    if (!has_fst() && std::string(name) == "a.fst") continue;
    const TempDir folder;
    EXPECT_EQ(fill_disk(folder / name, WavesFull::kStop), 1) << name;
    const auto stopped = test::changes_of(folder / name).at("fabric.router[0,0].east.packet");
    ASSERT_GT(stopped.size(), 1'000u) << name;
    EXPECT_EQ(stopped[1001], "1000 '0.1000'") << name;
    EXPECT_EQ(fill_disk(folder / name, WavesFull::kGoOn), 0) << name;
    EXPECT_EQ(test::changes_of(folder / name).at("fabric.router[0,0].east.packet"), stopped) << name;
  }
}

}  // namespace
}  // namespace weft::waves
