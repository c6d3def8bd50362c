// SPDX-License-Identifier: Apache-2.0
// Links with credits: the one implementation for all that is not a bulk block with a hot loop of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/credit_count.h"
#include "base/error.h"
#include "base/flit_ring.h"
#include "base/link_rate.h"
#include "base/state_hash.h"
#include "base/timing_wheel.h"

namespace weft {

/// One direction of a link, as its ends see it.
struct CreditLinkSpec {
  Rational flits_per_cycle{1, 1};
  Cycle flit_delay = 1;            ///< from the cycle in which a flit is sent to that of its arrival, at least 1
  Cycle credit_delay = 1;          ///< from giving a slot back to the sender's having the credit, at least 1
  std::uint32_t buffer_flits = 1;  ///< flits of the buffer of each VC, at the receiver
};

/// What one link carried.
struct CreditLinkFigures {
  std::uint64_t flits = 0;  ///< sent
  /// Most flits in the buffer of one VC at its end; a flit counts until its slot is given back.
  std::uint32_t queue_max = 0;
};

/// The links of one block. A link has a sending and a receiving end; both carry the link's number, unless `join` says
/// otherwise: a block whose ports send and receive numbers links by port. VC v of link l is number l * vcs + v, and
/// where a function takes a `vc`, it is this number. What one end does is seen by the other at least a cycle later, so
/// nodes of one cycle may be stepped in any order.
///
/// An end may also lie outside, in a block that keeps it itself: `send_out` and `give_back_out` say when that block has
/// the flit or the credit, and what comes from there is handed over by `flit_comes` and `credit_comes`.
template <typename Flit>
class CreditLinks {
 public:
  /// Name of a VC for the sentences of broken invariants; `is_sending` chooses the end.
  using Name = std::function<std::string(std::uint32_t vc, bool is_sending)>;

  CreditLinks(std::uint32_t vcs, Name name) : vcs_(vcs), name_(std::move(name)) {}

  // ---- set-up
  /// Adds a link between two nodes; returns its number.
  std::uint32_t add(const CreditLinkSpec& spec, std::uint32_t from_node, std::uint32_t to_node);
  /// What is sent on link `sending` arrives at the receiving end with number `receiving`, whose credits go to
  /// `sending`.
  void join(std::uint32_t sending, std::uint32_t receiving);
  std::uint32_t vcs() const { return vcs_; }
  std::uint32_t links() const { return static_cast<std::uint32_t>(senders_.size()); }

  // ---- time
  /// Takes what arrives in cycle `now`: first all credits, calling `on_credit(node, vc)` for each, then all flits,
  /// calling `on_flit(node, vc)` when one is in its buffer.
  template <typename OnCredit, typename OnFlit>
  void deliver(Cycle now, OnCredit on_credit, OnFlit on_flit);
  /// Calls `visit(node)` for each credit and flit that arrives in cycle `now`. Before `deliver`.
  template <typename Visit>
  void visit_arrivals(Cycle now, Visit visit);
  /// First cycle after `now` in which something arrives; kNever = nothing is on the links.
  Cycle next_arrival(Cycle now) const { return std::min(flits_.next_after(now), credits_.next_after(now)); }

  // ---- the sending end
  std::uint32_t credits(std::uint32_t vc) const { return sending_[vc].credits.left(); }
  /// Whether the link can take a flit in cycle `now`, and the first cycle from `now` on in which it can.
  bool is_free(std::uint32_t link, Cycle now) const { return senders_[link].slots.can_send(rate(link), now); }
  Cycle next_free(std::uint32_t link, Cycle now) const { return senders_[link].slots.next_slot(rate(link), now); }
  /// The same with a credit for `vc`; kNever without one.
  bool can_send(std::uint32_t vc, Cycle now) const { return credits(vc) > 0 && is_free(sending_[vc].link, now); }
  Cycle next_slot(std::uint32_t vc, Cycle now) const {
    return credits(vc) > 0 ? next_free(sending_[vc].link, now) : kNever;
  }
  /// Takes a credit and the link; can_send must hold.
  void send(std::uint32_t vc, const Flit& flit, Cycle now) {
    const Cycle at = send_out(vc, now);
    flits_.push(at, {sending_[vc].leads_to, flit});
  }
  /// As send, to a receiving end that lies outside: returns the cycle in which it has the flit.
  Cycle send_out(std::uint32_t vc, Cycle now) {
    SendingVc& at = sending_[vc];
    Sender& sender = senders_[at.link];
    at.credits.take(sender_name(vc));
    if (__builtin_expect(!sender.slots.can_send(sender.rate, now), 0)) {
      link_violation("a flit was sent on a link that is taken", sender_name(vc));
    }
    sender.slots.send(sender.rate, now);
    ++sender.flits;
    return now + sender.flit_delay;
  }
  /// A credit from a receiving end that lies outside arrives in cycle `at`.
  void credit_comes(std::uint32_t vc, Cycle at) { credits_.push(at, vc); }
  /// How many of the flits sent the link carries in cycle `end` and later; a part of a flit counts as such.
  double flits_after(std::uint32_t link, Cycle end) const { return senders_[link].slots.flits_after(rate(link), end); }

  // ---- the receiving end: a flit keeps its slot of the buffer, also after it was taken, until a slot is given back.
  bool empty(std::uint32_t vc) const { return receiving_[vc].ring.flits == 0; }
  std::uint32_t waiting(std::uint32_t vc) const { return receiving_[vc].ring.flits; }
  const Flit& front(std::uint32_t vc) const {
    return slots_[receiving_[vc].first_slot + std::size_t{receiving_[vc].ring.first}];
  }
  Flit take(std::uint32_t vc) {
    ReceivingVc& at = receiving_[vc];
    const std::uint32_t slot = at.ring.pop(at.buffer_flits, receiver_name(vc));
    ++at.held;
    return slots_[at.first_slot + std::size_t{slot}];
  }
  void give_back(std::uint32_t vc, Cycle now) {
    const Cycle at = give_back_out(vc, now);
    credits_.push(at, receiving_[vc].comes_from);
  }
  /// As give_back, to a sending end that lies outside: returns the cycle in which it has the credit.
  Cycle give_back_out(std::uint32_t vc, Cycle now) {
    ReceivingVc& at = receiving_[vc];
    if (__builtin_expect(at.held == 0, 0)) {
      link_violation("a slot of a buffer was given back whose flit was not taken", receiver_name(vc));
    }
    --at.held;
    return now + at.credit_delay;
  }
  /// A flit from a sending end that lies outside arrives in cycle `at`.
  void flit_comes(std::uint32_t vc, const Flit& flit, Cycle at) { flits_.push(at, {vc, flit}); }

  // ---- reports and checks
  CreditLinkFigures figures(std::uint32_t link) const;
  /// All buffers are empty, all credits home, and nothing is on the way.
  bool at_rest() const;
  /// Throws ViolationError unless at_rest holds; the sentence names what is left.
  void require_rest() const;
  /// Hash of buffers, credits and what is on the way, relative to `now`; `flit_hash(flit)` says what a flit is.
  template <typename FlitHash>
  std::uint64_t state_hash(Cycle now, FlitHash flit_hash) const;
  /// Gives `form` all state; `flit(flit)` gives it what a flit is.
  template <typename Form, typename Describe>
  void put_state(Form& form, Describe flit);

  /// Writes its state into `checkpoint`, or takes it from there.
  template <typename Checkpoint>
  void keep(Checkpoint& checkpoint);

 private:
  struct Sender {
    Rational rate;
    LinkRate slots;
    Cycle flit_delay = 1;
    std::uint64_t flits = 0;
    std::uint32_t receiver = 0;  ///< receiving end that it leads to
  };
  struct SendingVc {
    CreditCount<std::uint32_t> credits;
    std::uint32_t buffer_flits = 1;  ///< at the receiving end
    std::uint32_t link = 0;
    std::uint32_t node = 0;
    std::uint32_t leads_to = 0;  ///< VC at the receiving end
  };
  struct ReceivingVc {
    FlitRing<std::uint32_t> ring;
    std::uint32_t held = 0;  ///< slots of flits that were taken and are not given back
    std::uint32_t buffer_flits = 1;
    std::uint32_t first_slot = 0;  ///< in slots_
    std::uint32_t node = 0;
    std::uint32_t comes_from = 0;  ///< VC at the sending end
    std::uint32_t queue_max = 0;
    Cycle credit_delay = 1;
  };
  struct Arrival {
    std::uint32_t vc;  ///< at the receiving end
    Flit flit;
  };

  Rational rate(std::uint32_t link) const { return senders_[link].rate; }
  auto sender_name(std::uint32_t vc) const {
    return [this, vc] { return name_(vc, true); };
  }
  auto receiver_name(std::uint32_t vc) const {
    return [this, vc] { return name_(vc, false); };
  }

  std::uint32_t vcs_;
  Name name_;
  std::vector<Sender> senders_;
  std::vector<SendingVc> sending_;
  std::vector<ReceivingVc> receiving_;
  std::vector<Flit> slots_;             ///< slots of all buffers
  TimingWheel<Arrival> flits_;          ///< on the way
  TimingWheel<std::uint32_t> credits_;  ///< on the way, by VC at the sending end
};

template <typename Flit>
std::uint32_t CreditLinks<Flit>::add(const CreditLinkSpec& spec, std::uint32_t from_node, std::uint32_t to_node) {
  WEFT_CHECK(spec.flit_delay > 0 && spec.credit_delay > 0 && spec.buffer_flits > 0,
             "a link has no delay, or no buffer behind it");
  const std::uint32_t link = links();
  senders_.push_back({spec.flits_per_cycle, {}, spec.flit_delay, 0, link});
  for (std::uint32_t vc = link * vcs_; vc < (link + 1) * vcs_; ++vc) {
    sending_.push_back({CreditCount<std::uint32_t>(spec.buffer_flits), spec.buffer_flits, link, from_node, vc});
    const auto first_slot = static_cast<std::uint32_t>(slots_.size());
    receiving_.push_back({{}, 0, spec.buffer_flits, first_slot, to_node, vc, 0, spec.credit_delay});
    slots_.resize(slots_.size() + spec.buffer_flits);
  }
  return link;
}

template <typename Flit>
void CreditLinks<Flit>::join(std::uint32_t sending, std::uint32_t receiving) {
  senders_[sending].receiver = receiving;
  for (std::uint32_t vc = 0; vc < vcs_; ++vc) {
    SendingVc& from = sending_[sending * vcs_ + vc];
    ReceivingVc& to = receiving_[receiving * vcs_ + vc];
    WEFT_CHECK(from.buffer_flits == to.buffer_flits, "a link is joined to a buffer of another size");
    from.leads_to = receiving * vcs_ + vc;
    to.comes_from = sending * vcs_ + vc;
  }
}

template <typename Flit>
template <typename OnCredit, typename OnFlit>
void CreditLinks<Flit>::deliver(Cycle now, OnCredit on_credit, OnFlit on_flit) {
  for (const std::uint32_t vc : credits_.at(now)) {
    SendingVc& at = sending_[vc];
    at.credits.give_back(at.buffer_flits, sender_name(vc));
    on_credit(at.node, vc);
  }
  credits_.clear(now);
  for (const Arrival& arrival : flits_.at(now)) {
    ReceivingVc& at = receiving_[arrival.vc];
    const std::uint32_t slot = at.ring.push(at.buffer_flits, at.held, receiver_name(arrival.vc));
    slots_[at.first_slot + std::size_t{slot}] = arrival.flit;
    at.queue_max = std::max(at.queue_max, at.ring.flits + at.held);
    on_flit(at.node, arrival.vc);
  }
  flits_.clear(now);
}

template <typename Flit>
template <typename Visit>
void CreditLinks<Flit>::visit_arrivals(Cycle now, Visit visit) {
  for (const Arrival& arrival : flits_.at(now)) visit(receiving_[arrival.vc].node);
  for (const std::uint32_t vc : credits_.at(now)) visit(sending_[vc].node);
}

template <typename Flit>
CreditLinkFigures CreditLinks<Flit>::figures(std::uint32_t link) const {
  CreditLinkFigures figures{senders_[link].flits, 0};
  for (std::uint32_t vc = 0; vc < vcs_; ++vc) {
    figures.queue_max = std::max(figures.queue_max, receiving_[senders_[link].receiver * vcs_ + vc].queue_max);
  }
  return figures;
}

template <typename Flit>
bool CreditLinks<Flit>::at_rest() const {
  const auto is_home = [](const SendingVc& at) { return at.credits.left() == at.buffer_flits; };
  const auto is_empty = [](const ReceivingVc& at) { return at.ring.flits == 0 && at.held == 0; };
  return flits_.empty() && credits_.empty() && std::all_of(sending_.begin(), sending_.end(), is_home) &&
         std::all_of(receiving_.begin(), receiving_.end(), is_empty);
}

template <typename Flit>
void CreditLinks<Flit>::require_rest() const {
  WEFT_CHECK(flits_.empty(), "flits are left on links at the end");
  WEFT_CHECK(credits_.empty(), "credits are left on links at the end");
  for (std::uint32_t vc = 0; vc < receiving_.size(); ++vc) {
    const ReceivingVc& at = receiving_[vc];
    WEFT_CHECK(at.ring.flits == 0 && at.held == 0, "a buffer is not empty at the end: " + name_(vc, false));
    sending_[vc].credits.require_home(sending_[vc].buffer_flits, sender_name(vc));
  }
}

template <typename Flit>
template <typename Form, typename Describe>
void CreditLinks<Flit>::put_state(Form& form, Describe flit) {
  for (Sender& sender : senders_) {
    sender.slots.put_state(form);
    form.grows(sender.flits);
  }
  for (const SendingVc& at : sending_) form.same(at.credits.left());
  for (const ReceivingVc& at : receiving_) {
    form.same(std::uint64_t{at.held} << 32 | at.ring.flits);
    form.same(at.queue_max);
    for (std::uint32_t i = 0; i < at.ring.flits; ++i) flit(slots_[at.first_slot + at.ring.slot(i, at.buffer_flits)]);
  }
  const auto link_of = [this](const Arrival& arrival) { return arrival.vc / vcs_; };
  flits_.put_state(form, link_of, [&](Arrival& arrival) {
    form.same(arrival.vc);
    flit(arrival.flit);
  });
  credits_.put_state(
      form, [](std::uint32_t vc) { return vc; }, [&](std::uint32_t vc) { form.same(vc); });
}

template <typename Flit>
template <typename Checkpoint>
void CreditLinks<Flit>::keep(Checkpoint& checkpoint) {
  checkpoint.all(senders_, [&](Sender& sender) {
    sender.slots.keep(checkpoint);
    checkpoint.values(sender.flits);
  });
  checkpoint.all(sending_, [&](SendingVc& at) { at.credits.keep(checkpoint); });
  checkpoint.all(receiving_, [&](ReceivingVc& at) {
    checkpoint.values(at.ring.first, at.ring.flits, at.held, at.queue_max);
    for (std::uint32_t i = 0; i < at.ring.flits; ++i) {
      checkpoint.values(slots_[at.first_slot + at.ring.slot(i, at.buffer_flits)]);
    }
  });
  flits_.keep(checkpoint, [&](Arrival& arrival) { checkpoint.values(arrival.vc, arrival.flit); });
  credits_.keep(checkpoint, [&](std::uint32_t& vc) { checkpoint.values(vc); });
}

template <typename Flit>
template <typename FlitHash>
std::uint64_t CreditLinks<Flit>::state_hash(Cycle now, FlitHash flit_hash) const {
  StateHash hash;
  for (std::uint32_t link = 0; link < links(); ++link) hash.add(senders_[link].slots.state(rate(link), now));
  for (std::uint32_t vc = 0; vc < receiving_.size(); ++vc) {
    const ReceivingVc& at = receiving_[vc];
    hash.add(credits(vc)).add(at.held).add(at.ring.flits);
    for (std::uint32_t i = 0; i < at.ring.flits; ++i)
      hash.add(flit_hash(slots_[at.first_slot + at.ring.slot(i, at.buffer_flits)]));
  }
  // What arrives in one cycle has no order.
  std::uint64_t sum = hash.value();
  flits_.for_each(now, [&](Cycle ahead, const Arrival& arrival) {
    sum += StateHash().add(ahead).add(arrival.vc).add(flit_hash(arrival.flit)).value();
  });
  credits_.for_each(
      now, [&](Cycle ahead, std::uint32_t vc) { sum += StateHash().add(ahead).add(~std::uint64_t{vc}).value(); });
  return sum;
}

}  // namespace weft
