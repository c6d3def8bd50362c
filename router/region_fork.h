// SPDX-License-Identifier: Apache-2.0
// Multicast through VCs: a packet that goes on by several outputs is copied by each of them independently.
#pragma once

#include <algorithm>

#include "router/region_impl.h"

namespace weft::router {

template <int Cap>
void RegionImpl<Cap>::set_trees(const RegionParameters& parameters) {
  if (parameters.multicast == nullptr) return;
  forks_.resize(state_.size());
  for (const auto& [name, branches] : parameters.multicast->trees) {
    std::vector<std::uint8_t>& outputs = trees_[tree_key(name.sender, name.message_class)];
    outputs.resize(state_.size());
    for (const MulticastBranch& branch : branches) {
      const Coordinates at = grid_.coordinates(branch.node);
      const bool here = at.x >= rectangle_.x && at.x < rectangle_.x + rectangle_.width && at.y >= rectangle_.y &&
                        at.y < rectangle_.y + rectangle_.height;
      if (here) outputs[router_at(at)] = branch.outputs;
    }
  }
}

// The head at the front of `vc` starts to be copied, if its tree has several outputs here. Every copy has a descriptor
// of its own from now on, since their routes and times part.
template <int Cap>
bool RegionImpl<Cap>::start_fork(std::uint32_t router, int vc, Cycle now) {
  const PacketIndex packet = front(router, vc).packet();
  if (!(*pool_)[packet].follows_route) return false;
  const std::uint8_t outputs = tree_outputs(router, (*pool_)[packet]);
  if ((outputs & (outputs - 1U)) == 0) return false;
  WEFT_CHECK((*pool_)[packet].flits <= depth_,
             "a packet to be copied does not fit its buffer: " + describe(router, vc));
  Fork fork;
  fork.input = static_cast<std::uint8_t>(vc);
  fork.packet = packet;
  fork.flits = (*pool_)[packet].flits;
  for_each_bit(std::uint32_t{outputs}, [&](int port) {
    Fork::Branch branch{};
    branch.vc = kNoVc;
    branch.port = static_cast<std::uint8_t>(port);
    const bool turn = is_turn(PortId{static_cast<std::uint8_t>(vc / Cap)}, PortId{branch.port});
    branch.from = now + routing_delay_ + (turn ? turn_cycles_ : 0);
    branch.packet = pool_->allocate();
    (*pool_)[branch.packet] = (*pool_)[packet];
    if (data_ != nullptr && !fork.branches.empty()) data_->copied((*pool_)[branch.packet]);
    fork.branches.push_back(branch);
  });
  inside_ += std::uint64_t{fork.flits} * (fork.branches.size() - 1);
  state_[router].in[vc].output = kForked;
  std::vector<Fork>& list = forks_[router].list;
  const auto before =
      std::find_if(list.begin(), list.end(), [&](const Fork& other) { return other.input > fork.input; });
  list.insert(before, std::move(fork));
  queue(router);
  return true;
}

// Lets every copy of `router` go on where its output is free: by a flit, or, between links that carry several per
// cycle, by as many as input and output carry. Returns the outputs that are taken then; of links of any rate, their
// LinkRate says what is left for others.
template <int Cap>
unsigned RegionImpl<Cap>::serve_forks(std::uint32_t router, unsigned claimed, Cycle now) {
  Forks& here = forks_[router];
  std::vector<Fork>& forks = here.list;
  std::size_t first = 0;
  while (first < forks.size() && forks[first].input < here.next) ++first;
  if (first == forks.size()) first = 0;
  CopiedOutputs outputs;
  copied_.clear();
  const auto serve = [&](Fork& fork) {
    const unsigned sent = send_first_copies(router, fork, claimed, now, &outputs.wanted);
    fork.sending = static_cast<std::uint8_t>(sent);
    outputs.sent |= sent;
    if (unit_rate_) claimed |= sent;
  };
  for (std::size_t i = first; i < forks.size(); ++i) serve(forks[i]);
  for (std::size_t i = 0; i < first; ++i) serve(forks[i]);
  if (!unit_rate_) send_more_copies(router, now);
  here.next = static_cast<std::uint8_t>(forks[first].input + 1);
  here.lost = static_cast<std::uint8_t>(outputs.wanted & ~outputs.sent);
  Mask ended = 0;
  for (Fork& fork : forks) {
    if (fork.sending != 0 && release_copied(router, fork, now)) ended |= Mask{1} << fork.input;
  }
  queue(router);
  if (ended != 0) end_forks(router, ended, now);
  return claimed;
}

// Sends a flit of each copy whose output is not in `taken` and can take it, and gives an output VC to each copy that
// has none. Returns the outputs that take a flit, and enters those that copies wait for, other than for credits, into
// `wanted`.
template <int Cap>
unsigned RegionImpl<Cap>::send_first_copies(std::uint32_t router, Fork& fork, unsigned taken, Cycle now,
                                            unsigned* wanted) {
  const std::uint32_t arrived = fork.arrived(state_[router].in[fork.input].flits);
  unsigned sent = 0;
  for (Fork::Branch& branch : fork.branches) {
    if (now < branch.from) continue;
    const unsigned output = 1U << branch.port;
    if (branch.vc == kNoVc) {
      if (!take_branch_vc(router, fork, branch, now)) *wanted |= output;
    } else if (branch.sent >= arrived || !has_credit(router, branch)) {
      note_blocked(router, branch, branch.sent < arrived, now);
    } else if ((taken & output) != 0 || !link_is_open(router, branch, now)) {
      note_blocked(router, branch, false, now);
      *wanted |= output;
    } else {
      send_copy(router, fork, branch, now);
      sent |= output;
      if (!unit_rate_) copied_.push_back({&fork, &branch});
    }
  }
  return sent;
}

// Sends further flits of the copies that have sent one, by rounds of one flit, up to as many as their inputs deliver in
// a cycle. What could not send in a round cannot in the next one, since nothing arrives within a visit.
template <int Cap>
void RegionImpl<Cap>::send_more_copies(std::uint32_t router, Cycle now) {
  for (int round = 1; !copied_.empty(); ++round) {
    std::size_t again = 0;
    for (const SentCopy copy : copied_) {
      if (round >= port_flits_[kind(copy.fork->input / Cap)]) continue;
      if (copy.branch->sent >= copy.fork->arrived(state_[router].in[copy.fork->input].flits)) continue;
      if (!has_credit(router, *copy.branch) || !link_is_open(router, *copy.branch, now)) continue;
      send_copy(router, *copy.fork, *copy.branch, now);
      copied_[again++] = copy;
    }
    copied_.resize(again);
  }
}

template <int Cap>
bool RegionImpl<Cap>::has_credit(std::uint32_t router, const Fork::Branch& branch) const {
  return state_[router].out[branch.vc].credits.left() > 0;
}

template <int Cap>
bool RegionImpl<Cap>::link_is_open(std::uint32_t router, const Fork::Branch& branch, Cycle now) const {
  return unit_rate_ || link_rates_[router * kMeshPorts + branch.port].can_send(rate(branch.port), now);
}

// Notes for the statistics whether a copy waits for a credit at the end of the visit.
template <int Cap>
void RegionImpl<Cap>::note_blocked(std::uint32_t router, Fork::Branch& branch, bool blocked, Cycle now) {
  if (blocked == branch.blocked) return;
  branch.blocked = blocked;
  if (!statistics_on_) return;
  blocked ? meter(router, branch.port).block(now) : meter(router, branch.port).unblock(now);
}

// Gives a copy an output VC of set 0, from `vc_alloc_delay` cycles on. Returns false where none is free.
template <int Cap>
bool RegionImpl<Cap>::take_branch_vc(std::uint32_t router, const Fork& fork, Fork::Branch& branch, Cycle now) {
  State& state = state_[router];
  const std::uint32_t vc_set = state.in[fork.input].vc_class;
  const std::uint32_t candidates = state.free_vcs[branch.port] & vc_masks_[vc_set];
  if (candidates == 0) return false;
  const int vc = lowest_bit(candidates);
  branch.vc = static_cast<std::uint8_t>(branch.port * Cap + vc);
  branch.from = now + vc_alloc_delay_;
  state.free_vcs[branch.port] &= ~(1U << vc);
  state.out[branch.vc].owner = fork.input;
  return true;
}

template <int Cap>
void RegionImpl<Cap>::send_copy(std::uint32_t router, const Fork& fork, Fork::Branch& branch, Cycle now) {
  State& state = state_[router];
  OutputVc& out = state.out[branch.vc];
  out.credits.take(&RegionImpl::output_name, this, router, branch.vc);
  ++moved_;
  if (statistics_on_) meter(router, branch.port).count_send(now);
  ++branch.sent;
  const bool tail = branch.sent == fork.flits;
  put_on_link(router, branch.vc, Flit(branch.packet, branch.sent == 1, tail), now);
  if (!tail) return;
  if (tail_credit_) {
    out.owner = kDrainingVc;
  } else {
    out.owner = kNoVc;
    state.free_vcs[branch.port] |= 1U << (branch.vc % Cap);
    state.vc_freed = true;
  }
}

// Frees the slots of flits that all copies of `fork` have sent, at the end of a visit in which some of them have sent.
// Those that have sent may wait for a credit now, which the statistics note. Returns whether the whole packet has gone.
template <int Cap>
bool RegionImpl<Cap>::release_copied(std::uint32_t router, Fork& fork, Cycle now) {
  InputVc& in = state_[router].in[fork.input];
  const std::uint32_t arrived = fork.arrived(in.flits);
  std::uint32_t least = fork.flits;
  for (Fork::Branch& branch : fork.branches) {
    least = std::min(least, branch.sent);
    if ((fork.sending >> branch.port & 1U) == 0) continue;
    note_blocked(router, branch, branch.sent < arrived && !has_credit(router, branch), now);
  }
  for (; fork.released < least; ++fork.released) {
    in.pop(depth_, &RegionImpl::describe, this, router, fork.input);
    return_upstream(router, fork.input, now);
  }
  return fork.released == fork.flits;
}

// Packets in the input VCs `ended` have gone by all of their outputs. The next ones there may start.
template <int Cap>
void RegionImpl<Cap>::end_forks(std::uint32_t router, Mask ended, Cycle now) {
  Forks& here = forks_[router];
  const auto done = [&](const Fork& fork) { return (ended >> fork.input & 1) != 0; };
  for (const Fork& fork : here.list) {
    if (done(fork)) pool_->release(fork.packet);
  }
  here.list.erase(std::remove_if(here.list.begin(), here.list.end(), done), here.list.end());
  if (here.list.empty()) here.next = here.lost = 0;
  for_each_bit(ended, [&](int input) {
    InputVc& in = state_[router].in[input];
    in.output = kNoVc;
    if (in.flits > 0) start_packet(router, input, now, 1);
  });
}

}  // namespace weft::router
