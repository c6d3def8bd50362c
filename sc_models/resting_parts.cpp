// SPDX-License-Identifier: Apache-2.0
#include "sc_models/resting_parts.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "npu/interface/payload_holder.h"
#include "sc_models/memory/io_messages.h"

namespace weft::sc_models {
namespace {

/// The first look comes after so many executed cycles, and at least so many lie behind a row of looks that has failed.
constexpr std::uint64_t kTryPart = 64;
/// Behind a row of looks that has failed, the next one waits for this share of the cycles that have been executed.
constexpr std::uint64_t kTryShare = 8;
/// So many looks show that a state repeats itself.
constexpr std::uint64_t kLooksOfPart = 3;
/// A word of state may be looked at for so many moves of flits, which take far longer in a large part; so many words,
/// or so many looks, are free.
constexpr std::uint64_t kMovesOfPartPerWord = 2;
constexpr std::uint64_t kFreeLooks = 6;
constexpr std::uint64_t kFreeWordsOfPart = 1'000'000;
/// A part rests for so many cycles at least, and for four periods: moving it on costs as much as some of them.
constexpr Cycle kLeastRest = 64;
/// Periods of two parts beside each other are compared for at most so many cycles.
constexpr Cycle kMostCompared = 1024;
/// The last packet of a message differs from the others, and the one behind it may be of another message.
constexpr std::uint64_t kPacketsAhead = 4;

}  // namespace

RestingPart::RestingPart(Partition& part, npu::MessageInterfaces& messages, std::uint64_t packet_bytes)
    : part_(part),
      messages_(messages),
      margin_(kPacketsAhead * packet_bytes),
      next_try_(kTryPart),
      sent_(part.boxes()),
      came_(part.boxes()) {
  form_.set_rules(io_tag_family, npu::put_payload);
  form_.set_look_ahead(margin_);
}

void RestingPart::end_of_cycle(Cycle now) {
  note_moves(now);
  if (looks_ == 0) {
    if (moves_.executed() >= next_try_) begin_looking(now);
    return;
  }
  if (!note_mail(now)) return looks_ == 1 ? look_at_multiple(now) : give_up();
  if (now == looked_at_ + period_) {
    look(now);
  } else if (now > looked_at_ + period_) {
    give_up();
  }
}

// What crosses the borders belongs to what moves.
void RestingPart::note_moves(Cycle now) {
  StateHash level;
  level.add(part_.region().flits_inside());
  for (std::size_t box = 0; box < sent_.size(); ++box) {
    part_.sent(box).mix(&level, now);
    part_.to_come(box).mix(&level, now);
  }
  moves_.add(now, part_.region().flits_moved(), level.value());
}

void RestingPart::begin_looking(Cycle now) {
  next_try_ = moves_.executed() + kTryPart;
  const MoveHistory::Period found = moves_.find(part_.region().flits_moved());
  // A part in which nothing moves costs nothing.
  if (found.cycles == 0 || part_.region().flits_inside() == 0) return give_up();
  moves_period_ = found.cycles;
  look_first(found.cycles, now);
}

// Looks may take some hundredths of the time of a part.
bool RestingPart::can_afford_looks() const {
  const std::uint64_t looks = form_.given() + kLooksOfPart * cost_;
  return looks <= std::max(kFreeWordsOfPart, kFreeLooks * cost_) + part_.region().flits_moved() / kMovesOfPartPerWord;
}

void RestingPart::look_first(Cycle period, Cycle now) {
  if (!can_afford_looks()) return give_up();
  period_ = period;
  looks_ = 0;
  for (auto* records : {&sent_, &came_}) {
    for (BorderRecord& record : *records) record.begin(period);
  }
  if (!note_mail(now)) return give_up();
  look(now);
}

// The state, or the mail, may take several periods of what moves.
void RestingPart::look_at_multiple(Cycle now) {
  const Cycle next = moves_period_ * next_multiple(period_ / moves_period_);
  tap(nullptr);
  if (next > kMostMultiple * moves_period_) return give_up();
  look_first(next, now);
}

bool RestingPart::note_mail(Cycle now) {
  for (std::size_t box = 0; box < sent_.size(); ++box) {
    if (!sent_[box].note(part_.sent(box), now) || !came_[box].note(part_.to_come(box), now)) return false;
  }
  return true;
}

void RestingPart::look(Cycle now) {
  constexpr StateForm::Pass kPasses[] = {StateForm::Pass::kFirst, StateForm::Pass::kSecond, StateForm::Pass::kThird};
  if (!look_at_state(kPasses[looks_], now)) {
    return looks_ == 1 && form_.refusal().empty() ? look_at_multiple(now) : give_up();
  }
  looked_at_ = now;
  ++looks_;
  if (looks_ < 3) return tap(&in_period_[looks_ - 1]);
  tap(nullptr);
  confirm(now);
}

bool RestingPart::look_at_state(StateForm::Pass pass, Cycle now) {
  const std::uint64_t given = form_.given();
  form_.begin(pass, now, period_);
  part_.put_own_state(form_);
  if (pass == StateForm::Pass::kFirst) cost_ = form_.given() - given;
  return form_.end();
}

void RestingPart::confirm(Cycle now) {
  const bool grows = latencies_.compare(std::move(in_period_[0]), std::move(in_period_[1]));
  if (!grows || form_.periods() == StateForm::kNoBound || !mail_comes_again()) return give_up();
  const std::uint64_t periods = std::min(form_.periods(), periods_of_mail());
  until_ = now + std::min(periods, (kLastCycle - now) / period_) * period_;
  if (until_ - now < std::max(kLeastRest, 4 * period_)) return give_up();
  rests_ = true;
}

void RestingPart::give_up() {
  tap(nullptr);
  looks_ = 0;
  next_try_ = moves_.executed() + std::max(kTryPart, moves_.executed() / kTryShare);
}

void RestingPart::tap(std::vector<npu::PacketLatency>* latencies) {
  if (latencies != nullptr) latencies->clear();
  messages_.set_latency_tap(latencies);
}

bool RestingPart::mail_comes_again() const {
  const auto complete = [](const BorderRecord& record) { return record.complete(); };
  return std::all_of(sent_.begin(), sent_.end(), complete) && std::all_of(came_.begin(), came_.end(), complete);
}

std::uint64_t RestingPart::periods_of_mail() const {
  std::uint64_t periods = StateForm::kNoBound;
  for (const auto* records : {&sent_, &came_}) {
    for (const BorderRecord& record : *records) periods = std::min(periods, record.periods_left(margin_));
  }
  return periods;
}

bool RestingPart::expects_mail(Cycle now) const {
  for (std::size_t box = 0; box < came_.size(); ++box) {
    if (!came_[box].expects(part_.to_come(box), now)) return false;
  }
  return true;
}

// What both have noted grows by the same from period to period, so that what is equal twice stays equal.
bool RestingPart::agrees_with(const RestingPart& beside, std::size_t box) const {
  const Cycle common = std::lcm(period_, beside.period_);
  if (common > kMostCompared) return false;
  const Cycle from = std::max(looked_at_, beside.looked_at_);
  Mailbox mail;
  for (Cycle at = from + 1; at <= from + 2 * common; ++at) {
    sent_[box].write(&mail, at);
    if (!beside.came_[part_.box_beyond(box)].expects(mail, at)) return false;
    beside.sent_[part_.box_beyond(box)].write(&mail, at);
    if (!came_[box].expects(mail, at)) return false;
  }
  return true;
}

bool RestingPart::is_silent(std::size_t box) const { return sent_[box].size() == 0 && came_[box].size() == 0; }

void RestingPart::resend(Cycle now) {
  for (std::size_t box = 0; box < sent_.size(); ++box) sent_[box].write(&part_.resend(box), now);
}

void RestingPart::wake(Cycle now) {
  const std::uint64_t periods = (std::min(now, until_) - looked_at_) / period_;
  const Cycle cycles = periods * period_;
  if (periods > 0) {
    form_.begin(StateForm::Pass::kMoveOn, looked_at_, period_, periods);
    part_.put_own_state(form_);
    WEFT_CHECK(form_.end(), "a part that rests has changed its form: " + form_.refusal());
    latencies_.add(0, periods, &messages_.statistics());
  }
  std::vector<Mailbox> mail(came_.size());
  for (Cycle at = looked_at_ + cycles + 1; at <= now; ++at) {
    for (std::size_t box = 0; box < came_.size(); ++box) came_[box].write(&mail[box], at - 1);
    part_.step_alone(at, mail);
    for (std::size_t box = 0; box < sent_.size(); ++box) {
      WEFT_CHECK(sent_[box].expects(part_.sent_alone(box), at), "a part that rested sends what it has not sent before");
    }
  }
  moves_.leave_out(now - looked_at_, part_.region().flits_moved());
  rests_ = false;
  give_up();
  next_try_ = moves_.executed() + kTryPart;
  left_out_ += cycles;
}

void RestingPart::stay_awake() {
  rests_ = false;
  give_up();
}

RestingParts::RestingParts(std::vector<std::unique_ptr<RestingPart>> parts) : parts_(std::move(parts)) {
  for (const auto& part : parts_) nodes_ += part->nodes();
}

RestingPart& RestingParts::beside(RestingPart& part, std::size_t box) const {
  const auto found = std::find_if(parts_.begin(), parts_.end(), [&](const auto& each) {
    return static_cast<const FabricPart*>(&each->part()) == &part.part().beside(box);
  });
  return **found;
}

bool RestingParts::all_rest() const { return resting_ == parts_.size(); }

void RestingParts::step(Cycle now) {
  if (resting_ > 0 && last_ + 1 < now) pass(now - 1);
  if (resting_ > 0) {
    for (const auto& part : parts_) {
      if (part->rests() && part->until() <= now - 1) wake(*part, now - 1);
    }
    wake_whom_else_comes(now - 1);
  }
  step_parts(now);
  last_ = now;
  look_at_parts(now);
}

// What has gone wrong is told with what all parts have done until then.
void RestingParts::step_parts(Cycle now) {
  try {
    for (const auto& part : parts_) part->rests() ? part->part().pass_step() : part->part().step(now);
  } catch (...) {
    for (const auto& part : parts_) {
      if (part->rests()) wake(*part, now - 1);
    }
    throw;
  }
  if (resting_ == 0) return;
  for (const auto& part : parts_) {
    if (part->rests()) part->resend(now);
  }
}

void RestingParts::look_at_parts(Cycle now) {
  for (const auto& part : parts_) {
    if (part->rests()) continue;
    part->end_of_cycle(now);
    if (!part->rests()) continue;
    agrees(*part) ? void(++resting_) : part->stay_awake();
  }
}

/// Whether a part that begins to rest sends what those beside it expect that rest, and the other way round.
bool RestingParts::agrees(RestingPart& part) const {
  for (std::size_t box = 0; box < part.part().boxes(); ++box) {
    const RestingPart& other = beside(part, box);
    if (other.rests() && !part.agrees_with(other, box)) return false;
  }
  return true;
}

void RestingParts::keep(Checkpoint& checkpoint) {
  checkpoint.all(parts_, [&](auto& part) { part->keep(checkpoint); });
}

// Nobody has been stepped since the last executed cycle. Parts that rest have sent their mail to each other all the
// same.
void RestingParts::pass(Cycle now) {
  for (const auto& part : parts_) {
    if (part->rests()) {
      part->resend(now);
    } else {
      part->pass(now - last_);
    }
  }
}

Cycle RestingParts::left_out() const {
  Cycle sum = 0;
  for (const auto& part : parts_) {
    // Nodes times cycles may be too large for a word.
    const Cycle cycles = part->left_out();
    sum += cycles / nodes_ * part->nodes() + cycles % nodes_ * part->nodes() / nodes_;
  }
  return sum;
}

void RestingParts::wake_whom_else_comes(Cycle now) {
  if (all_rest()) return;
  for (const auto& part : parts_) {
    if (part->rests() && !part->expects_mail(now)) wake(*part, now);
  }
}

void RestingParts::wake(RestingPart& part, Cycle now) {
  part.wake(now);
  --resting_;
}

// What goes over a border between a part that rests and one that does not is looked at in every cycle.
Cycle RestingParts::next_work(Cycle now) const {
  Cycle next = kNever;
  for (const auto& part : parts_) {
    if (!part->rests()) {
      next = std::min(next, part->part().next_work(now));
      continue;
    }
    next = std::min(next, part->until() + 1);
    for (std::size_t box = 0; box < part->part().boxes(); ++box) {
      if (!part->is_silent(box) && !beside(*part, box).rests()) return now + 1;
    }
  }
  return next;
}

Cycle RestingParts::rest_until() const {
  Cycle first = kNever;
  for (const auto& part : parts_) {
    if (part->rests()) first = std::min(first, part->until());
  }
  return first == kNever ? 0 : first;
}

// Their mail of this cycle is what the parts beside them read in the next one.
void RestingParts::wake_all(Cycle now) {
  if (resting_ == 0) return;
  for (const auto& part : parts_) {
    if (!part->rests()) continue;
    part->resend(now);
    wake(*part, now);
  }
  last_ = now;
}

}  // namespace weft::sc_models
