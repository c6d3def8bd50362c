// SPDX-License-Identifier: Apache-2.0
#include "switch/link/gbn_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace weft::fred {
namespace {

void require_link(bool good, const std::string& text) {
  if (!good) throw InputError("Go-Back-N link: " + text);
}

}  // namespace

GbnCounters& GbnCounters::operator+=(const GbnCounters& other) {
  packets += other.packets;
  resent += other.resent;
  discarded += other.discarded;
  acks += other.acks;
  nacks += other.nacks;
  timeouts += other.timeouts;
  return *this;
}

GbnLink::GbnLink(const GbnSpec& spec, std::unique_ptr<LinkFaults> faults) : spec_(spec), faults_(std::move(faults)) {
  require_link(spec.forward >= 1 && spec.backward >= 1, "a wire takes 0 cycles; legal: at least 1");
  require_link(spec.ack_packets >= 1, "an ACK for every 0 packets; legal: at least 1");
  require_link(spec.replay_packets >= spec.ack_packets,
               fmt::format("a replay buffer of {} packets never fills an ACK of {}; legal: at least {}",
                           spec.replay_packets, spec.ack_packets, spec.ack_packets));
  require_link(spec.ack_timeout >= 1 && spec.retransmit_timeout >= 1, "a timeout of 0 cycles; legal: at least 1");
  WEFT_CHECK(faults_ != nullptr, "a link without a source of faults");
}

void GbnLink::step(Cycle now) {
  handed_.clear();
  released_.clear();
  while (!wire_.empty() && wire_.front().at <= now) {
    WEFT_CHECK(wire_.front().at == now, "a flit on a link was left waiting");
    const OnWire arrival = wire_.front();
    wire_.pop();
    receive(arrival, now);
  }
  if (unacknowledged_ > 0 && ack_due_ <= now) answer(false, now);
  while (!answers_.empty() && answers_.front().at <= now) {
    const Answer arrived = answers_.front();
    answers_.pop();
    take(arrived);
  }
  if (const auto from = overdue_from(); from && *from <= now) {
    ++counters_.timeouts;
    go_back();
  }
  send(now);
}

Cycle GbnLink::next_work(Cycle now) const {
  Cycle next = kNever;
  if (!wire_.empty()) next = std::min(next, wire_.front().at);
  if (!answers_.empty()) next = std::min(next, answers_.front().at);
  if (unacknowledged_ > 0) next = std::min(next, ack_due_);
  if (const auto from = overdue_from()) next = std::min(next, *from);
  if (may_send()) next = std::min(next, rate_.next_slot(now + 1));
  return next == kNever ? kNever : std::max(next, now + 1);
}

// ---- receiver

/// Framing and attempt are on coded side wires: where they do not survive, the flit does not arrive.
void GbnLink::receive(const OnWire& arrival, Cycle now) {
  const LinkFlit& flit = arrival.flit;
  if (arrival.attempt != seen_attempt_) {  // the sender has jumped: what it had begun does not go on
    if (open_) ++counters_.discarded;
    open_ = answered_ = repeated_ = false;
    seen_attempt_ = arrival.attempt;
  }
  if (open_ && flit.head) lost_packet(now);  // without its tail
  if (!open_) {
    open_ = true;
    spoilt_ = !flit.head;
    open_number_ = arrival.number;
    staged_.clear();
  }
  // Where two packets have lost their ends, the rest may look like one; its checksum does not.
  spoilt_ = spoilt_ || arrival.hit || arrival.number != open_number_;
  if (!spoilt_) staged_.push_back(flit);
  if (flit.tail) finish_packet(arrival.number, now);
}

void GbnLink::finish_packet(std::uint64_t number, Cycle now) {
  if (spoilt_ || staged_.size() != staged_.front().packet_flits || number > expected_) return lost_packet(now);
  open_ = false;
  if (number < expected_) {  // its ACK was lost
    ++counters_.discarded;
    if (!repeated_) answer(false, now);
    repeated_ = true;
    return;
  }
  ++expected_;
  handed_flits_ += staged_.size();
  handed_.swap(staged_);
  if (unacknowledged_++ == 0) ack_due_ = now + spec_.ack_timeout;
  if (unacknowledged_ == spec_.ack_packets) answer(false, now);
}

/// One NACK for a gap: until the sender has gone back, nothing that comes can fill it.
void GbnLink::lost_packet(Cycle now) {
  ++counters_.discarded;
  open_ = false;
  if (!answered_) answer(true, now);
  answered_ = true;
}

void GbnLink::answer(bool nack, Cycle now) {
  ++(nack ? counters_.nacks : counters_.acks);
  unacknowledged_ = 0;
  if (faults_->message_lost()) return;
  answers_.push({now + spec_.backward, expected_, seen_attempt_, nack});
}

// ---- sender

void GbnLink::offer(const LinkFlit& flit, Cycle now) {
  WEFT_CHECK(flit.packet_flits >= 1, "a packet without flits on a link");
  kept_.push({flit, 0});
  ++offered_;
  send(now);
}

/// A NACK from before the last jump asks for what has been done.
void GbnLink::take(const Answer& answer) {
  acknowledge(answer.expected);
  if (answer.nack && answer.attempt == attempt_) go_back();
}

void GbnLink::acknowledge(std::uint64_t expected) {
  WEFT_CHECK(expected <= first_new_, "a link acknowledges what was not sent");
  for (; oldest_ < expected; ++oldest_) {
    const std::size_t flits = kept_.front().flit.packet_flits;
    for (std::size_t i = 0; i < flits; ++i) {
      released_.push_back(kept_.front().flit.data);
      kept_.pop();
    }
    if (next_ >= flits) {
      next_ -= flits;
    } else {  // it was to be sent again
      next_ = 0;
      sending_ = oldest_ + 1;
      ++attempt_;
    }
  }
}

void GbnLink::go_back() {
  next_ = 0;
  sending_ = oldest_;
  ++attempt_;
}

bool GbnLink::may_send() const {
  if (next_ == kept_.size()) return false;
  const bool is_new = kept_[next_].flit.head && sending_ == first_new_;
  return !is_new || !window_full();
}

void GbnLink::send(Cycle now) {
  if (!may_send() || !rate_.can_send(now)) return;
  Kept& kept = kept_[next_];
  rate_.send(spec_.rate, now, kept.flit.tail);
  kept.sent = now;
  if (kept.flit.head) {
    const bool is_new = sending_ == first_new_;
    ++(is_new ? counters_.packets : counters_.resent);
    if (is_new) ++first_new_;
  }
  const FlitFate fate = faults_->flit(kept.flit.head);
  if (fate != FlitFate::kDropped) {
    wire_.push({kept.flit, now + spec_.forward, sending_, attempt_, fate == FlitFate::kHit});
  }
  ++next_;
  if (kept.flit.tail) ++sending_;
}

/// When the oldest packet's answer is overdue, if all of it has been sent since the last jump.
std::optional<Cycle> GbnLink::overdue_from() const {
  if (next_ == 0) return std::nullopt;
  const std::size_t tail = kept_.front().flit.packet_flits - std::size_t{1};
  if (tail >= next_) return std::nullopt;
  return kept_[tail].sent + spec_.retransmit_timeout;
}

// ---- what is inside

std::string GbnLink::waiting() const {
  if (flits_inside() == 0) return "";
  const std::uint64_t packets = first_new_ - oldest_;
  std::string text =
      fmt::format("{} flits are not handed on, {} packets sent and not acknowledged", flits_inside(), packets);
  if (window_full()) text += fmt::format("; the window of {} packets is full", spec_.replay_packets);
  if (counters_.timeouts + counters_.nacks > 0) {
    text += fmt::format("; so far {} NACKs and {} timeouts", counters_.nacks, counters_.timeouts);
  }
  return text;
}

std::uint64_t GbnLink::state_hash(Cycle now) const {
  std::uint64_t hash = mix64(rate_.state(spec_.rate, now) + 1) ^ faults_->state();
  const auto add = [&hash](std::uint64_t value) { hash = mix64(hash ^ (value + 0x9e3779b97f4a7c15ULL)); };
  const auto framing = [](const LinkFlit& flit) {
    return std::uint64_t{flit.packet_flits} << 8 | std::uint64_t{flit.traffic_class} << 2 |
           std::uint64_t{flit.head} << 1 | std::uint64_t{flit.tail};
  };
  add(next_);
  add(sending_ - oldest_);
  add(first_new_ - oldest_);
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    add(framing(kept_[i].flit));
    if (i < next_) add(now - kept_[i].sent);
  }
  for (std::size_t i = 0; i < wire_.size(); ++i) {
    const OnWire& flit = wire_[i];
    add((flit.at - now) << 1 | std::uint64_t{flit.hit});
    add(framing(flit.flit));
    add(flit.number - oldest_);
    add(attempt_ - flit.attempt);
  }
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    add((answers_[i].at - now) << 1 | std::uint64_t{answers_[i].nack});
    add(answers_[i].expected - oldest_);
    add(attempt_ - answers_[i].attempt);
  }
  add(expected_ - oldest_);
  add(attempt_ - seen_attempt_);
  if (open_) {
    add(staged_.size() << 1 | std::uint64_t{spoilt_});
    add(open_number_ - oldest_);
  }
  add(std::uint64_t{open_} << 2 | std::uint64_t{answered_} << 1 | std::uint64_t{repeated_});
  add(unacknowledged_);
  if (unacknowledged_ > 0) add(ack_due_ - now);
  return hash;
}

void GbnLink::keep(Checkpoint& checkpoint) {
  const auto keep_flit = [&](LinkFlit& flit) {
    checkpoint.values(flit.packet, flit.data, flit.packet_flits, flit.traffic_class, flit.head, flit.tail);
  };
  faults_->keep(checkpoint);
  checkpoint.values(counters_.packets, counters_.resent, counters_.discarded, counters_.acks, counters_.nacks,
                    counters_.timeouts, offered_, handed_flits_);
  checkpoint.queue(kept_, [&](Kept& kept) {
    keep_flit(kept.flit);
    checkpoint.values(kept.sent);
  });
  checkpoint.values(next_, oldest_, sending_, first_new_, attempt_);
  rate_.keep(checkpoint);
  checkpoint.queue(wire_, [&](OnWire& flit) {
    keep_flit(flit.flit);
    checkpoint.values(flit.at, flit.number, flit.attempt, flit.hit);
  });
  checkpoint.queue(answers_,
                   [&](Answer& answer) { checkpoint.values(answer.at, answer.expected, answer.attempt, answer.nack); });
  checkpoint.each(staged_, keep_flit);
  checkpoint.values(expected_, open_number_, seen_attempt_, open_, spoilt_, answered_, repeated_, unacknowledged_,
                    ack_due_);
}

}  // namespace weft::fred
