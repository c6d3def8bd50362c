// SPDX-License-Identifier: Apache-2.0
#include "switch/network/elastic_network.h"

#include <algorithm>
#include <utility>

#include "kernel/error.h"

namespace weft::fred {
namespace {

void push(Beat* beats, std::uint8_t& count, const Beat& beat) { beats[count++] = beat; }

void pop(Beat* beats, std::uint8_t& count) {
  beats[0] = beats[1];
  --count;
}

}  // namespace

ElasticNetwork::ElasticNetwork(const Interconnect& net, const SwitchSpec& spec, WordPool& pool)
    : spec_(spec),
      pool_(pool),
      most_(spec.reduce_cycles),
      places_(std::size_t{ChannelNumbers(net).count()} * most_),
      drained_(ChannelNumbers(net).count(), 0),
      inputs_(net.ports),
      outputs_(net.ports) {}

void ElasticNetwork::load(const StageProgram* program) {
  WEFT_CHECK(empty(), "a FRED switch changes its configuration with beats inside");
  program_ = program;
  forks_.assign(program->ops.size(), Fork{});
}

void ElasticNetwork::step() {
  for (Input& input : inputs_) input.taken = false;
  for (Output& output : outputs_) output.valid = false;
  if (program_ == nullptr) return;
  for (const StageSink& sink : program_->sinks) {
    Output& output = outputs_[sink.port];
    if (!output.ready || !valid(sink.channel)) continue;
    output.valid = true;
    output.beat = front(sink.channel);
    pool_.share(output.beat.data);
    drain(sink.channel);
  }
  for (std::size_t i = 0; i < program_->ops.size(); ++i) run(program_->ops[i], forks_[i]);
}

void ElasticNetwork::drain(std::uint32_t channel) {
  if (channel < inputs_.size()) {
    inputs_[channel].taken = true;
  } else {
    drained_[channel] = 1;
  }
}

/// Its producers still show what they held at the start of the cycle: they come later.
void ElasticNetwork::run(const StageOp& op, Fork& fork) {
  const std::uint32_t depth = op.inputs == 2 ? spec_.reduce_cycles : 1;
  bool room[2] = {};
  for (int k = 0; k < op.outputs; ++k) room[k] = advance(op.to[k], depth);
  if (!valid(op.from[0]) || (op.inputs == 2 && !valid(op.from[1]))) return;
  bool all = true;
  for (int k = 0; k < op.outputs; ++k) {
    if (fork.done[k]) continue;
    if (!room[k]) {
      all = false;
      continue;
    }
    if (!std::exchange(fork.made, true)) fork.result = join(op);
    Place& entry = places_[(op.to[k] + 1) * most_ - depth];
    pool_.share(fork.result.data);
    push(entry.beats, entry.count, fork.result);
    fork.done[k] = true;
    ++inside_;
    ++moves_;
  }
  if (!all) return;
  pool_.release(fork.result.data);
  fork = Fork{};
  for (int i = 0; i < op.inputs; ++i) drain(op.from[i]);
}

/// Moves what can move, from the output back to the entry; whether the entry can take a beat in this cycle.
bool ElasticNetwork::advance(std::uint32_t channel, std::uint32_t depth) {
  bool next_has_room = std::exchange(drained_[channel], 0) != 0;
  Place* const end = &places_[(channel + 1) * most_ - 1] + 1;
  for (Place* place = end - 1; place >= end - depth; --place) {
    const bool leaves = place->count > 0 && next_has_room;
    const bool has_room = spec_.stage == StageBuffer::kSkid ? place->count < 2 : place->count == 0 || leaves;
    if (leaves) {
      const Beat beat = place->beats[0];
      pop(place->beats, place->count);
      if (place == end - 1) {
        pool_.release(beat.data);
        --inside_;
      } else {
        push(place[1].beats, place[1].count, beat);
      }
    }
    next_has_room = has_room;
  }
  return next_has_room;
}

/// The sum of two operands, that of the lower input first, or a further user of the only one.
Beat ElasticNetwork::join(const StageOp& op) {
  Beat result = front(op.from[0]);
  if (op.inputs == 1) {
    pool_.share(result.data);
    return result;
  }
  const Beat& operand = front(op.from[1]);
  WEFT_CHECK(result.head == operand.head && result.tail == operand.tail && result.flit_end == operand.flit_end,
             "a uSwitch adds beats of different places in their packets: packets of one flow differ in length");
  ++reductions_;
  if (result.data == WordPool::kNone) return result;
  const std::uint32_t sum = pool_.take();
  std::copy_n(pool_.at(result.data), pool_.words(), pool_.at(sum));
  reduce_lanes(spec_.format, spec_.op, pool_.at(sum), pool_.at(operand.data), pool_.words());
  result.data = sum;
  return result;
}

}  // namespace weft::fred
