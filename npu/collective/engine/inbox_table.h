// SPDX-License-Identifier: Apache-2.0
// The messages that one collective engine waits for or has, by sender and tag.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/error.h"
#include "base/prefetch.h"
#include "npu/interface/network_interface.h"

namespace weft::npu {

class ChunkRun;

/// A message that arrives, has arrived, or is waited for.
struct Inbox {
  static constexpr std::uint32_t kMostSteps = std::uint32_t{1} << 30;

  std::uint64_t tag = 0;
  NodeId src{};
  std::uint32_t step : 30;  ///< instruction of `run` that waits for it
  bool complete : 1;
  bool in_use : 1;
  std::uint64_t arrived = 0;        ///< bytes
  std::uint64_t message_bytes = 0;  ///< known once something has arrived
  ChunkRun* run = nullptr;          ///< who waits for it; null = nobody yet
  std::unique_ptr<Payload> data;    ///< values mode

  Inbox() : step(0), complete(false), in_use(false) {}

  /// The data that has come; empty where there is none.
  const Payload& bytes() const {
    static const Payload kNone;
    return data == nullptr ? kNone : *data;
  }
};

/// By how much the tags of a chunk (chunk_of_tag) grow from period to period.
struct TagGrowth {
  std::uint64_t chunk = 0;
  std::uint64_t per_period = 0;
};

/// Inboxes by sender and tag, with a number each that stays theirs. A wafer has many engines and each message costs a
/// visit or two, so they lie side by side and are found by a hash with linear probing, at most half full.
class InboxTable {
 public:
  /// Number of an inbox.
  using Number = std::uint32_t;
  static constexpr Number kNone = ~Number{0};

  bool empty() const { return open_ == 0; }
  /// Fetches into the caches what the next call will touch where few inboxes are open.
  void fetch() const {
    if (!inboxes_.empty()) fetch_lines(inboxes_.data(), 2 * sizeof(Inbox));
    fetch_line(slots_.data());
  }
  Inbox& operator[](Number number) { return inboxes_[number]; }
  const Inbox& operator[](Number number) const { return inboxes_[number]; }

  /// The inbox of a message, made if there is none.
  Number of(NodeId src, std::uint64_t tag) {
    if (slots_.size() < 2 * (open_ + 1)) grow();
    std::size_t at = home(src, tag);
    for (; slots_[at] != kNone; at = next(at)) {
      const Inbox& inbox = inboxes_[slots_[at]];
      if (inbox.tag == tag && inbox.src == src) return slots_[at];
    }
    const Number number = take();
    inboxes_[number].tag = tag;
    inboxes_[number].src = src;
    slots_[at] = number;
    return number;
  }
  /// Forgets an inbox; its number may be given again.
  void erase(Number number) {
    Inbox& inbox = inboxes_[number];
    std::size_t hole = home(inbox.src, inbox.tag);
    while (slots_[hole] != number) {
      WEFT_CHECK(slots_[hole] != kNone, "an inbox is closed that is not open");
      hole = next(hole);
    }
    // The entries behind the hole move up to it, but none of them moves to a slot before its home.
    for (std::size_t at = next(hole); slots_[at] != kNone; at = next(at)) {
      const Inbox& other = inboxes_[slots_[at]];
      if (distance(home(other.src, other.tag), at) < distance(hole, at)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = kNone;
    inbox = Inbox{};
    free_.push_back(number);
    --open_;
  }
  /// Gives `form` its state. Returns, in the third look, how the tags of each chunk have grown. `next_chunk`: which
  /// chunk begins next of the collective with these tags (collective_of_tag).
  using NextChunk = std::function<std::uint32_t(std::uint64_t tags)>;
  std::vector<TagGrowth> put_state(StateForm& form, const NextChunk& next_chunk);
  /// Writes its inboxes into `checkpoint`, or takes them from there.
  /// `run(chunk)` keeps who waits for a message.
  template <typename Checkpoint, typename KeepRun>
  void keep(Checkpoint& checkpoint, KeepRun run) {
    checkpoint.each(inboxes_, [&](Inbox& inbox) {
      if (inbox.data != nullptr) checkpoint.refuse("messages carry data");
      std::uint32_t step = inbox.step;
      bool complete = inbox.complete;
      bool in_use = inbox.in_use;
      checkpoint.values(inbox.tag, inbox.src, inbox.arrived, inbox.message_bytes, step, complete, in_use);
      inbox.step = step % Inbox::kMostSteps;
      inbox.complete = complete;
      inbox.in_use = in_use;
      run(inbox.run);
    });
    checkpoint.list(free_);
    checkpoint.list(slots_);
    checkpoint.values(open_);
  }
  /// Open inboxes for which nobody waits.
  std::size_t unasked() const {
    std::size_t count = 0;
    for (const Inbox& inbox : inboxes_) count += inbox.in_use && inbox.run == nullptr ? 1 : 0;
    return count;
  }

 private:
  friend struct EngineState;  // tests change single fields to see that a look has them
  std::size_t home(NodeId src, std::uint64_t tag) const {
    const std::uint64_t hash = (tag ^ std::uint64_t{index(src)} << 32) * 0x9E3779B97F4A7C15;
    return static_cast<std::size_t>(hash >> 32) & (slots_.size() - 1);
  }
  std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }
  /// Steps from one slot on to another.
  std::size_t distance(std::size_t from, std::size_t to) const { return (to - from) & (slots_.size() - 1); }

  Number take() {
    if (free_.empty()) {
      free_.push_back(static_cast<Number>(inboxes_.size()));
      inboxes_.emplace_back();
    }
    const Number number = free_.back();
    free_.pop_back();
    inboxes_[number].in_use = true;
    ++open_;
    return number;
  }
  void grow() {
    slots_.resize(slots_.empty() ? 4 : 2 * slots_.size());
    fill_slots();
  }
  void fill_slots() {
    std::fill(slots_.begin(), slots_.end(), kNone);
    for (Number number = 0; number < inboxes_.size(); ++number) {
      if (!inboxes_[number].in_use) continue;
      std::size_t at = home(inboxes_[number].src, inboxes_[number].tag);
      while (slots_[at] != kNone) at = next(at);
      slots_[at] = number;
    }
  }

  std::vector<Inbox> inboxes_;  ///< by number
  std::vector<Number> free_;
  std::vector<Number> slots_;  ///< a power of two, or none
  std::size_t open_ = 0;
};

}  // namespace weft::npu
