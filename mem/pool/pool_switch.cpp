// SPDX-License-Identifier: Apache-2.0
#include "mem/pool/pool_switch.h"

#include <algorithm>

namespace weft::mem {

PoolSwitch::PoolSwitch(PoolNet& net, std::vector<std::uint32_t> inputs, const std::vector<std::uint32_t>& outputs,
                       Route route)
    : net_(net), inputs_(std::move(inputs)), route_(route), queues_(inputs_.size() * outputs.size()) {
  for (const std::uint32_t link : outputs) {
    Output& output = outputs_.emplace_back();
    output.link = link;
    output.waiting.assign(inputs_.size() / 64 + 1, 0);
  }
}

void PoolSwitch::step(Cycle now) {
  for (std::uint32_t input = 0; input < inputs_.size(); ++input) {
    while (!net_.empty(inputs_[input])) sort_in(input);
  }
  for (std::uint32_t number = 0; number < outputs_.size(); ++number) {
    if (outputs_[number].flits > 0) forward(outputs_[number], number, now);
  }
}

/// Puts the next flit of an input into the queue of its output.
void PoolSwitch::sort_in(std::uint32_t input) {
  const PoolFlit flit = net_.take(inputs_[input]);
  const std::uint32_t number = route_(net_.packet(flit.packet));
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(held_.size()));
    held_.emplace_back();
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  held_[slot] = {flit, kNone};
  Queue& line = queue(input, number);
  (line.first == kNone ? line.first : held_[line.last].behind) = slot;
  line.last = slot;
  outputs_[number].waiting[input / 64] |= std::uint64_t{1} << input % 64;
  ++outputs_[number].flits;
}

void PoolSwitch::forward(Output& output, std::uint32_t number, Cycle now) {
  while (output.flits > 0 && net_.can_send(output.link, now)) {
    if (output.owner == kNone) output.owner = next_waiting(output);
    const std::uint32_t input = output.owner;
    Queue& line = queue(input, number);
    if (line.first == kNone) return;  // the rest of the packet is still on its way
    const std::uint32_t slot = line.first;
    const PoolFlit flit = held_[slot].flit;
    line.first = held_[slot].behind;
    free_.push_back(slot);
    --output.flits;
    if (line.first == kNone) output.waiting[input / 64] &= ~(std::uint64_t{1} << input % 64);
    net_.give_back(inputs_[input], now);
    net_.send(output.link, flit, now);
    if (!flit.tail) continue;
    output.next = (input + 1) % static_cast<std::uint32_t>(inputs_.size());
    output.owner = kNone;
  }
}

/// The next input in round-robin order with flits for the output; there is one. Without an owner every queue begins
/// with a head.
std::uint32_t PoolSwitch::next_waiting(const Output& output) const {
  const std::size_t words = output.waiting.size();
  std::size_t word = output.next / 64;
  std::uint64_t bits = output.waiting[word] & ~std::uint64_t{0} << output.next % 64;
  while (bits == 0) {
    word = (word + 1) % words;
    bits = output.waiting[word];
  }
  return static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(__builtin_ctzll(bits));
}

Cycle PoolSwitch::next_work(Cycle now) const {
  Cycle next = kNever;
  for (const Output& output : outputs_) {
    if (output.flits > 0) next = std::min(next, net_.next_slot(output.link, now + 1));
  }
  return next;
}

std::uint64_t PoolSwitch::state_hash(Cycle /*now*/, const AccessAges& accesses) const {
  StateHash hash;
  for (const Output& output : outputs_) hash.add(output.owner).add(output.next).add(output.flits);
  for (const Queue& queue : queues_) {
    for (std::uint32_t slot = queue.first; slot != kNone; slot = held_[slot].behind)
      hash.add(net_.flit_hash(held_[slot].flit, accesses));
    hash.add(kNone);
  }
  return hash.value();
}

}  // namespace weft::mem
