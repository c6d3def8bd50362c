// SPDX-License-Identifier: Apache-2.0
#include "switch/network/elastic_datapath.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/random.h"

namespace weft::fred {
namespace {

void push(Beat* beats, std::uint8_t& count, const Beat& beat) { beats[count++] = beat; }

void pop(Beat* beats, std::uint8_t& count) {
  beats[0] = beats[1];
  --count;
}

void check_operands(const Beat& a, const Beat& b) {
  WEFT_CHECK(a.head == b.head && a.tail == b.tail && a.flit_end == b.flit_end,
             "a uSwitch adds beats of different places in their packets: packets of one flow differ in length");
}

/// Whether a packet that has started in this switch never stops in the datapath.
bool never_waits(const DatapathPlan& plan, const DatapathContext& context) {
  return context.spec.flow_control == PortFlowControl::kCutThrough && context.watch == nullptr && !plan.skewed &&
         plan.depth <= BeatDelay::kMost && !plan.inputs.empty();
}

}  // namespace

ElasticDatapath::ElasticDatapath(DatapathPlan plan, DatapathContext& context)
    : plan_(std::move(plan)), context_(context), skid_(context.spec.stage == StageBuffer::kSkid) {
  if (never_waits(plan_, context_)) {
    delay_ = BeatDelay(plan_, context_.spec.values);
    if (context_.spec.values) slots_.resize(plan_.registers.size());
    return;
  }
  drained_.resize(plan_.registers.size(), 0);
  forks_.resize(plan_.ops.size());
  inputs_.resize(plan_.inputs.size());
  outputs_.resize(plan_.outputs.size());
  std::uint32_t first = 0;
  for (const std::uint8_t count : plan_.registers) {
    first_.push_back(first);
    first += count;
  }
  first_.push_back(first);
  registers_.resize(first);
  const auto without = std::count(plan_.registers.begin(), plan_.registers.end(), 0);
  if (static_cast<std::size_t>(without) > inputs_.size()) passing_.resize(plan_.registers.size());
}

void ElasticDatapath::step() { context_.watch == nullptr ? move<false>() : move<true>(); }

/// The data that each output gets of the beat that has entered. All its operands come in the same step, so that their
/// sum is known then; it is added in the order of the uSwitches.
void ElasticDatapath::reduce_entered(const std::vector<std::uint32_t>& operands) {
  WordPool& pool = context_.pool;
  if (operands.empty()) std::fill_n(slots_.begin(), plan_.inputs.size(), WordPool::kNone);
  std::copy(operands.begin(), operands.end(), slots_.begin());
  for (std::size_t i = plan_.ops.size(); i-- > 0;) {  // producers before consumers
    const DatapathOp& op = plan_.ops[i];
    const std::uint32_t result = op.inputs == 1 ? slots_[op.from[0]] : sum_of(slots_[op.from[0]], slots_[op.from[1]]);
    if (op.inputs == 1) pool.share(result);
    for (int k = 0; k < op.outputs; ++k) slots_[op.to[k]] = result;
    if (op.outputs == 2) pool.share(result);
    for (int k = 0; k < op.inputs; ++k) pool.release(slots_[op.from[k]]);
  }
  for (std::size_t i = 0; i < plan_.out_wires.size(); ++i) delay_.entered_data(i) = slots_[plan_.out_wires[i]];
}

template <bool Watched>
void ElasticDatapath::move() {
  for (Input& input : inputs_) input.taken = false;
  if (!passing_.empty()) settle_valid();
  if constexpr (Watched) show(*context_.watch);
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    Output& output = outputs_[i];
    const std::uint16_t wire = plan_.out_wires[i];
    output.valid = output.ready && valid(wire);
    if (!output.valid) continue;
    output.beat = front(wire);
    context_.pool.share(output.beat.data);
    drain<Watched>(wire);
  }
  for (std::size_t i = 0; i < forks_.size(); ++i) run<Watched>(plan_.ops[i], forks_[i]);
}

/// What is on the wires before anything moves.
void ElasticDatapath::show(WireWatch& watch) const {
  for (std::size_t i = 0; i < plan_.registers.size(); ++i) {
    const auto wire = static_cast<std::uint16_t>(i);
    if (!valid(wire)) continue;
    const Beat& beat = front(wire);
    const std::uint32_t channel = channel_of(wire);
    WireSample& sample = watch.show(channel);
    sample.head = beat.head;
    sample.tail = beat.tail;
    sample.traffic_class = beat.traffic_class;
    sample.setting = beat.setting;
    sample.packet = beat.packet;
    sample.has_data = watch.data_bytes() > 0 && beat.data != WordPool::kNone;
    if (sample.has_data) show_data(watch, channel, beat.data);
  }
  for (const DatapathOp& op : plan_.ops) {
    const std::uint32_t from = channel_of(op.from[0]);
    const WireSample& sample = watch.wires()[from];
    if (valid(op.from[0]) && sample.setting == kUnicasts) watch.lead(from, watch.pin(channel_of(op.to[0])));
  }
}

/// Words as they lie between the elements, without the unused halves of narrow ones.
void ElasticDatapath::show_data(WireWatch& watch, std::uint32_t channel, std::uint32_t slot) const {
  const std::uint32_t* const words = context_.pool.at(slot);
  const std::size_t size = watch.data_bytes() / context_.pool.words();
  std::uint8_t* to = watch.data(channel);
  for (std::size_t i = 0; i < context_.pool.words(); ++i, to += size) std::memcpy(to, &words[i], size);
}

/// Producers before consumers. What an operation makes is kept until all its outputs have taken it.
void ElasticDatapath::settle_valid() {
  for (std::size_t i = forks_.size(); i-- > 0;) {
    const DatapathOp& op = plan_.ops[i];
    Fork& fork = forks_[i];
    if (!through(op.to[0])) continue;  // all outputs of a uSwitch are alike
    const bool here = valid(op.from[0]) && (op.inputs == 1 || valid(op.from[1]));
    const bool alone = op.inputs == 1 && op.outputs == 1;
    if (here && !alone && !std::exchange(fork.made, true)) {
      ++forks_made_;
      fork.result = join(op);
    }
    for (int k = 0; k < op.outputs; ++k) {
      Input& wire = passing_[op.to[k]];
      wire.valid = here && !fork.done[k];
      if (wire.valid) wire.beat = alone ? front(op.from[0]) : fork.result;
    }
  }
}

template <bool Watched>
void ElasticDatapath::drain(std::uint16_t wire) {
  if constexpr (Watched) context_.watch->take(channel_of(wire));
  if (wire < inputs_.size()) {
    inputs_[wire].taken = true;
  } else {
    drained_[wire] = 1;
  }
}

/// Its producers still show what they held at the start of the step: they come later.
template <bool Watched>
void ElasticDatapath::run(const DatapathOp& op, Fork& fork) {
  if (op.inputs == 1 && op.outputs == 1) {
    pass<Watched>(op.from[0], op.to[0]);
    return;
  }
  bool room[2] = {};
  for (int k = 0; k < op.outputs; ++k) room[k] = advance(op.to[k]);
  if (!valid(op.from[0]) || (op.inputs == 2 && !valid(op.from[1]))) return;
  bool all = true;
  for (int k = 0; k < op.outputs; ++k) {
    if (fork.done[k]) continue;
    if (!room[k]) {
      all = false;
      continue;
    }
    if (!std::exchange(fork.made, true)) {
      ++forks_made_;
      fork.result = join(op);
    }
    enter(op.to[k], fork.result);
    fork.done[k] = true;
  }
  if (!all) return;
  context_.pool.release(fork.result.data);
  fork.made = fork.done[0] = fork.done[1] = false;
  --forks_made_;
  for (int i = 0; i < op.inputs; ++i) drain<Watched>(op.from[i]);
}

/// The same where nothing is added or copied.
template <bool Watched>
void ElasticDatapath::pass(std::uint16_t from, std::uint16_t to) {
  if (!advance(to) || !valid(from)) return;
  enter(to, front(from));
  drain<Watched>(from);
}

/// A beat goes onto a wire that can take it.
void ElasticDatapath::enter(std::uint16_t wire, const Beat& beat) {
  ++context_.moves;
  if (through(wire)) return;  // its consumer has it already
  context_.pool.share(beat.data);
  Register& entry = registers_[first_[wire]];
  push(entry.beats, entry.count, beat);
  ++inside_;
}

/// Moves what can move, from the output back to the entry; whether the entry can take a beat in this step. Without a
/// register: whether the consumer has taken it.
bool ElasticDatapath::advance(std::uint16_t wire) {
  bool next_has_room = std::exchange(drained_[wire], 0) != 0;
  if (through(wire)) return next_has_room;
  Register* const begin = &registers_[first_[wire]];
  if (!skid_ && first_[wire + std::size_t{1}] - first_[wire] == 1) {  // the usual case: one register
    if (begin->count == 0) return true;
    if (!next_has_room) return false;
    context_.pool.release(begin->beats[0].data);
    begin->count = 0;
    --inside_;
    return true;
  }
  Register* const end = begin + (first_[wire + std::size_t{1}] - first_[wire]);
  for (Register* entry = end - 1; entry >= begin; --entry) {
    const bool leaves = entry->count > 0 && next_has_room;
    const bool has_room = skid_ ? entry->count < 2 : entry->count == 0 || leaves;
    if (leaves) {
      const Beat beat = entry->beats[0];
      pop(entry->beats, entry->count);
      if (entry == end - 1) {
        context_.pool.release(beat.data);
        --inside_;
      } else {
        push(entry[1].beats, entry[1].count, beat);
      }
    }
    next_has_room = has_room;
  }
  return next_has_room;
}

/// The sum of two operands, that of the lower input first, or a further user of the only one.
Beat ElasticDatapath::join(const DatapathOp& op) {
  Beat result = front(op.from[0]);
  if (op.inputs == 1) {
    context_.pool.share(result.data);
    return result;
  }
  const Beat& operand = front(op.from[1]);
  check_operands(result, operand);
  ++context_.reductions;
  result.data = sum_of(result.data, operand.data);
  return result;
}

/// A new slot with the sum of two; none where operands carry no data.
std::uint32_t ElasticDatapath::sum_of(std::uint32_t a, std::uint32_t b) {
  if (a == WordPool::kNone) return a;
  WordPool& pool = context_.pool;
  const std::uint32_t sum = pool.take();
  std::copy_n(pool.at(a), pool.words(), pool.at(sum));
  reduce_lanes(context_.spec.format, context_.spec.op, pool.at(sum), pool.at(b), pool.words());
  return sum;
}

std::uint64_t ElasticDatapath::state() const {
  std::uint64_t hash = inside_;
  const auto add = [&hash](std::uint64_t value) { hash = mix64(hash ^ value); };
  const auto add_beat = [&](const Beat& beat) {
    add(std::uint64_t{beat.packet_flits} << 3 | std::uint64_t{beat.head} << 2 | std::uint64_t{beat.tail} << 1 |
        std::uint64_t{beat.flit_end});
  };
  for (const Register& entry : registers_) {
    add(entry.count);
    for (int i = 0; i < entry.count; ++i) add_beat(entry.beats[i]);
  }
  delay_.for_each([&](std::uint32_t age, const Beat& beat) {
    add(age);
    add_beat(beat);
  });
  for (const Fork& fork : forks_) add(std::uint64_t{fork.done[0]} << 1 | std::uint64_t{fork.done[1]});
  return hash;
}

/// What outputs, drained wires and wires without registers show lasts for a step only, and an input that has not been
/// taken is offered anew.
void ElasticDatapath::keep(Checkpoint& checkpoint) {
  delay_.keep(checkpoint);
  checkpoint.all(registers_, [&](Register& entry) {
    checkpoint.values(entry.count);
    for (Beat& beat : entry.beats) fred::keep(checkpoint, beat);
  });
  checkpoint.all(forks_, [&](Fork& fork) {
    checkpoint.values(fork.done[0], fork.done[1], fork.made);
    fred::keep(checkpoint, fork.result);
  });
  checkpoint.values(forks_made_, inside_);
}

}  // namespace weft::fred
