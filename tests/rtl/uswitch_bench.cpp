// SPDX-License-Identifier: Apache-2.0
#include "tests/rtl/uswitch_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/random.h"
#include "config/names.h"
#include "switch/arith/lane_format.h"
#include "switch/network/elastic_datapath.h"
#include "switch/routing/switch_setting.h"

namespace weft::rtl_test {
namespace {

constexpr unsigned kBeatsPerFlit = 2;
constexpr unsigned kBeatsPerPacket = 6;

/// What one element does for one flow: adds `inputs` where they are two, copies to all `outputs`.
struct Operation {
  std::vector<unsigned> inputs;
  std::vector<unsigned> outputs;
  std::uint8_t setting = 0;  ///< bits of the whole element's setting
};

/// The element alone, for encode().
fred::Interconnect alone(const UswitchShape& shape) {
  fred::Interconnect net;
  net.m = shape.m;
  fred::Element element;
  element.kind = static_cast<fred::ElementKind>(shape.kind);
  element.sources.resize(shape.inputs);
  element.sinks.resize(shape.outputs);
  net.elements = {element};
  return net;
}

void add_operations(const fred::Interconnect& net, const fred::UswitchSetting& setting,
                    std::vector<Operation>& operations) {
  const fred::Element& element = net.elements.front();
  const std::uint8_t bits = fred::encode(net, {setting}).front();
  const std::size_t first = operations.size();
  for (unsigned o = 0; o < element.sinks.size(); ++o) {
    Operation operation;
    for (unsigned i = 0; i < element.sources.size(); ++i) {
      if (fred::feeds(element.kind, setting, i, o)) operation.inputs.push_back(i);
    }
    if (operation.inputs.empty()) continue;
    if (setting.distribute && operations.size() > first) {
      operations.back().outputs.push_back(o);
      continue;
    }
    operation.outputs = {o};
    operation.setting = bits;
    operations.push_back(operation);
  }
}

/// Every operation of every legal setting.
std::vector<Operation> all_operations(const UswitchShape& shape) {
  const fred::Interconnect net = alone(shape);
  const auto kind = static_cast<fred::ElementKind>(shape.kind);
  const bool two = fred::is_uswitch(kind);
  const int most = kind == fred::ElementKind::kBoth ? 3 : shape.m;
  std::vector<Operation> operations;
  for (int first = 0; first <= most; ++first) {
    for (int second = 0; second <= (two ? most : 0); ++second) {
      fred::UswitchSetting setting;
      setting.select = {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(second)};
      const bool equal = two && first == second && first != 0;
      if (kind == fred::ElementKind::kBoth && !equal && (first & second) != 0) continue;
      setting.reduce =
          kind == fred::ElementKind::kBoth ? first == 3 || second == 3 : kind == fred::ElementKind::kReduce && equal;
      setting.distribute = (kind == fred::ElementKind::kBoth || kind == fred::ElementKind::kDistribute) && equal;
      add_operations(net, setting, operations);
    }
  }
  return operations;
}

/// The model's datapath of an operation, and the beats that go through it.
struct Running {
  Operation operation;
  std::unique_ptr<fred::ElasticDatapath> datapath;
  std::uint64_t beats = 0;              ///< in all, of each input
  std::vector<std::uint64_t> offered;   ///< by input, with the one that waits
  std::vector<UswitchDut::Beat> waits;  ///< by input
};

class Bench {
 public:
  Bench(const UswitchShape& shape, const UswitchRun& run)
      : shape_(shape),
        run_(run),
        random_(run.seed, NodeId{shape.index}),
        format_(static_cast<int>(random_.below(shape.accumulate_fp32 ? 6 : 4))),
        op_(static_cast<ReduceOp>(random_.below(3))),
        operations_(all_operations(shape)),
        pool_(shape.lanes * 4 / element_bytes(spec_format().element)),
        context_{spec_, pool_},
        dut_(shape, format_, static_cast<int>(op_), static_cast<unsigned>(run.seed) * 2 + 1, run.mutant) {
    spec_.flow_control = fred::PortFlowControl::kWormhole;  // outputs may be closed
    spec_.stage = shape.skid ? fred::StageBuffer::kSkid : fred::StageBuffer::kRegister;
    spec_.values = true;
    spec_.format = spec_format();
    spec_.op = op_;
  }

  std::optional<std::string> all_cycles() {
    dut_.reset(true);
    dut_.settle();
    dut_.clock();
    const std::uint64_t drain = run_.cycles - std::min<std::uint64_t>(run_.cycles / 2, 400);
    for (cycle_ = 0; cycle_ < run_.cycles; ++cycle_) {
      draining_ = cycle_ >= drain;
      if (auto difference = one_cycle()) return difference;
    }
    if (!running_.empty()) return what("beats are left at the end");
    return std::nullopt;
  }

 private:
  fred::LaneFormat spec_format() const {
    return fred::lane_format(fred::lane_format_names().at(static_cast<std::size_t>(format_)));
  }

  std::string what(const std::string& text) const {
    return fmt::format("{} m {}, {} lanes, skid {}, reduce_cycles {}, {} {}, cycle {}: {}",
                       fred::name_of(static_cast<fred::ElementKind>(shape_.kind)), shape_.m, shape_.lanes,
                       shape_.skid ? 1 : 0, shape_.reduce_cycles, fred::lane_format_names()[format_], name_of(op_),
                       cycle_, text);
  }

  bool free(const Operation& wanted) const {
    const auto meets = [](const std::vector<unsigned>& a, const std::vector<unsigned>& b) {
      return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
    };
    return std::none_of(running_.begin(), running_.end(), [&](const Running& running) {
      return meets(running.operation.inputs, wanted.inputs) || meets(running.operation.outputs, wanted.outputs);
    });
  }

  void start_operations() {
    if (draining_ || random_.below(2) != 0) return;
    // One waits until its pins are free, so that those with many pins are served.
    if (next_ == nullptr) next_ = &operations_[random_.below(operations_.size())];
    if (!free(*next_)) return;
    const Operation& wanted = *std::exchange(next_, nullptr);
    fred::DatapathPlan plan;
    fred::DatapathOp op;
    op.inputs = static_cast<std::uint8_t>(wanted.inputs.size());
    op.outputs = static_cast<std::uint8_t>(wanted.outputs.size());
    for (std::uint16_t i = 0; i < op.inputs; ++i) {
      op.from[i] = i;
      plan.inputs.push_back(static_cast<std::uint8_t>(wanted.inputs[i]));
      plan.registers.push_back(0);
    }
    for (std::uint16_t o = 0; o < op.outputs; ++o) {
      op.to[o] = static_cast<std::uint16_t>(op.inputs + o);
      plan.outputs.push_back(static_cast<std::uint8_t>(wanted.outputs[o]));
      plan.out_wires.push_back(op.to[o]);
      plan.registers.push_back(static_cast<std::uint8_t>(op.inputs == 2 ? shape_.reduce_cycles : 1));
    }
    plan.ops = {op};
    Running running;
    running.operation = wanted;
    running.datapath = std::make_unique<fred::ElasticDatapath>(plan, context_);
    running.beats = 1 + random_.below(30);
    running.offered.resize(op.inputs);
    running.waits.resize(op.inputs);
    running_.push_back(std::move(running));
  }

  /// The words of a beat as they lie on the wires.
  UswitchDut::Data on_wires(std::uint32_t slot) {
    UswitchDut::Data data{};
    const std::uint32_t* words = pool_.at(slot);
    const unsigned lane_words = shape_.accumulate_fp32 ? 2 : 1;
    const bool halves = element_bytes(spec_.format.element) == 2 && !spec_.format.fp32_accumulation;
    for (unsigned i = 0; i < pool_.words(); ++i) {
      if (spec_.format.fp32_accumulation) {
        data.at(i) = words[i];
      } else if (halves) {
        data.at(i / 2 * lane_words) |= words[i] << 16 * (i % 2);
      } else {
        data.at(i * lane_words) = words[i];
      }
    }
    return data;
  }

  static std::uint16_t side_of(const fred::Beat& beat) {
    return static_cast<std::uint16_t>(beat.packet << 3 | (beat.flit_end ? 4U : 0U) | (beat.tail ? 2U : 0U) |
                                      (beat.head ? 1U : 0U));
  }

  void make_beat(Running& running, unsigned i) {
    auto& input = running.datapath->input(i);
    const std::uint64_t k = running.offered[i]++;
    input.valid = true;
    input.beat = {};
    input.beat.head = k % kBeatsPerPacket == 0;
    input.beat.tail = k % kBeatsPerPacket == kBeatsPerPacket - 1;
    input.beat.flit_end = k % kBeatsPerFlit == kBeatsPerFlit - 1;
    input.beat.packet = static_cast<std::uint32_t>(random_.below(1 << 13));
    input.beat.data = pool_.take();
    const bool halves = element_bytes(spec_.format.element) == 2 && !spec_.format.fp32_accumulation;
    for (unsigned w = 0; w < pool_.words(); ++w) {
      const auto bits = static_cast<std::uint32_t>(random_.bits());
      pool_.at(input.beat.data)[w] = halves ? bits & 0xFFFF : bits;
    }
    running.waits[i] = {side_of(input.beat), on_wires(input.beat.data)};
  }

  void drive() {
    for (unsigned pin = 0; pin < shape_.inputs; ++pin) dut_.offer_nothing(pin);
    for (Running& running : running_) {
      for (unsigned i = 0; i < running.waits.size(); ++i) {
        const bool more = !running.datapath->input(i).valid && running.offered[i] < running.beats;
        if (more && (draining_ || random_.unit() > run_.stall_in)) make_beat(running, i);
        if (running.datapath->input(i).valid) {
          dut_.offer(running.operation.inputs[i], running.waits[i], running.operation.setting);
        }
      }
    }
    for (unsigned pin = 0; pin < shape_.outputs; ++pin) {
      ready_[pin] = draining_ || random_.unit() > run_.stall_out;
      dut_.receive(pin, ready_[pin]);
    }
  }

  std::optional<std::string> compare_inputs(Running& running) {
    for (unsigned i = 0; i < running.waits.size(); ++i) {
      const unsigned pin = running.operation.inputs[i];
      auto& input = running.datapath->input(i);
      const bool taken = input.valid && dut_.ready(pin);
      if (taken != input.taken)
        return what(fmt::format("input {} {}", pin, taken ? "is taken too early" : "is not taken"));
      if (!input.taken) continue;
      pool_.release(input.beat.data);
      input.valid = false;
    }
    return std::nullopt;
  }

  std::optional<std::string> compare_outputs(Running& running) {
    for (unsigned o = 0; o < running.operation.outputs.size(); ++o) {
      const unsigned pin = running.operation.outputs[o];
      const auto& output = running.datapath->output(o);
      used_[pin] = true;
      const bool given = ready_[pin] && dut_.valid(pin);
      if (given != output.valid) return what(fmt::format("output {} gives {}", pin, given ? "too early" : "nothing"));
      if (!given) continue;
      const UswitchDut::Beat found = dut_.beat(pin);
      const UswitchDut::Data expected = on_wires(output.beat.data);
      pool_.release(output.beat.data);
      if (found.side != side_of(output.beat)) {
        return what(fmt::format("output {} has side {:#x}, not {:#x}", pin, found.side, side_of(output.beat)));
      }
      if (found.data != expected) {
        return what(
            fmt::format("output {} gives {:#x}, not {:#x}", pin, fmt::join(found.data, " "), fmt::join(expected, " ")));
      }
    }
    return std::nullopt;
  }

  std::optional<std::string> reset_in_traffic() {
    running_.clear();
    for (unsigned pin = 0; pin < shape_.inputs; ++pin) dut_.offer_nothing(pin);
    dut_.reset(true);
    dut_.settle();
    for (unsigned pin = 0; pin < shape_.outputs; ++pin) {
      if (dut_.valid(pin)) return what("a reset leaves a beat inside");
    }
    return dut_.clock() ? std::nullopt : std::optional(what("an assertion failed"));
  }

  std::optional<std::string> one_cycle() {
    if (cycle_ == 0 || (!draining_ && random_.unit() <= run_.resets)) return reset_in_traffic();
    dut_.reset(false);
    start_operations();
    drive();
    dut_.settle();
    std::fill(std::begin(used_), std::end(used_), false);
    for (Running& running : running_) {
      for (unsigned o = 0; o < running.operation.outputs.size(); ++o) {
        running.datapath->output(o).ready = ready_[running.operation.outputs[o]];
      }
      running.datapath->step();
      if (auto difference = compare_inputs(running)) return difference;
      if (auto difference = compare_outputs(running)) return difference;
    }
    for (unsigned pin = 0; pin < shape_.outputs; ++pin) {
      if (!used_[pin] && dut_.valid(pin)) return what(fmt::format("output {} gives what nobody sent", pin));
    }
    if (!dut_.clock()) return what("an assertion failed");
    const auto ended = [](const Running& running) {
      return running.datapath->empty() && !running.datapath->input(0).valid &&
             running.offered.front() == running.beats && !running.datapath->input(running.offered.size() - 1).valid &&
             running.offered.back() == running.beats;
    };
    running_.erase(std::remove_if(running_.begin(), running_.end(), ended), running_.end());
    return std::nullopt;
  }

  UswitchShape shape_;
  UswitchRun run_;
  RandomStream random_;
  int format_;
  ReduceOp op_;
  std::vector<Operation> operations_;
  const Operation* next_ = nullptr;
  fred::SwitchSpec spec_;
  fred::WordPool pool_;
  fred::DatapathContext context_;
  UswitchDut dut_;
  std::vector<Running> running_;
  bool ready_[4] = {};
  bool used_[4] = {};  ///< outputs that an operation owns
  bool draining_ = false;
  std::uint64_t cycle_ = 0;
};

}  // namespace

std::optional<std::string> uswitch_difference(const UswitchShape& shape, const UswitchRun& run) {
  return Bench(shape, run).all_cycles();
}

}  // namespace weft::rtl_test
