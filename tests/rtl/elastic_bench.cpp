// SPDX-License-Identifier: Apache-2.0
#include "tests/rtl/elastic_bench.h"

#include <fmt/format.h>

#include <memory>

#include "base/random.h"
#include "switch/network/elastic_datapath.h"
#include "tests/rtl/duts/elastic_dut.h"

namespace weft::rtl_test {
namespace {

/// A wire with its registers, from one input to one output.
class Wire {
 public:
  Wire(bool skid, unsigned depth) : pool_(1), context_{spec_, pool_} {
    spec_.flow_control = fred::PortFlowControl::kWormhole;  // outputs may be closed
    spec_.stage = skid ? fred::StageBuffer::kSkid : fred::StageBuffer::kRegister;
    plan_.inputs = {0};
    plan_.outputs = {1};
    plan_.out_wires = {1};
    plan_.registers = {0, static_cast<std::uint8_t>(depth)};
    fred::DatapathOp op;
    op.inputs = op.outputs = 1;
    op.from[0] = 0;
    op.to[0] = 1;
    plan_.ops = {op};
    clear();
  }
  void clear() { datapath_ = std::make_unique<fred::ElasticDatapath>(plan_, context_); }
  fred::ElasticDatapath& datapath() { return *datapath_; }

 private:
  fred::SwitchSpec spec_;
  fred::WordPool pool_;
  fred::DatapathContext context_;
  fred::DatapathPlan plan_;
  std::unique_ptr<fred::ElasticDatapath> datapath_;
};

}  // namespace

std::optional<std::string> elastic_difference(unsigned g, const ElasticRun& run) {
  RandomStream random(run.seed, NodeId{g});
  ElasticDut dut(static_cast<unsigned>(run.seed) * 2 + 1, run.mutant);
  Wire wire(ElasticDut::skid(g), ElasticDut::depth(g));
  const auto what = [g](std::uint64_t cycle, const std::string& text) {
    return fmt::format("skid {}, depth {}, cycle {}: {}", ElasticDut::skid(g) ? 1 : 0, ElasticDut::depth(g), cycle,
                       text);
  };
  bool valid = false;
  std::uint32_t word = 0;
  dut.reset(true);
  dut.settle();
  dut.clock();
  // The last cycles let everything leave.
  const std::uint64_t drain = run.cycles - 20;
  for (std::uint64_t cycle = 0; cycle < run.cycles; ++cycle) {
    const bool reset = cycle == 0 || (cycle < drain && random.unit() <= run.resets);
    if (reset) {
      valid = false;
      wire.clear();
    }
    const bool ready = !reset && (cycle >= drain || random.unit() > run.stall_out);
    if (!reset && !valid && cycle < drain && random.unit() > run.stall_in) {
      valid = true;
      word = static_cast<std::uint32_t>(random.bits());
    }
    dut.reset(reset);
    dut.offer(g, valid, word);
    dut.receive(g, !ready);
    dut.settle();
    const bool valid_before = dut.valid(g);
    dut.receive(g, ready);
    dut.settle();
    if (dut.valid(g) != valid_before) return what(cycle, "valid depends on ready");

    auto& input = wire.datapath().input(0);
    auto& output = wire.datapath().output(0);
    input.valid = valid;
    input.beat.packet = word;
    output.ready = ready;
    wire.datapath().step();
    const bool taken = !reset && valid && dut.ready(g);
    if (taken != input.taken) return what(cycle, taken ? "takes a word too early" : "takes no word");
    const bool given = ready && dut.valid(g);
    if (given != output.valid) return what(cycle, given ? "gives a word too early" : "gives no word");
    if (given && dut.data(g) != output.beat.packet) {
      return what(cycle, fmt::format("gives {:#x}, not {:#x}", dut.data(g), output.beat.packet));
    }
    if (reset && dut.valid(g)) return what(cycle, "a reset leaves a word inside");
    if (!dut.clock()) return what(cycle, "an assertion failed");
    if (taken) valid = false;
  }
  dut.settle();
  if (dut.valid(g) || !wire.datapath().empty()) return what(run.cycles, "not empty at the end");
  return std::nullopt;
}

}  // namespace weft::rtl_test
