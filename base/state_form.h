// SPDX-License-Identifier: Apache-2.0
// The state of blocks as a list of words, written relative to now, so that it can be compared with what it was a period
// before and moved on by whole periods. docs/fast_forward.md says why that is exact.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/packet.h"
#include "base/state_hash.h"
#include "base/steady_look.h"
#include "base/types.h"

namespace weft {

/// Every block describes its state once, in a function that gives this its words in a fixed order. The description
/// serves all passes: three that look at the state, a period apart, one that moves it on, and a hash.
///
/// A word is one of these:
/// * `same`: it decides what happens. It must be equal in all looks; times are given relative to now (`time`).
/// * `grows`: it decides nothing, or only whether it equals another such word. It may change, by the same amount from
///   look to look; it goes on to change by that amount in each period.
/// * `counts_to`: it grows and decides when it reaches an end. It bounds how many periods the state can move on.
class StateForm {
 public:
  enum class Pass {
    kFirst,   ///< writes down all words
    kSecond,  ///< a period later: compares them, writes down what has grown and bounds it; may be tried again later
    kThird,   ///< another period later: compares all of that
    kHash,    ///< only mixes the words that have to be equal, to find out when to look
    kMoveOn,  ///< adds what grows in the periods that are left out
    // Where the state does not repeat itself but its rates are steady:
    kRates,    ///< writes down counters and how far messages have come
    kAdvance,  ///< moves counters, messages and times on at their rates
  };
  static constexpr std::uint64_t kNoBound = ~std::uint64_t{0};

  /// What the numbers of a message say: the family of a tag, of which all tags grow alike (0 = of none), and the words
  /// of a payload. Without the second one packets with data are refused.
  using TagFamily = std::uint64_t (*)(std::uint64_t tag);
  using PutPayload = void (*)(StateForm& form, const PayloadHolder& payload);
  void set_rules(TagFamily tag_family, PutPayload put_payload) {
    tag_family_ = tag_family;
    put_payload_ = put_payload;
  }
  /// No block looks further ahead than so many bytes of a message: what it does while more than these are left does not
  /// depend on how many there are.
  void set_look_ahead(std::uint64_t bytes) { look_ahead_ = bytes; }

  /// What one look has found, to be compared with others later.
  struct Look {
    std::vector<std::uint64_t> same;
    std::vector<std::uint64_t> grows;
  };
  /// What kFirst has written down; this keeps nothing of it.
  Look take_look();
  /// A third look or a move follows two looks that have been taken. False: they differ in words that have to be equal.
  bool expect(const Look& first, const Look& second);

  /// Looks lie at moments between which players of a trace begin and end things, all of which they do again in each
  /// period. Otherwise players do nothing in what repeats itself.
  void let_players_repeat() { players_repeat_ = true; }
  bool players_repeat() const { return players_repeat_; }

  /// A pass begins at the end of cycle `now`. `periods` is for kMoveOn.
  void begin(Pass pass, Cycle now, Cycle period, std::uint64_t periods = 0);
  /// Passes for steady rates. What `begin_rates` is given is filled in; `begin_advance` leaves out `cycles` cycles.
  void begin_rates(SteadyLook* look, Cycle now);
  void begin_advance(const SteadyJump* jump, Cycle now, Cycle cycles);
  /// A pass has ended. False: the state is not that of a period before, or `refusal` says why it cannot be compared.
  bool end();
  /// Blocks may leave out what is left of a pass that has failed.
  bool failed() const { return failed_; }
  bool moves_on() const { return pass_ == Pass::kMoveOn || pass_ == Pass::kAdvance; }
  /// A pass for steady rates: what is equal from look to look means nothing.
  bool is_steady() const { return pass_ == Pass::kRates || pass_ == Pass::kAdvance; }
  Cycle now() const { return now_; }
  /// Cycles that kMoveOn or kAdvance leaves out.
  Cycle skipped() const { return skipped_; }
  /// Words that have been given in all passes so far: what looking has cost.
  std::uint64_t given() const { return given_; }
  std::uint64_t hash() const { return hash_.value(); }
  /// After the third pass: periods that can be left out. After the second one: at most so many will be.
  std::uint64_t periods() const { return bound_ == kNoBound ? kNoBound : std::min(bound_, size_bound_); }

  void same(std::uint64_t word) {
    if (failed_ || pass_ == Pass::kMoveOn) return;
    ++given_;
    if (is_steady()) return;
    if (pass_ == Pass::kHash) {
      hash_.add(word);
    } else if (pass_ == Pass::kFirst) {
      same_.push_back(word);
    } else if (next_same_ == same_.size() || same_[next_same_++] != word) {
      failed_ = true;
    }
  }
  /// A block has looked at as much as `words` words would say and does not give them: others say that they are as they
  /// are at rest. They cost about as much.
  void rest(std::uint64_t words) {
    if (!failed_ && pass_ != Pass::kMoveOn) given_ += words;
  }
  template <typename Word>
  void grows(Word& word) {
    if (failed_ || pass_ == Pass::kHash) return;
    if (is_steady()) return count(word);
    if (pass_ != Pass::kMoveOn) {
      grow(static_cast<std::uint64_t>(word));
      if (sizeof(Word) < sizeof(std::uint64_t)) bound_by_size(static_cast<std::uint64_t>(word), sizeof(Word));
      return;
    }
    WEFT_CHECK(next_word_ < growth_.size(), "a state that is moved on has more words than when it was looked at");
    word = static_cast<Word>(static_cast<std::uint64_t>(word) + periods_ * growth_[next_word_++]);
  }
  /// A number that names something, such as a message or a packet. It grows, and does not where rates are steady.
  template <typename Word>
  void number(Word& word) {
    if (!is_steady()) grows(word);
  }
  /// The tag of a message. It is a number; where tags of one family do not grow alike, no period is left out.
  void tag(std::uint64_t& tag) {
    if (pass_ == Pass::kAdvance) {
      tag += steady_jump_->of_stream(family_of(tag)).tag_growth;
    } else if (is_third() && tag_family_ != nullptr) {
      const std::uint64_t before = tag;
      number(tag);
      if (!failed_) grows_as_its_family(before);
    } else {
      number(tag);
    }
  }
  /// What a message carries.
  void payload(const PayloadHolder* payload) {
    if (payload == nullptr) return same(0);
    if (put_payload_ == nullptr) return refuse("packets carry data");
    put_payload_(*this, *payload);
  }
  /// A time that lies in the past and decides nothing. It grows.
  void past(Cycle& at) {
    if (!is_steady()) return grows(at);
    if (pass_ == Pass::kAdvance) at += skipped_;
  }
  /// When something was made. Where rates are steady it stays if that was before they were measured.
  void made(Cycle& at) {
    if (!is_steady()) return grows(at);
    if (pass_ == Pass::kAdvance && at >= steady_jump_->measured_from) at += skipped_;
  }
  /// A number that decides by how far it is from `origin`, which grows as it does.
  template <typename Word>
  void same_from(std::uint64_t origin, Word& word) {
    same(static_cast<std::uint64_t>(word) - origin);
    number(word);
  }
  /// A number that says who goes first among its like, such as that of a chunk. What compares two of them finds the
  /// same as long as all of a state grow alike; where they do not, no period is left out.
  template <typename Word>
  void order(Word& word) {
    number(word);
    if (bounds()) orders_grow_alike();
  }
  /// In the second look and the third one: by how much the orders grow per period that have been given.
  std::uint64_t order_growth() const { return order_growth_.value_or(0); }
  /// Times of things that wait in a queue, who has waited longest first; they decide nothing. The word before is the
  /// number of what comes next, and if they are `in_row`, theirs are those right before it. Something may be done
  /// with the first `begun` of them in a period, and with those that come to their places; the others wait.
  void queue(const std::vector<Cycle*>& times, bool in_row, std::size_t begun);
  /// At `end` something else happens; the word never passes it. Where rates are steady it counts bytes of the message
  /// that was named last by `belongs_to`.
  template <typename Word>
  void counts_to(Word& word, std::uint64_t end) {
    if (is_steady()) {
      if (pass_ == Pass::kAdvance) word += jump_.formed;
      return;
    }
    grows(word);
    if (bounds()) bound_by_end(static_cast<std::uint64_t>(word), end);
  }
  /// Counts bytes of the message that was named last by `belongs_to`, whose end another word knows.
  template <typename Word>
  void of_message(Word& word) {
    is_steady() ? counts_to(word, kNoBound) : grows(word);
  }
  /// `behind` follows `ahead`, and something may go on while at least `needed` lies between them. Both are words that
  /// have been given just before, `behind` last.
  void gap(std::uint64_t ahead, std::uint64_t behind, std::uint64_t needed) {
    if (bounds()) bound_by_gap(ahead, behind, needed);
  }
  /// The message that the next words are about, where rates are steady: by its number at its sender, by its tag, or
  /// none.
  void belongs_to(NodeId src, std::uint32_t sequence) {
    if (pass_ == Pass::kAdvance) jump_ = steady_jump_->of(src, sequence);
  }
  void belongs_to(NodeId src, std::uint64_t tag) {
    if (pass_ == Pass::kAdvance) jump_ = steady_jump_->of(src, receiver_, tag);
  }
  /// So many bytes have come of a message.
  void has_come(NodeId src, std::uint32_t sequence, std::uint64_t bytes) {
    belongs_to(src, sequence);
    if (pass_ == Pass::kRates) look_->received.emplace(message_name(src, sequence), bytes);
  }
  /// Bytes by which that message is moved on now.
  std::uint64_t moved_on() const { return pass_ == Pass::kAdvance ? jump_.formed : 0; }
  void belongs_to_none() { jump_ = MessageJump(); }
  /// Tags are those of messages to `node` from now on.
  void receives_at(NodeId node) { receiver_ = node; }
  /// A message that is being sent; `progress` follows.
  void sends(const MessageProgress& message);
  /// A stream of messages, told by one of those to whom it comes. Where rates are steady it moves on by whole pieces.
  void stream(const StreamProgress& progress) {
    if (pass_ == Pass::kRates) look_->streams.push_back(progress);
  }
  /// Whether a message with this tag belongs to a stream.
  bool is_of_stream(std::uint64_t tag) const { return family_of(tag) != 0; }
  /// Pieces by which the stream of this family is moved on at steady rates.
  std::uint64_t stream_pieces(std::uint64_t family) const {
    return pass_ == Pass::kAdvance ? steady_jump_->of_stream(family).pieces : 0;
  }
  /// The same of all streams for whose family `counts(family)` is true.
  template <typename Counts>
  std::uint64_t stream_pieces_of(Counts counts) const {
    std::uint64_t sum = 0;
    if (pass_ != Pass::kAdvance) return sum;
    for (const StreamJump& stream : steady_jump_->streams) sum += counts(stream.family) ? stream.pieces : 0;
    return sum;
  }
  /// Whether streams are being moved on at steady rates.
  bool moves_streams() const { return pass_ == Pass::kAdvance && !steady_jump_->streams.empty(); }
  /// Whether all that has happened in a stretch of time happens again.
  bool moves_all() const {
    return pass_ == Pass::kAdvance ? steady_jump_->whole : pass_ == Pass::kMoveOn && players_repeat_;
  }
  /// A counter of packets, or of flits of packets. At steady rates it moves on where streams do; where messages alone
  /// do, their bytes say how many packets there are.
  template <typename Word>
  void counts_packets(Word& word) {
    if (!is_steady()) return grows(word);
    const Word before = word;
    count(word);
    if (pass_ == Pass::kAdvance && !moves_streams() && !moves_all()) word = before;
  }
  /// A counter of what streams have brought. At steady rates the streams themselves move it on, or, where all that has
  /// happened happens again, it grows by as much again.
  template <typename Word>
  void counts_streams(Word& word) {
    if (!is_steady()) return grows(word);
    const Word before = word;
    count(word);
    if (pass_ == Pass::kAdvance && !moves_all()) word = before;
  }
  /// When what happens again began to happen; with `moves_all`.
  Cycle happened_from() const { return is_steady() ? steady_jump_->measured_from : now_ - period_; }
  /// Cycles from what has happened to when it happens again; with `moves_all`.
  Cycle happens_every() const { return is_steady() ? steady_jump_->period : period_; }
  /// What comes of the message of `from` with `tag` is released of the message that was named last by `sends`.
  void streams_from(NodeId from, std::uint64_t tag);
  /// How far a message of `bytes` bytes has come, which goes on while `needed` bytes are released and not formed.
  void progress(std::uint64_t& released, std::uint64_t& formed, std::uint64_t bytes, std::uint64_t needed);
  /// Where rates are steady: in cycle `at` something happens that has nothing to do with them.
  void event(Cycle at) {
    if (pass_ != Pass::kRates) return;
    look_->event_at = std::min(look_->event_at, at);
    look_->goes_on_until = std::max(look_->goes_on_until, at);
  }
  /// In the second look and the third one: by how much the last word grows per period.
  std::uint64_t last_growth() const { return growth_[next_word_ - 1]; }
  bool is_third() const { return pass_ == Pass::kThird && !failed_; }
  /// In the second look and the third one words that grow bound how many periods can be left out.
  bool bounds() const { return (pass_ == Pass::kSecond || pass_ == Pass::kThird) && !failed_; }
  /// After the third pass: cycles until the first word reaches its end, about; kNever if none does.
  Cycle ends_in() const { return ends_in_; }
  /// At most so many periods can be left out, for another reason.
  void bound(std::uint64_t periods) {
    if (periods < bound_) bound_ = periods;
  }
  /// In cycle `at`, which does not move on with what repeats, something else happens.
  void happens_at(Cycle at) {
    if (bounds()) bound(at > now_ ? (at - 1 - now_) / period_ : 0);
  }
  /// A time ahead. What comes then either repeats itself, so that the time moves on, or does not, so that it stays and
  /// nothing can be left out from there on. Which of them it is, the looks show.
  void due(Cycle& at) {
    if (is_steady()) return time(at);
    grows(at);
    if (pass_ == Pass::kSecond || pass_ == Pass::kThird) moves_or_stays(at);
  }
  /// A time, relative to now; kNever stays.
  void time(Cycle& at) {
    if (at == kNever) return same(kNever);
    if (moves_on()) {
      at += skipped_;
    } else {
      same(at - now_);
    }
  }
  /// A time that does not matter once it is over.
  void time_ahead(Cycle& at) {
    if (at > now_) return time(at);
    same(0);
  }
  /// Numbers whose order decides nothing, of a block that is looked at: they are put in order first, and stay so.
  void unordered(std::vector<std::uint32_t>& numbers);
  /// Some block cannot take part.
  void refuse(std::string reason) {
    failed_ = true;
    if (refusal_.empty()) refusal_ = std::move(reason);
  }
  const std::string& refusal() const { return refusal_; }

  /// A packet on its way, once; the second time only which one it is.
  void packet(PacketPool& pool, PacketIndex index);
  void flit(PacketPool& pool, Flit flit);
  /// A packet that has left the pool.
  void packet(Packet& packet);
  /// At the end: no packet of `pool` must have been forgotten.
  void all_packets(const PacketPool& pool) {
    if (!failed_ && packets_ != pool.in_use()) refuse("packets are held that no block knows");
  }

 private:
  void grow(std::uint64_t word);
  /// A counter at a fixed place, where rates are steady.
  template <typename Word>
  void count(Word& word) {
    ++given_;
    if (pass_ == Pass::kRates) {
      look_->counters.push_back(static_cast<std::uint64_t>(word));
      return;
    }
    WEFT_CHECK(next_word_ < steady_jump_->counters.size(), "a state has more counters than when it was looked at");
    word = static_cast<Word>(word + steady_jump_->counters[next_word_++]);
  }
  std::uint64_t family_of(std::uint64_t tag) const { return tag_family_ == nullptr ? 0 : tag_family_(tag); }
  void grows_as_its_family(std::uint64_t tag);
  void orders_grow_alike();
  void compare_queue(const std::vector<Cycle*>& times, bool in_row, std::size_t begun);
  void bound_by_queue(const std::vector<Cycle>& queue, std::size_t first_word, std::size_t begun);
  void move_queue_up(const std::vector<Cycle*>& times);
  void advance(Packet& packet);
  void moves_or_stays(Cycle at);
  void bound_by_end(std::uint64_t word, std::uint64_t end);
  void bound_by_size(std::uint64_t word, std::size_t bytes);
  void bound_by_gap(std::uint64_t ahead, std::uint64_t behind, std::uint64_t needed);

  Pass pass_ = Pass::kFirst;
  Cycle now_ = 0;
  Cycle period_ = 1;
  std::uint64_t periods_ = 0;
  Cycle skipped_ = 0;
  bool failed_ = false;
  bool players_repeat_ = false;
  std::string refusal_;
  std::uint64_t given_ = 0;
  StateHash hash_;
  std::vector<std::uint64_t> same_;
  std::size_t next_same_ = 0;
  std::vector<std::uint64_t> words_;   ///< those that grow, as they were in the first look
  std::vector<std::uint64_t> growth_;  ///< per period
  std::size_t next_word_ = 0;
  std::uint64_t bound_ = kNoBound;
  std::uint64_t look_ahead_ = kNoBound;
  std::uint64_t size_bound_ = kNoBound;  ///< until a number of few bytes would begin anew
  Cycle ends_in_ = kNever;
  TagFamily tag_family_ = nullptr;
  PutPayload put_payload_ = nullptr;
  std::unordered_map<std::uint64_t, std::uint64_t> family_growth_;  ///< per period, in the third look
  std::optional<std::uint64_t> order_growth_;                       ///< per period
  std::vector<std::uint64_t> moves_up_;  ///< by queue: things that leave it in a period; 0 = its times grow evenly
  std::size_t next_queue_ = 0;
  SteadyLook* look_ = nullptr;
  const SteadyJump* steady_jump_ = nullptr;
  NodeId receiver_{};
  MessageJump jump_;                    ///< of the message that was named last
  std::vector<std::uint32_t> numbers_;  ///< by index of a packet: its number in this pass, from 1; 0 = not seen
  std::size_t packets_ = 0;
};

}  // namespace weft
