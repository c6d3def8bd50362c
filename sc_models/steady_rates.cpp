// SPDX-License-Identifier: Apache-2.0
#include "sc_models/steady_rates.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "npu/interface/payload_holder.h"
#include "npu/player/least_cycles.h"
#include "sc_models/memory/io_messages.h"

namespace weft::sc_models {
namespace {

/// Cycles of the first span.
constexpr Cycle kSpan = 1024;

/// In both spans together a message that moves has to move by so many packets, or it is measured too coarsely.
constexpr std::uint64_t kPackets = 512;
/// And by so many where all of them together may differ.
constexpr std::uint64_t kPacketsCoarse = 64;
/// Two spans are alike where each message has moved by as many packets in them, but for so many and this share.
constexpr std::uint64_t kPacketsApart = 2;
constexpr double kShareApart = 1.0 / 64;
/// As much of each message has to come as leaves, but for this share, or its way is still being filled.
constexpr double kShareLagging = 1.0 / 16;
/// Where they are further apart than this share, a new span begins.
constexpr double kShareUnlike = 1.0 / 4;
/// Both spans are at least this share of the time until something ends.
constexpr Cycle kMostTimes = 256;
/// And where each message has moved by the same number of packets in both spans and at both of its ends.
constexpr Cycle kMostEqualTimes = 2048;
/// And of streams, whose flow through buffers goes up and down from piece to piece.
constexpr Cycle kMostStreamTimes = 64;
/// Where spans are unlike time and again, the pauses between looks grow up to this.
constexpr Cycle kLongestPause = 64 * kSpan;
/// A word of state may be looked at for so many moves of flits; so many words are free.
constexpr std::uint64_t kMovesPerWord = 4;
constexpr std::uint64_t kFreeWords = 50'000;
/// Fewer times both spans, the last of which is kept, are not worth a move.
constexpr Cycle kLeastTimes = 3;

std::uint64_t formed_between(const MessageProgress& before, const MessageProgress& behind) {
  return behind.formed - before.formed;
}

std::uint64_t rounded(double times, std::uint64_t count) {
  return static_cast<std::uint64_t>(std::llround(times * static_cast<double>(count)));
}

}  // namespace

SteadyRates::SteadyRates(System& system) : system_(system), least_cycles_(npu::least_cycles(system.config())) {
  form_.set_rules(io_tag_family, npu::put_payload);
  for (npu::SpanLatencies& span : latencies_) span.family = io_tag_family;
}

Cycle SteadyRates::end_of_cycle(Cycle now, Cycle last) {
  if (looks_ > 0 && interfaces().events() != events_) restart();
  if (looks_ == 0) {
    if (now >= next_look_) begin_at(now);
    return 0;
  }
  if (anchor_ == 0 && !looks_at_[0].streams.empty()) {
    const bool begins = has_come(0, now) && now >= began_ + kSpan;
    if (begins) begin_at(now);
    if (begins || !sends_messages() || (looks_ == 2 && streams_flow())) return 0;
  }
  if (measures_streams() ? !span_of_pieces_ends(now) : now < next_look_) return 0;
  if (!look(now) || !same_messages(looks_at_[looks_ - 2], looks_at_[looks_ - 1])) {
    restart();
    return 0;
  }
  if (looks_ < 3) {
    next_look_ = now + kSpan;
    return 0;
  }
  const Horizon found = horizon();
  if (found.unlike && !measures_streams()) {
    restart();
    pause_ = std::clamp(2 * pause_, kSpan, kLongestPause);
    next_look_ = now + pause_;
    return 0;
  }
  const Cycle both = now - looks_at_[0].at;
  const auto until = [now](Cycle at) { return at - std::min(at, now); };
  const Cycle left = std::min({found.cycles, until(last), until(looks_at_[2].event_at)});
  const Cycle most = measures_streams() ? kMostStreamTimes : found.equal ? kMostEqualTimes : kMostTimes;
  const Cycle least = measures_streams() ? least_of_streams(both) : kLeastTimes * both;
  const bool steady = found.steady && found.fine && found.filled && found.moves;
  const bool worth_it = left / both <= most && left >= least;
  const Cycle cycles = worth_it && (steady || affordable(found, both, left)) ? move_on(now, both, left) : 0;
  if (cycles == 0) {
    lengthen();
  } else if (!steady) {
    count_wrong(found.apart * static_cast<double>(cycles));
  }
  return cycles;
}

void SteadyRates::restart() {
  interfaces().set_span_latencies(nullptr);
  anchor_ = 0;
  looks_ = 0;
  next_look_ = 0;
}

void SteadyRates::begin_at(Cycle now) {
  if (cost_ > kFreeWords + system_.fabric().flits_moved() / kMovesPerWord) {
    next_look_ = now + kSpan;
    return;
  }
  looks_ = 0;
  began_ = now;
  anchor_ = has_come(0, now) ? interfaces().last_piece().family : 0;
  pieces_ = 0;
  span_pieces_ = 0;
  forgot_ = false;
  events_ = interfaces().events();
  next_look_ = now + kSpan;
  look(now);
}

// Both spans become the first one, and the second one is as long. Of streams, whose beginning has to lie behind the
// looks soon, every second time the first span is forgotten, and the next one is as long as the second one.
void SteadyRates::lengthen() {
  const Cycle elapsed = looks_at_[2].at - began_;
  const int first = !measures_streams() || forgot_ ? 1 : 0;
  forgot_ = first == 0;
  if (!forgot_) span_pieces_ *= 2;
  std::rotate(looks_at_.begin() + first, looks_at_.begin() + first + 1, looks_at_.end());
  std::rotate(flits_at_.begin() + first, flits_at_.begin() + first + 1, flits_at_.end());
  if (first == 0) {
    std::swap(latencies_[0], latencies_[1]);
  } else {
    latencies_[0].merge(latencies_[1]);
  }
  latencies_[1].clear(looks_at_[0].at);
  looks_ = 2;
  next_look_ = began_ + 2 * elapsed;
}

bool SteadyRates::look(Cycle now) {
  const std::uint64_t given = form_.given();
  system_.settle(now);
  form_.begin_rates(&looks_at_[looks_], now);
  system_.fabric().put_state(form_);
  const bool good = form_.end();
  cost_ += form_.given() - given;
  flits_at_[looks_] = system_.fabric().flits_moved();
  if (looks_ < 2) {
    latencies_[looks_].clear(looks_at_[0].at);
    interfaces().set_span_latencies(&latencies_[looks_]);
  }
  reason_ = form_.refusal();
  if (good) ++looks_;
  return good;
}

bool SteadyRates::same_messages(const SteadyLook& a, const SteadyLook& b) const {
  if (a.messages.size() != b.messages.size() || a.counters.size() != b.counters.size()) return false;
  const auto same_family = [](const StreamProgress& one, const StreamProgress& other) {
    return one.family == other.family;
  };
  if (!std::equal(a.streams.begin(), a.streams.end(), b.streams.begin(), b.streams.end(), same_family)) return false;
  return std::equal(a.messages.begin(), a.messages.end(), b.messages.begin(),
                    [](const MessageProgress& one, const MessageProgress& other) {
                      return one.src == other.src && one.sequence == other.sequence;
                    });
}

SteadyRates::Horizon SteadyRates::horizon() const {
  Horizon result;
  const double first = static_cast<double>(looks_at_[1].at - looks_at_[0].at);
  const double second = static_cast<double>(looks_at_[2].at - looks_at_[1].at);
  double between_spans = 0;
  double between_ends = 0;
  double all = 0;
  for (std::size_t i = 0; i < looks_at_[0].messages.size() && (!result.unlike || measures_streams()); ++i) {
    const MessageProgress& begin = looks_at_[0].messages[i];
    const MessageProgress& middle = looks_at_[1].messages[i];
    const MessageProgress& end = looks_at_[2].messages[i];
    if (formed_between(begin, end) == 0) continue;
    result.moves = true;
    const auto moved = static_cast<double>(formed_between(middle, end));
    // The packets of the first span at the pace of the second one, and those that come where they go.
    const double before = static_cast<double>(formed_between(begin, middle)) * second / first;
    const double come = received(2, end) - received(1, end);
    const auto packets = static_cast<double>(kPacketsApart * end.packet_bytes);
    for (const double other : {before, come}) {
      result.equal = result.equal && other == moved;
      const double apart = std::abs(other - moved) - packets;
      result.steady = result.steady && apart <= kShareApart * std::max(other, moved);
      result.unlike = result.unlike || apart > packets + kShareUnlike * std::max(other, moved);
    }
    result.unlike = result.unlike || received(0, end) == 0;
    between_spans += std::max(std::abs(before - moved), static_cast<double>(end.packet_bytes));
    between_ends += std::abs(come - moved);
    all += std::max(before, moved);
    const double lagging = std::abs(come - moved) - packets;
    result.filled = result.filled && received(0, end) > 0 && lagging <= kShareLagging * moved;
    limit(begin, end, &result);
  }
  if (all > 0) result.apart = std::max(between_spans, between_ends) / all;
  check_streams(&result);
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
  horizon->coarse = horizon->coarse && formed >= kPacketsCoarse * last.packet_bytes;
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
MessageJump SteadyRates::jump_of(std::size_t message, double times) {
  if (jumps_[message]) return *jumps_[message];
  const MessageProgress& first = looks_at_[0].messages[message];
  const MessageProgress& last = looks_at_[2].messages[message];
  MessageJump jump;
  const std::uint64_t packets = formed_between(first, last) / last.packet_bytes;
  jump.formed = static_cast<std::uint64_t>(times * static_cast<double>(packets)) * last.packet_bytes;
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
  // What is still released of a message whose source has ended, or is not known, is all that it can send; and where
  // nothing has come of it yet, its way is not filled.
  const std::uint64_t can_send = last.released + jump.released - last.formed;
  jump.formed = received(2, last) > 0 ? std::min(jump.formed, can_send / last.packet_bytes * last.packet_bytes) : 0;
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

// Messages move on by whole times both spans, since then they lie to each other as they did, and beside streams as
// those do, by pieces. Returns 0 where these are too long.
Cycle SteadyRates::move_on(Cycle now, Cycle both, Cycle left) {
  const Cycle whole_times = left / both - 1;
  const double times = measures_streams() ? stream_times(both, left) : static_cast<double>(whole_times);
  const std::vector<MessageProgress>& messages = looks_at_[2].messages;
  jump_.clear();
  jumps_.assign(messages.size(), std::nullopt);
  for (std::size_t i = 0; i < messages.size(); ++i) jump_.add(messages[i], jump_of(i, times));
  const double counted = add_streams(times);
  const Cycle cycles = std::max<Cycle>(rounded(times, both), least_of_lines());
  if (cycles == 0 || cycles > left) return 0;
  for (std::size_t i = 0; i < looks_at_[2].counters.size(); ++i)
    jump_.counters.push_back(rounded(counted, looks_at_[2].counters[i] - looks_at_[0].counters[i]));
  spread_.before(system_);
  jump_.measured_from = looks_at_[0].at;
  form_.begin_advance(&jump_, now, cycles);
  system_.fabric().put_state(form_);
  WEFT_CHECK(form_.end(), "a state has changed its form while it was moved on: " + form_.refusal());
  spread_.behind(system_, now, cycles);
  repeat_latencies(counted);
  add_grown_latencies(cycles);
  pause_ = 0;
  skipped_ += cycles;
  restart();
  return cycles;
}

void SteadyRates::repeat_latencies(double times) {
  npu::MessageStatistics& statistics = interfaces().statistics();
  const auto repeat = [times](const LatencyHistogram& span, LatencyHistogram* all) {
    span.for_each([&](Cycle latency, std::uint64_t count) { all->add(latency, rounded(times, count)); });
  };
  for (const npu::SpanLatencies& span : latencies_) {
    repeat(span.latency, &statistics.latency);
    repeat(span.network_latency, &statistics.network_latency);
  }
}

// A message that was ready before both spans sends packets that have waited the longer the later they leave.
void SteadyRates::add_grown_latencies(Cycle cycles) {
  constexpr std::uint64_t kSteps = 256;
  const LatencyHistogram& latencies = latencies_[0].network_latency;
  const auto in_network = latencies.count() == 0 ? Cycle{0} : static_cast<Cycle>(latencies.mean());
  const SteadyLook& last = looks_at_[2];
  for (std::size_t i = 0; i < last.messages.size(); ++i) {
    const MessageProgress& message = last.messages[i];
    if (message.ready_since >= looks_at_[0].at || !jumps_[i]) continue;
    const std::uint64_t packets = jumps_[i]->formed / message.packet_bytes;
    const Cycle before = last.at - message.ready_since + in_network;
    for (std::uint64_t step = 0; step < kSteps; ++step) {
      const std::uint64_t some = packets * (step + 1) / kSteps - packets * step / kSteps;
      interfaces().statistics().latency.add(before + cycles * (2 * step + 1) / (2 * kSteps), some);
    }
  }
}

}  // namespace weft::sc_models
