// SPDX-License-Identifier: Apache-2.0
// Multicast through VCs: a packet that goes on by several outputs is copied by each of them independently.
#pragma once

#include <algorithm>

#include "router/region_impl.h"

namespace weft::router {

template <int Cap>
void RegionImpl<Cap>::set_trees(const RegionParameters& parameters) {
  if (parameters.multicast == nullptr) return;
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
    Fork::Branch branch;
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
  const auto found = forks_.find(router);
  if (found == forks_.end()) return claimed;
  std::vector<Fork>& forks = found->second.list;
  std::size_t first = 0;
  while (first < forks.size() && forks[first].input < found->second.next) ++first;
  unsigned sent = 0;
  // A copy takes at most as many flits as its input delivers in a cycle; in each round one.
  for (int round = 0, moved = 1; moved != 0; ++round) {
    moved = 0;
    for (std::size_t i = 0; i < forks.size(); ++i) {
      Fork& fork = forks[(first + i) % forks.size()];
      if (round < port_flits_[kind(fork.input / Cap)]) {
        const unsigned outputs = send_copies(router, fork, claimed, now, &moved);
        sent |= outputs;
        if (unit_rate_) claimed |= outputs;
      }
      if (round == 0) take_branch_vcs(router, fork, fork.branches, now);
    }
    if (unit_rate_) break;
  }
  std::vector<std::uint8_t> ended;
  for (Fork& fork : forks) {
    if (release_copied(router, fork, now)) ended.push_back(fork.input);
  }
  found->second.next = static_cast<std::uint8_t>(forks[first % forks.size()].input + 1);
  note_copies(router, found->second, sent, now);
  queue(router);
  if (ended.empty()) return claimed;
  const auto done = [&](const Fork& fork) { return std::find(ended.begin(), ended.end(), fork.input) != ended.end(); };
  forks.erase(std::remove_if(forks.begin(), forks.end(), done), forks.end());
  if (forks.empty()) forks_.erase(found);
  for (const std::uint8_t input : ended) {
    InputVc& in = state_[router].in[input];
    in.output = kNoVc;
    if (in.flits > 0) start_packet(router, input, now, 1);
  }
  return claimed;
}

// What copies wait for at the end of a visit in which copies went out by the outputs `sent`.
template <int Cap>
void RegionImpl<Cap>::note_copies(std::uint32_t router, Forks& forks, unsigned sent, Cycle now) {
  forks.lost = 0;
  for (Fork& fork : forks.list) {
    for (Fork::Branch& branch : fork.branches) {
      const bool waits = now >= branch.from && branch.sent < fork.flits &&
                         branch.sent - fork.released < state_[router].in[fork.input].flits;
      const bool no_credit = waits && branch.vc != kNoVc && state_[router].out[branch.vc].credits.left() == 0;
      if (waits && !no_credit && (sent >> branch.port & 1) == 0) {
        forks.lost = static_cast<std::uint8_t>(forks.lost | 1U << branch.port);
      }
      if (no_credit == branch.blocked) continue;
      branch.blocked = no_credit;
      if (!statistics_on_) continue;
      no_credit ? meter(router, branch.port).block(now) : meter(router, branch.port).unblock(now);
    }
  }
}

// A flit of each copy whose output is not in `taken` and can take it. Returns those outputs, and counts them in
// `moved`.
template <int Cap>
unsigned RegionImpl<Cap>::send_copies(std::uint32_t router, Fork& fork, unsigned taken, Cycle now, int* moved) {
  unsigned sent = 0;
  for (Fork::Branch& branch : fork.branches) {
    if ((taken >> branch.port & 1) != 0 || !branch_ready(router, fork, branch, now)) continue;
    send_copy(router, fork, branch, now);
    sent |= 1U << branch.port;
    ++*moved;
  }
  return sent;
}

template <int Cap>
bool RegionImpl<Cap>::branch_ready(std::uint32_t router, const Fork& fork, const Fork::Branch& branch,
                                   Cycle now) const {
  if (branch.vc == kNoVc || now < branch.from || branch.sent == fork.flits) return false;
  const State& state = state_[router];
  if (branch.sent - fork.released >= state.in[fork.input].flits || state.out[branch.vc].credits.left() == 0)
    return false;
  return unit_rate_ || link_rates_[router * kMeshPorts + branch.port].can_send(rate(branch.port), now);
}

// A VC of set 0 for each copy that has none, from `vc_alloc_delay` cycles on.
template <int Cap>
void RegionImpl<Cap>::take_branch_vcs(std::uint32_t router, const Fork& fork, std::vector<Fork::Branch>& branches,
                                      Cycle now) {
  State& state = state_[router];
  for (Fork::Branch& branch : branches) {
    if (branch.vc != kNoVc || now < branch.from) continue;
    const std::uint32_t vc_set = state.in[fork.input].vc_class;
    const std::uint32_t candidates = state.free_vcs[branch.port] & vc_masks_[vc_set];
    if (candidates == 0) continue;
    const int vc = lowest_bit(candidates);
    branch.vc = static_cast<std::uint8_t>(branch.port * Cap + vc);
    branch.from = now + vc_alloc_delay_;
    state.free_vcs[branch.port] &= ~(1U << vc);
    state.out[branch.vc].owner = fork.input;
  }
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

// Frees the slots of flits that all copies have sent. True when the whole packet has gone.
template <int Cap>
bool RegionImpl<Cap>::release_copied(std::uint32_t router, Fork& fork, Cycle now) {
  InputVc& in = state_[router].in[fork.input];
  std::uint32_t least = fork.flits;
  for (const Fork::Branch& branch : fork.branches) least = std::min(least, branch.sent);
  for (; fork.released < least; ++fork.released) {
    in.pop(depth_, &RegionImpl::describe, this, router, fork.input);
    return_upstream(router, fork.input, now);
  }
  if (fork.released < fork.flits) return false;
  pool_->release(fork.packet);
  return true;
}

}  // namespace weft::router
