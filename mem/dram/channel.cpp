// SPDX-License-Identifier: Apache-2.0
#include "mem/dram/channel.h"

#include <algorithm>

namespace weft::mem {
namespace {

unsigned shift_of(std::uint64_t power_of_two) { return static_cast<unsigned>(__builtin_ctzll(power_of_two)); }

}  // namespace

Channel::Channel(std::uint32_t index, const DramTiming& timing, const ChannelOptions& options, const Mapping& mapping,
                 const Scheduler& scheduler, Owner& owner)
    : ChannelState(timing, options.queue_depth),
      index_(index),
      options_(options),
      mapping_(mapping),
      scheduler_(scheduler),
      owner_(owner),
      burst_shift_(shift_of(timing.burst_bytes)),
      granule_shift_(shift_of(options.interleave_bytes)),
      channel_shift_(shift_of(timing.channels)),
      refresh_due_(timing.t_refi) {}

// --- parts of requests ---

bool Channel::concerns(const Request& request) const {
  const std::uint64_t first = request.physical >> granule_shift_;
  const std::uint64_t last = (request.physical + request.bytes - 1) >> granule_shift_;
  const std::uint64_t slots = (std::uint64_t{1} << channel_shift_) - 1;
  if (last - first >= 2 * slots) return true;  // a whole round at least
  for (std::uint64_t granule = first; granule <= last; ++granule) {
    if (((granule & slots) ^ mapping_.channel_mask(granule >> channel_shift_)) == index_) return true;
  }
  return false;
}

void Channel::take(Request& request, Cycle at) {
  if (free_segments_.empty()) {
    free_segments_.push_back(static_cast<std::uint32_t>(segments_.size()));
    segments_.emplace_back();
  }
  const std::uint32_t number = free_segments_.back();
  free_segments_.pop_back();
  Segment& segment = segments_[number];
  // Field by field: a copy in wide words of what was just written in narrow ones stalls.
  segment.request = &request;
  segment.arrival = at;
  segment.passes_left = request.passes;
  segment.burst = segment.burst_end = 0;
  segment.in_queue = 0;
  segment.next = kNone;
  segment.all_queued = false;
  segment.round = request.physical >> (granule_shift_ + channel_shift_);
  if (!open_granule(segment)) next_granule(segment);
  incoming_.emplace_back(at, number);
}

// Sets the bursts of the request that lie in the channel's granule of the segment's round. False when there are none.
bool Channel::open_granule(Segment& segment) {
  const std::uint64_t slot = index_ ^ mapping_.channel_mask(segment.round);
  const std::uint64_t granule = (segment.round << channel_shift_) | slot;
  const std::uint64_t begin = granule << granule_shift_;
  const std::uint64_t end = begin + (std::uint64_t{1} << granule_shift_);
  const std::uint64_t from = std::max(begin, segment.request->physical);
  const std::uint64_t to = std::min(end, segment.request->physical + segment.request->bytes);
  if (from >= to) return false;
  figures_.bytes += to - from;
  const std::uint64_t local = segment.round << granule_shift_;  // where the granule lies in the channel
  segment.burst = (local + (from - begin)) >> burst_shift_;
  segment.burst_end = ((local + (to - 1 - begin)) >> burst_shift_) + 1;
  return true;
}

// Goes on to the segment's next granule in this channel; false after the last one.
bool Channel::next_granule(Segment& segment) {
  const Request& request = *segment.request;
  const std::uint64_t last_round = (request.physical + request.bytes - 1) >> (granule_shift_ + channel_shift_);
  do {
    if (segment.round < last_round) {
      ++segment.round;
    } else if (segment.passes_left > 1) {
      --segment.passes_left;
      segment.round = request.physical >> (granule_shift_ + channel_shift_);
    } else {
      return false;
    }
  } while (!open_granule(segment));
  return true;
}

void Channel::admit(Cycle at) {
  const std::uint32_t number = incoming_.front().segment;
  incoming_.pop_front();
  const std::uint32_t initiator = segments_[number].request->initiator;
  if (initiator >= streams_.size()) streams_.resize(initiator + 1);
  Stream& stream = streams_[initiator];
  if (stream.first == kNone) {
    stream.first = number;
    waiting_.push_back(initiator);
  } else {
    segments_[stream.last].next = number;
  }
  stream.last = number;
  now_ = std::max(now_, at);
  fill(now_);
}

// Fills the queue, one burst of each initiator, round-robin.
void Channel::fill(Cycle at) {
  while (!is_full() && !waiting_.empty()) {
    const std::uint32_t initiator = waiting_.front();
    waiting_.pop_front();
    queue_burst(initiator, at);
    if (streams_[initiator].first != kNone) waiting_.push_back(initiator);
  }
}

void Channel::queue_burst(std::uint32_t initiator, Cycle at) {
  Stream& stream = streams_[initiator];
  Segment& segment = segments_[stream.first];
  note_queue(at);
  const std::uint8_t slot =
      add(mapping_.location(segment.burst), segment.request->command == Command::kWrite, stream.first, at);
  is_chosen_ = is_chosen_ && !changes_choice(entry(slot));
  figures_.queue_max = std::max<std::uint64_t>(figures_.queue_max, size());
  ++segment.in_queue;
  ++segment.burst;
  if (segment.burst == segment.burst_end && !next_granule(segment)) {
    segment.all_queued = true;
    stream.first = segment.next;
  }
}

// --- commands ---

// True when a burst that has just come may go before the command chosen, or forbids it. It is the youngest.
bool Channel::changes_choice(const QueueEntry& added) const {
  const NextCommand next = next_command(added);
  const bool is_column = next.kind == CommandKind::kRead || next.kind == CommandKind::kWrite;
  const bool chose_row = choice_.kind == CommandKind::kActivate || choice_.kind == CommandKind::kPrecharge;
  return next.at < choice_.at || (is_column && chose_row);
}

void Channel::advance(Cycle until) {
  for (;;) {
    if (!is_chosen_) {
      choice_ = size() == 0 ? Choice{} : scheduler_.choose(*this, now_);
      is_chosen_ = true;
    }
    const Cycle limit = std::min(choice_.at, until);
    if (!incoming_.empty() && incoming_.front().at <= limit) {
      admit(incoming_.front().at);
    } else if (refresh_due_ <= limit) {
      refresh_up_to(limit);
    } else if (choice_.at <= until) {
      send(choice_);
    } else {
      break;
    }
  }
  done_ = std::max(done_, until);
}

void Channel::send(const Choice& choice) {
  is_chosen_ = false;
  now_ = choice.at;
  QueueEntry& entry = mutable_entry(choice.slot);
  if (!entry.was_counted) count_first(entry, choice.kind);
  if (choice.kind == CommandKind::kActivate) {
    observe(choice.at, choice.kind, entry.bank, entry.row);
    activate(entry, choice.at);
  } else if (choice.kind == CommandKind::kPrecharge) {
    observe(choice.at, choice.kind, entry.bank);
    precharge(entry.bank, choice.at);
  } else {
    send_column(choice);
  }
}

void Channel::send_column(const Choice& choice) {
  const QueueEntry& sent = entry(choice.slot);  // its slot is not used again before `fill`
  observe(choice.at, choice.kind, sent.bank, sent.row, sent.column);
  read_or_write(sent, choice.at);
  ++(sent.is_write ? figures_.writes : figures_.reads);
  note_queue(choice.at);
  remove(choice.slot);
  Segment& segment = segments_[sent.segment];
  if (--segment.in_queue == 0 && segment.all_queued) {
    const Cycle last_data = choice.at + (sent.is_write ? timing().t_cwl : timing().t_cl) + timing().t_bl;
    figures_.latency.add(last_data - segment.arrival);
    free_segments_.push_back(sent.segment);
    owner_.part_served(*segment.request, last_data);
  }
  fill(choice.at);
}

void Channel::count_first(QueueEntry& entry, CommandKind kind) {
  entry.was_counted = true;
  if (kind == CommandKind::kPrecharge) {
    ++figures_.row_conflicts;
  } else if (kind == CommandKind::kActivate) {
    ++figures_.row_misses;
  } else {
    ++figures_.row_hits;
  }
}

void Channel::observe(Cycle at, CommandKind kind, std::uint32_t bank, std::uint64_t row, std::uint32_t column) {
  if (observer_ != nullptr) observer_->command({at, kind, bank, row, column});
}

Cycle Channel::earliest_served() const {
  const Cycle shortest = std::min(timing().t_cl, timing().t_cwl) + timing().t_bl;
  Cycle next = is_chosen_ ? choice_.at : now_;
  if (size() == 0) next = kNever;
  if (!incoming_.empty()) next = std::min(next, incoming_.front().at);
  return next == kNever ? kNever : next + shortest;
}

// --- figures ---

void Channel::note_queue(Cycle at) {
  queue_sum_ += size() * (at - queue_since_);
  queue_since_ = at;
}

ChannelFigures Channel::figures() const {
  ChannelFigures figures = figures_;
  figures.cycles = done_;
  const std::uint64_t rest = done_ > queue_since_ ? size() * (done_ - queue_since_) : 0;
  if (done_ > 0) figures.queue_mean = static_cast<double>(queue_sum_ + rest) / static_cast<double>(done_);
  return figures;
}

}  // namespace weft::mem
