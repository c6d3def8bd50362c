// SPDX-License-Identifier: Apache-2.0
#include "sc_models/steady_rates.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace weft::sc_models {
namespace {

/// Cycles of the first span.
constexpr Cycle kSpan = 1024;
/// In both spans together a message that moves has to move by so many packets, or it is measured too coarsely.
constexpr std::uint64_t kPackets = 512;
/// Two spans are alike where each message has moved by as many packets in them, but for so many, and this share.
constexpr std::uint64_t kPacketsApart = 2;
constexpr double kShareApart = 1.0 / 64;
/// Where they are further apart than this share, a new span begins.
constexpr double kShareUnlike = 1.0 / 4;
/// Both spans are at least this share of the time until something ends.
constexpr Cycle kMostTimes = 256;
/// A word of state may be looked at for so many moves of flits; so many words are free.
constexpr std::uint64_t kMovesPerWord = 4;
constexpr std::uint64_t kFreeWords = 50'000;
/// What it costs to copy the count of one latency.
constexpr std::uint64_t kWordsPerLatency = 8;
/// Fewer times both spans are not worth a move.
constexpr std::uint64_t kLeastTimes = 2;

std::uint64_t formed_between(const MessageProgress& before, const MessageProgress& behind) {
  return behind.formed - before.formed;
}

}  // namespace

Cycle SteadyRates::end_of_cycle(Cycle now, Cycle last) {
  if (looks_ > 0 && interfaces().events() != events_) restart();
  if (now < next_look_) return 0;
  if (looks_ == 0) {
    begin_at(now);
    return 0;
  }
  if (!look(now) || !same_messages(looks_at_[looks_ - 2], looks_at_[looks_ - 1])) {
    restart();
    return 0;
  }
  if (looks_ < 3) {
    next_look_ = now + span_;
    return 0;
  }
  const Horizon found = horizon();
  if (found.unlike) {
    restart();
    return 0;
  }
  const Cycle both = now - looks_at_[0].at;
  const auto until = [now](Cycle at) { return at - std::min(at, now); };
  const Cycle left = std::min({found.cycles, until(last), until(looks_at_[2].event_at)});
  if (!found.steady || !found.fine || left / both > kMostTimes || left / both <= kLeastTimes) {
    lengthen();
    return 0;
  }
  return move_on(now, left / both - 1);
}

void SteadyRates::restart() {
  looks_ = 0;
  next_look_ = 0;
}

void SteadyRates::begin_at(Cycle now) {
  if (cost_ > kFreeWords + system_.fabric().flits_moved() / kMovesPerWord) {
    next_look_ = now + kSpan;
    return;
  }
  span_ = kSpan;
  events_ = interfaces().events();
  next_look_ = now + span_;
  if (!look(now)) return;
  latency_ = interfaces().statistics().latency;
  network_latency_ = interfaces().statistics().network_latency;
  cost_ += kWordsPerLatency * (latency_.distinct() + network_latency_.distinct());
}

// Both spans become the first one, and the second one is as long.
void SteadyRates::lengthen() {
  std::swap(looks_at_[1], looks_at_[2]);
  span_ = looks_at_[1].at - looks_at_[0].at;
  looks_ = 2;
  next_look_ = looks_at_[1].at + span_;
}

bool SteadyRates::look(Cycle now) {
  const std::uint64_t given = form_.given();
  system_.settle(now);
  form_.begin_rates(&looks_at_[looks_], now);
  system_.fabric().put_state(form_);
  const bool good = form_.end();
  cost_ += form_.given() - given;
  reason_ = form_.refusal();
  if (good) ++looks_;
  return good;
}

bool SteadyRates::same_messages(const SteadyLook& a, const SteadyLook& b) const {
  if (a.messages.size() != b.messages.size() || a.counters.size() != b.counters.size()) return false;
  return std::equal(a.messages.begin(), a.messages.end(), b.messages.begin(),
                    [](const MessageProgress& one, const MessageProgress& other) {
                      return one.src == other.src && one.sequence == other.sequence;
                    });
}

SteadyRates::Horizon SteadyRates::horizon() const {
  Horizon result;
  const double first = static_cast<double>(looks_at_[1].at - looks_at_[0].at);
  const double second = static_cast<double>(looks_at_[2].at - looks_at_[1].at);
  for (std::size_t i = 0; i < looks_at_[0].messages.size() && !result.unlike; ++i) {
    const MessageProgress& begin = looks_at_[0].messages[i];
    const MessageProgress& middle = looks_at_[1].messages[i];
    const MessageProgress& end = looks_at_[2].messages[i];
    if (formed_between(begin, end) == 0) continue;
    const auto moved = static_cast<double>(formed_between(middle, end));
    // The packets of the first span at the pace of the second one, and those that come where they go.
    for (const double other :
         {static_cast<double>(formed_between(begin, middle)) * second / first, received(2, end) - received(1, end)}) {
      const auto packets = static_cast<double>(kPacketsApart * end.packet_bytes);
      const double apart = std::abs(other - moved) - packets;
      result.steady = result.steady && apart <= kShareApart * std::max(other, moved);
      result.unlike = result.unlike || apart > packets + kShareUnlike * std::max(other, moved);
    }
    result.unlike = result.unlike || received(0, end) == 0;
    limit(begin, end, &result);
  }
  return result;
}

// Bytes of a message that had come where it goes, at one of the looks.
double SteadyRates::received(std::size_t look, const MessageProgress& message) const {
  const auto& all = looks_at_[look].received;
  const auto found = all.find(message_name(message.src, message.sequence));
  return found == all.end() ? 0 : static_cast<double>(found->second);
}

// Until a message that moves ends, or has sent what had been released before its spans.
void SteadyRates::limit(const MessageProgress& first, const MessageProgress& last, Horizon* horizon) const {
  const std::uint64_t formed = formed_between(first, last);
  horizon->fine = horizon->fine && formed >= kPackets * last.packet_bytes;
  const double both = static_cast<double>(looks_at_[2].at - looks_at_[0].at);
  const auto until = [&](std::uint64_t bytes, std::uint64_t rate) {
    const double cycles = static_cast<double>(bytes) / static_cast<double>(rate) * both;
    if (cycles < static_cast<double>(horizon->cycles)) horizon->cycles = static_cast<Cycle>(cycles);
  };
  until(last.bytes - last.formed, formed);
  // A message whose last packets are on their way is not being sent any more, and releases little from now on.
  const bool comes = source_of(last) < looks_at_[2].messages.size();
  const std::uint64_t released = comes ? last.released - first.released : 0;
  const std::uint64_t waits = last.released - last.formed;
  if (last.released < last.bytes && formed > released + kPacketsApart * last.packet_bytes)
    until(waits, formed - released);
}

// A message that is sent as fast as it is released stays so.
MessageJump SteadyRates::jump_of(std::size_t message, std::uint64_t times) {
  if (jumps_[message]) return *jumps_[message];
  const MessageProgress& first = looks_at_[0].messages[message];
  const MessageProgress& last = looks_at_[2].messages[message];
  MessageJump jump;
  jump.formed = times * formed_between(first, last);
  const std::size_t source = source_of(last);
  if (source < jumps_.size()) {
    jump.released = jump_of(source, times).formed;
    const std::uint64_t released = formed_between(looks_at_[0].messages[source], looks_at_[2].messages[source]);
    const std::uint64_t formed = formed_between(first, last);
    const std::uint64_t apart = formed > released ? formed - released : released - formed;
    // What its source releases is less than was measured where that is tied to a source of its own.
    const bool overtakes = last.formed + jump.formed > last.released + jump.released;
    if (overtakes || apart <= kPacketsApart * last.packet_bytes) jump.formed = jump.released;
  }
  WEFT_CHECK(last.formed + jump.formed < last.bytes || jump.formed == 0, "a message is moved on behind its end");
  WEFT_CHECK(last.formed + jump.formed <= last.released + jump.released,
             "a message is moved on by more than has been released of it");
  jumps_[message] = jump;
  return jump;
}

// The message, of those that are being sent, whose bytes are released of `message` as they come.
std::size_t SteadyRates::source_of(const MessageProgress& message) const {
  const std::vector<MessageProgress>& all = looks_at_[2].messages;
  if (!message.streams) return all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].src == message.from && all[i].dst == message.src && all[i].tag == message.from_tag) return i;
  }
  return all.size();
}

Cycle SteadyRates::move_on(Cycle now, std::uint64_t times) {
  const Cycle cycles = times * (now - looks_at_[0].at);
  const std::vector<MessageProgress>& messages = looks_at_[2].messages;
  jump_.clear();
  jumps_.assign(messages.size(), std::nullopt);
  for (std::size_t i = 0; i < messages.size(); ++i) jump_.add(messages[i], jump_of(i, times));
  for (std::size_t i = 0; i < looks_at_[2].counters.size(); ++i)
    jump_.counters.push_back(times * (looks_at_[2].counters[i] - looks_at_[0].counters[i]));
  flits_before_.resize(system_.links());
  flits_behind_.resize(system_.links());
  system_.read_link_flits(flits_before_.data());
  form_.begin_advance(&jump_, now, cycles);
  system_.fabric().put_state(form_);
  WEFT_CHECK(form_.end(), "a state has changed its form while it was moved on: " + form_.refusal());
  system_.read_link_flits(flits_behind_.data());
  repeat_latencies(times);
  left_out_from_ = now;
  left_out_ = cycles;
  skipped_ += cycles;
  restart();
  return cycles;
}

void SteadyRates::repeat_latencies(std::uint64_t times) {
  const auto repeat = [times](const LatencyHistogram& first, const LatencyHistogram& last, LatencyHistogram* all) {
    std::unordered_map<Cycle, std::uint64_t> before;
    first.for_each([&](Cycle latency, std::uint64_t count) { before.emplace(latency, count); });
    last.for_each([&](Cycle latency, std::uint64_t count) {
      const auto found = before.find(latency);
      all->add(latency, times * (count - (found == before.end() ? 0 : found->second)));
    });
  };
  npu::MessageStatistics& statistics = interfaces().statistics();
  repeat(latency_, LatencyHistogram(statistics.latency), &statistics.latency);
  repeat(network_latency_, LatencyHistogram(statistics.network_latency), &statistics.network_latency);
}

void SteadyRates::link_flits(Cycle at, std::uint64_t* flits) const {
  const double share = static_cast<double>(at - left_out_from_) / static_cast<double>(left_out_);
  for (std::size_t i = 0; i < flits_before_.size(); ++i) {
    const auto carried = static_cast<double>(flits_behind_[i] - flits_before_[i]);
    flits[i] = flits_before_[i] + static_cast<std::uint64_t>(share * carried);
  }
}

}  // namespace weft::sc_models
