// SPDX-License-Identifier: Apache-2.0
// A flow's uSwitches in time: elastic stages with valid and ready.
#pragma once

#include <cstdint>
#include <vector>

#include "base/checkpoint.h"
#include "switch/network/beat.h"
#include "switch/network/beat_delay.h"
#include "switch/network/datapath_plan.h"
#include "switch/network/switch_spec.h"
#include "switch/network/wire_watch.h"

namespace weft::fred {

/// What the datapaths of a switch share.
struct DatapathContext {
  const SwitchSpec& spec;
  WordPool& pool;
  std::uint64_t moves = 0;       ///< beats that entered a uSwitch's output register
  std::uint64_t reductions = 0;  ///< pairs of beats added
  WireWatch* watch = nullptr;    ///< is shown what the wires carry; mostly null
};

/// One flow's part of the interconnect, with the registers of the wires that it uses. A uSwitch that adds waits for
/// both operands (join); one that copies lets each output take its copy as soon as it can (eager fork, one done bit per
/// output) and takes the next beat when all have. A result passes `reduce_cycles` registers if it is a sum, else one;
/// none behind a uSwitch without a register. In a step valid is settled from the registers forward, producers before
/// consumers; then readiness from the output ports backwards, consumers before producers. Readiness depends on valid,
/// never the reverse. Datapaths that are active at the same time share no wire. Where packets that have started never
/// wait (cut-through, operands in step), all this is a BeatDelay.
class ElasticDatapath {
 public:
  ElasticDatapath(DatapathPlan plan, DatapathContext& context);

  const DatapathPlan& plan() const { return plan_; }

  /// The delay that stands for all registers where beats never wait; null where they may. With a delay its steps are
  /// those of step_delay; input(), output() and step() are for the other case.
  const BeatDelay* delay() const { return delay_.exists() ? &delay_ : nullptr; }
  /// A step in which `beat` enters, if it is not null. `operands`: the slots of its data by input, which the datapath
  /// takes over; empty where it carries no data. What shows at the outputs is in delay().
  void step_delay(const Beat* beat, const std::vector<std::uint32_t>& operands) {
    delay_.step(beat);
    if (beat == nullptr) return;
    context_.moves += delay_.moves();
    context_.reductions += delay_.joins();
    if (!slots_.empty()) reduce_entered(operands);
  }

  /// Counts a packet of so many beats, which passes as the delay says, without its steps.
  void count_train(std::uint64_t beats) {
    context_.moves += beats * delay_.moves();
    context_.reductions += beats * delay_.joins();
  }

  // Where beats may wait, for each step: what the inputs offer and the outputs can take, then step(), then what
  // happened.
  struct Input {
    bool valid = false;
    Beat beat;
    bool taken = false;
  };
  struct Output {
    bool ready = true;
    bool valid = false;  ///< a beat was delivered; its slot now belongs to the receiver
    Beat beat;
  };
  Input& input(std::size_t i) { return inputs_[i]; }
  Output& output(std::size_t i) { return outputs_[i]; }
  void step();

  /// Nothing inside.
  bool empty() const { return inside_ == 0 && delay_.empty(); }
  /// How much the context has counted in advance, of beats that are still inside.
  std::uint64_t moves_ahead() const { return delay_.moves_ahead(); }
  std::uint64_t reductions_ahead() const { return delay_.joins_ahead(); }
  /// What the future depends on: content of all registers.
  std::uint64_t state() const;
  /// Writes its state between two steps into `checkpoint`, or takes it from there, without data.
  void keep(Checkpoint& checkpoint);

 private:
  struct Register {
    Beat beats[2];
    std::uint8_t count = 0;
  };
  struct Fork {
    bool done[2] = {false, false};
    bool made = false;
    Beat result;  ///< kept while one output has not taken it yet
  };

  void reduce_entered(const std::vector<std::uint32_t>& operands);
  // Watched: all of it is shown.
  template <bool Watched>
  void move();
  template <bool Watched>
  void run(const DatapathOp& op, Fork& fork);
  template <bool Watched>
  void pass(std::uint16_t from, std::uint16_t to);
  void enter(std::uint16_t wire, const Beat& beat);
  void settle_valid();
  bool advance(std::uint16_t wire);
  bool valid(std::uint16_t wire) const {
    if (wire < inputs_.size()) return inputs_[wire].valid;
    return through(wire) ? passing_[wire].valid : last(wire).count > 0;
  }
  const Beat& front(std::uint16_t wire) const {
    if (wire < inputs_.size()) return inputs_[wire].beat;
    return through(wire) ? passing_[wire].beat : last(wire).beats[0];
  }
  /// A wire without a register, which is none of the inputs'.
  bool through(std::uint16_t wire) const {
    return !passing_.empty() && first_[wire] == first_[wire + std::size_t{1}] && wire >= inputs_.size();
  }
  const Register& last(std::uint16_t wire) const { return registers_[first_[wire + std::size_t{1}] - 1]; }
  Beat join(const DatapathOp& op);
  std::uint32_t sum_of(std::uint32_t a, std::uint32_t b);
  template <bool Watched>
  void drain(std::uint16_t wire);
  void show(WireWatch& watch) const;
  void show_data(WireWatch& watch, std::uint32_t channel, std::uint32_t slot) const;
  std::uint32_t channel_of(std::uint16_t wire) const {
    return wire < inputs_.size() ? plan_.inputs[wire] : plan_.uses[wire - inputs_.size()].channel;
  }

  DatapathPlan plan_;
  DatapathContext& context_;
  bool skid_;
  BeatDelay delay_;                   ///< stands for all registers where beats never wait; the rest is empty then
  std::vector<std::uint32_t> slots_;  ///< with it, by wire: the data of the beat that enters; empty without values
  std::vector<std::uint32_t> first_;  ///< by wire: its first register; one more at the end
  std::vector<Register> registers_;
  std::vector<std::uint8_t> drained_;  ///< by wire: its front leaves in this step
  std::vector<Input> passing_;         ///< by wire: what those without registers carry in this step; empty if all have
  std::vector<Fork> forks_;            ///< by operation
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::uint32_t forks_made_ = 0;  ///< forks with `made`
  std::uint64_t inside_ = 0;
};

}  // namespace weft::fred
