// SPDX-License-Identifier: Apache-2.0
#include "base/state_form.h"

#include <algorithm>

#include "base/clock.h"

namespace weft {

void StateForm::begin(Pass pass, Cycle now, Cycle period, std::uint64_t periods) {
  pass_ = pass;
  now_ = now;
  period_ = std::max<Cycle>(period, 1);
  periods_ = periods;
  skipped_ = period * periods;
  failed_ = false;
  next_same_ = 0;
  next_word_ = 0;
  next_queue_ = 0;
  packets_ = 0;
  std::fill(numbers_.begin(), numbers_.end(), 0);
  hash_ = StateHash();
  refusal_.clear();
  if (pass == Pass::kFirst) {
    same_.clear();
    words_.clear();
    growth_.clear();
  }
  if (pass == Pass::kSecond) growth_.clear();
  if (pass == Pass::kSecond || pass == Pass::kThird) {
    bound_ = size_bound_ = kNoBound;
    ends_in_ = kNever;
    family_growth_.clear();
    order_growth_.reset();
    moves_up_.clear();
  }
}

void StateForm::begin_rates(SteadyLook* look, Cycle now) {
  begin(Pass::kRates, now, 1);
  belongs_to_none();
  look_ = look;
  look_->clear();
  look_->at = now;
}

void StateForm::begin_advance(const SteadyJump* jump, Cycle now, Cycle cycles) {
  begin(Pass::kAdvance, now, 1, cycles);
  belongs_to_none();
  steady_jump_ = jump;
}

// The next look is about as long.
StateForm::Look StateForm::take_look() {
  Look look{std::move(same_), std::move(words_)};
  same_.reserve(look.same.size());
  words_.reserve(look.grows.size());
  return look;
}

bool StateForm::expect(const Look& first, const Look& second) {
  if (first.same != second.same || first.grows.size() != second.grows.size()) return false;
  same_ = first.same;
  words_ = first.grows;
  growth_ = second.grows;
  for (std::size_t i = 0; i < growth_.size(); ++i) growth_[i] -= words_[i];
  return true;
}

bool StateForm::end() {
  if (pass_ == Pass::kAdvance) failed_ = failed_ || next_word_ != steady_jump_->counters.size();
  if (pass_ == Pass::kSecond || pass_ == Pass::kThird) {
    failed_ = failed_ || next_same_ != same_.size() || next_word_ != words_.size();
  }
  if (pass_ == Pass::kMoveOn) failed_ = failed_ || next_word_ != growth_.size();
  return !failed_;
}

void StateForm::grow(std::uint64_t word) {
  if (pass_ == Pass::kFirst) return words_.push_back(word);
  if (next_word_ == words_.size()) {
    failed_ = true;
    return;
  }
  if (pass_ == Pass::kSecond) {
    growth_.push_back(word - words_[next_word_]);
  } else if (word - words_[next_word_] != 2 * growth_[next_word_]) {
    failed_ = true;
  }
  ++next_word_;
}

void StateForm::moves_or_stays(Cycle at) {
  if (failed_ || last_growth() == period_) return;
  if (last_growth() != 0) {
    failed_ = true;
    return;
  }
  happens_at(at);
  if (pass_ == Pass::kThird) ends_in_ = std::min(ends_in_, at > now_ ? at - now_ : 0);
}

// What happens shortly before the end is not what happened before: so many bytes as a block may look ahead are not left
// out, and no more than two periods, which have more than that where periods are short.
void StateForm::bound_by_end(std::uint64_t word, std::uint64_t end) {
  const std::uint64_t growth = growth_[next_word_ - 1];
  if (growth == 0) return;
  const std::uint64_t left = word < end ? (end - word) / growth : 0;
  const std::uint64_t margin = std::min(2 * growth, look_ahead_);
  bound_ = std::min(bound_, word + margin < end ? (end - word - margin) / growth : 0);
  const std::uint64_t rest = word < end ? (end - word) % growth : 0;
  const auto in_last =
      static_cast<Cycle>(static_cast<double>(rest) / static_cast<double>(growth) * static_cast<double>(period_));
  if (left < kLastCycle / period_) ends_in_ = std::min(ends_in_, left * period_ + in_last);
}

// A number of so many bytes must not begin anew at 0 in cycles that are left out.
void StateForm::bound_by_size(std::uint64_t word, std::size_t bytes) {
  if (!is_third()) return;
  const std::uint64_t growth = growth_[next_word_ - 1];
  const std::uint64_t most = (std::uint64_t{1} << 8 * bytes) - 1;
  if (growth != 0) size_bound_ = std::min(size_bound_, (most - word) / growth);
}

// While `behind` grows as fast as `ahead`, the gap is what it was. Where it grows faster, it must not come near; where
// it grows slower, it must have been far away in all looks.
void StateForm::bound_by_gap(std::uint64_t ahead, std::uint64_t behind, std::uint64_t needed) {
  const std::uint64_t growth_ahead = growth_[next_word_ - 2];
  const std::uint64_t growth_behind = growth_[next_word_ - 1];
  if (growth_ahead == growth_behind) return;
  const std::uint64_t gap = ahead - behind;
  const std::uint64_t both = 2 * std::max(growth_ahead, growth_behind);
  if (growth_behind > growth_ahead) {
    // Where both grow, the gap may be smaller within a period than at its end.
    const std::uint64_t least = needed + (growth_ahead == 0 ? std::min(both, look_ahead_) : both);
    const std::uint64_t left = gap > least ? (gap - least) / (growth_behind - growth_ahead) : 0;
    bound_ = std::min(bound_, left);
  } else if (is_third() && gap - std::min(gap, 2 * (growth_ahead - growth_behind)) < needed + both) {
    bound_ = 0;
  }
}

void StateForm::grows_as_its_family(std::uint64_t tag) {
  const std::uint64_t family = family_of(tag);
  if (family == 0) return;
  if (family_growth_.emplace(family, last_growth()).first->second != last_growth()) bound(0);
}

void StateForm::unordered(std::vector<std::uint32_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  same(numbers.size());
  for (const std::uint32_t number : numbers) same(number);
}

void StateForm::orders_grow_alike() {
  if (!order_growth_) order_growth_ = last_growth();
  if (*order_growth_ != last_growth()) bound(0);
}

void StateForm::packet(PacketPool& pool, PacketIndex index) {
  if (index >= numbers_.size()) numbers_.resize(index + 1);
  if (numbers_[index] != 0) return same(numbers_[index]);
  numbers_[index] = static_cast<std::uint32_t>(++packets_);
  same(0);
  packet(pool[index]);
}

// A packet keeps its number and its place; what it carries is what lies so much further on in its message.
void StateForm::sends(const MessageProgress& message) {
  if (is_steady() && is_of_stream(message.tag)) {
    if (pass_ == Pass::kRates) look_->unsent[family_of(message.tag)] += message.bytes - message.formed;
    return belongs_to_none();
  }
  belongs_to(message.src, message.sequence);
  if (pass_ == Pass::kRates) look_->messages.push_back(message);
}

void StateForm::streams_from(NodeId from, std::uint64_t tag) {
  if (pass_ != Pass::kRates) return;
  look_->messages.back().streams = true;
  look_->messages.back().from = from;
  look_->messages.back().from_tag = tag;
}

void StateForm::progress(std::uint64_t& released, std::uint64_t& formed, std::uint64_t bytes, std::uint64_t needed) {
  if (pass_ == Pass::kAdvance) {
    released += jump_.released;
    formed += jump_.formed;
  } else if (pass_ != Pass::kRates) {
    counts_to(released, bytes);
    counts_to(formed, bytes);
    gap(released, formed, needed);
  }
}

void StateForm::advance(Packet& p) {
  payload(p.payload);
  tag(p.tag);
  made(p.created);
  made(p.injected);
  belongs_to(p.src, p.message_sequence);
  counts_to(p.offset, p.message_bytes - p.bytes);
}

void StateForm::packet(Packet& p) {
  if (is_steady()) return advance(p);
  same(std::uint64_t{weft::index(p.src)} << 32 | weft::index(p.dst));
  same(std::uint64_t{p.flits} << 32 | p.flits_received);
  same(std::uint64_t{p.dst_x} << 48 | std::uint64_t{p.dst_y} << 32 | std::uint64_t{p.via_x} << 16 | p.via_y);
  same(std::uint64_t{p.route_bits} << 32 | std::uint64_t{p.message_class} << 24 | std::uint64_t{p.hops} << 8 |
       std::uint64_t{p.measured} << 2 | std::uint64_t{p.follows_route} << 1 | std::uint64_t{p.flow});
  same(p.bytes);
  same(p.switch_flow);
  same(p.message_bytes);
  grows(p.message_sequence);
  tag(p.tag);
  grows(p.sequence);
  made(p.created);
  made(p.injected);
  counts_to(p.offset, p.message_bytes - p.bytes);
  payload(p.payload);
}

void StateForm::flit(PacketPool& pool, Flit flit) {
  same(std::uint64_t{flit.head()} << 1 | std::uint64_t{flit.tail()});
  packet(pool, flit.packet());
}

}  // namespace weft
