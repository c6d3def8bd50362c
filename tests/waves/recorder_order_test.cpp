// SPDX-License-Identifier: Apache-2.0
// The order of the calls of one cycle does not change a byte, and the file says what was fed in.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>

#include "base/probe_queue.h"
#include "tests/waves/support/two_routers.h"
#include "tests/waves/support/vcd_reader.h"
#include "waves/recorder.h"

namespace weft::waves {
namespace {

using test::read_text;
using test::TempDir;

constexpr std::uint32_t kLinks = 6;
constexpr std::uint32_t kNodes = 3;
constexpr int kVcs = 3;

enum class Kind { kFlit, kCredit, kState };

/// One call to the probe; `actor` is a link or an NPU.
struct Call {
  Kind kind = Kind::kFlit;
  Cycle now = 0;
  std::uint32_t actor = 0;
  std::uint8_t vc = 0;
  std::uint32_t number = 0;
};

RecorderSetup star() {
  RecorderSetup setup;
  setup.links = kLinks;
  setup.link = [](LinkId id) {
    LinkWave wave;
    wave.name = "fabric.router[" + std::to_string(index(id) / 2) + "].port[" + std::to_string(index(id) % 2) + "]";
    wave.vcs = kVcs;
    wave.credits = 7;
    wave.several = true;
    return wave;
  };
  setup.nodes = kNodes;
  setup.npu = [](NodeId id) { return NpuWave{"npu[" + std::to_string(index(id)) + "]", 0}; };
  return setup;
}

std::vector<Call> random_calls() {
  const auto call = rc::gen::apply(
      [](int kind, std::uint32_t actor, int gap, int vc, int number) {
        Call result;
        result.kind = static_cast<Kind>(kind);
        result.now = static_cast<Cycle>(gap);
        result.actor = actor % (result.kind == Kind::kState ? kNodes : kLinks);
        result.vc = static_cast<std::uint8_t>(vc);
        result.number = static_cast<std::uint32_t>(number);
        return result;
      },
      rc::gen::inRange(0, 3), rc::gen::inRange<std::uint32_t>(0, kLinks),
      rc::gen::weightedOneOf<int>({{6, rc::gen::just(0)}, {2, rc::gen::just(1)}, {1, rc::gen::inRange(2, 30)}}),
      rc::gen::inRange(0, kVcs), rc::gen::inRange(0, 8));
  std::vector<Call> calls = *rc::gen::container<std::vector<Call>>(call);
  Cycle now = 0;
  for (Call& one : calls) one.now = now += one.now;  // gaps become times
  return calls;
}

void make(const Call& call, FabricProbe& probe) {
  const auto link = static_cast<LinkId>(call.actor);
  const auto vc = static_cast<VcId>(call.vc);
  const int credits = static_cast<int>(call.number);
  if (call.kind == Kind::kFlit) {
    probe.flit_sent(call.now, link, vc, {NodeId{1}, call.number}, call.number % 2 == 0, call.number % 3 == 0, credits);
  } else if (call.kind == Kind::kCredit) {
    probe.credit_returned(call.now, link, vc, credits);
  } else {
    probe.node_activity(call.now, static_cast<NodeId>(call.actor), {"state " + std::to_string(call.number)});
  }
}

void play(const std::vector<Call>& calls, const std::filesystem::path& file) {
  Recorder recorder(test::scope({}), file, star());
  for (const Call& call : calls) make(call, recorder);
  recorder.finish(calls.empty() ? 0 : calls.back().now + 3);
}

/// As `play`, with the actors spread over partitions whose calls are drained after each cycle.
void play_in_partitions(const std::vector<Call>& calls, const std::filesystem::path& file) {
  Recorder recorder(test::scope({}), file, star());
  std::array<ProbeQueue, 3> partitions;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    make(calls[i], partitions[calls[i].actor % partitions.size()]);
    if (i + 1 < calls.size() && calls[i + 1].now == calls[i].now) continue;
    for (ProbeQueue& partition : partitions) partition.drain(recorder);
  }
  for (const ProbeQueue& partition : partitions) RC_ASSERT(partition.empty());
  recorder.finish(calls.empty() ? 0 : calls.back().now + 3);
}

/// Another legal order: each cycle's calls grouped by a random ranking of who made them.
std::vector<Call> reordered(std::vector<Call> calls) {
  const auto ranks = *rc::gen::container<std::vector<int>>(kLinks + kNodes, rc::gen::inRange(0, 1000));
  const auto rank = [&ranks](const Call& call) {
    return ranks[call.kind == Kind::kState ? kLinks + call.actor : call.actor];
  };
  std::stable_sort(calls.begin(), calls.end(), [&](const Call& a, const Call& b) {
    return std::make_pair(a.now, rank(a)) < std::make_pair(b.now, rank(b));
  });
  return calls;
}

RC_GTEST_PROP(Recorder, the_order_of_calls_within_a_cycle_changes_no_byte, ()) {
  const TempDir folder;
  const std::vector<Call> calls = random_calls();
  play(calls, folder / "a.vcd");
  play(reordered(calls), folder / "b.vcd");
  RC_ASSERT(read_text(folder / "a.vcd") == read_text(folder / "b.vcd"));
}

RC_GTEST_PROP(Recorder, partitions_may_queue_their_calls, ()) {
  const TempDir folder;
  const std::vector<Call> calls = random_calls();
  play(calls, folder / "a.vcd");
  play_in_partitions(calls, folder / "b.vcd");
  RC_ASSERT(read_text(folder / "a.vcd") == read_text(folder / "b.vcd"));
}

RC_GTEST_PROP(Recorder, the_file_says_what_was_fed_in, ()) {
  const TempDir folder;
  const std::vector<Call> calls = random_calls();
  play(calls, folder / "a.vcd");
  const auto file = test::read_vcd(folder / "a.vcd");
  const Cycle end = calls.empty() ? 0 : calls.back().now + 3;
  for (std::uint32_t link = 0; link < kLinks; ++link) {
    const std::string name = star().link(static_cast<LinkId>(link)).name + ".";
    std::vector<std::uint64_t> credits(kVcs, 7);
    for (Cycle now = 0; now <= end; ++now) {
      std::uint64_t flits = 0;
      bool head = false;
      bool tail = false;
      std::string last;
      for (const Call& call : calls) {
        if (call.now != now || call.kind == Kind::kState || call.actor != link) continue;
        credits[call.vc] = call.number;
        if (call.kind != Kind::kFlit) continue;
        ++flits;
        head = head || call.number % 2 == 0;
        tail = tail || call.number % 3 == 0;
        last = "1." + std::to_string(call.number);
      }
      RC_ASSERT(file[name + "flits"].number_at(now) == flits);
      RC_ASSERT(file[name + "valid"].at(now) == (flits > 0 ? "1" : "0"));
      RC_ASSERT(file[name + "head"].at(now) == (head ? "1" : "0"));
      RC_ASSERT(file[name + "tail"].at(now) == (tail ? "1" : "0"));
      RC_ASSERT(file[name + "packet"].at(now) == last);
      for (std::size_t vc = 0; vc < kVcs; ++vc) {
        RC_ASSERT(file[name + "credits_vc" + std::to_string(vc) + "[2:0]"].number_at(now) == credits[vc]);
      }
    }
  }
}

}  // namespace
}  // namespace weft::waves
