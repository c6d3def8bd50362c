// SPDX-License-Identifier: Apache-2.0
// Periods that are found when messages and chunks begin, of which a chosen node has many: by hashes of the whole state,
// and by what has moved before.
#include <algorithm>

#include "sc_models/fast_forward.h"

namespace weft::sc_models {
namespace {

/// After so many executed cycles another node may be chosen, if the last one has sent nothing and that one so many
/// messages.
constexpr std::uint64_t kListenFor = 1024;
constexpr std::uint32_t kMoreMessages = 3;
/// Chunks of a collective begin alike where so many executed cycles before have moved the same.
constexpr std::size_t kMovesOfChunks = 256;
/// At most so many messages lie between two hashes of state that are compared.
constexpr std::uint32_t kMostMessages = 256;

}  // namespace

// Chooses another node, where the present one sends nothing while others do.
void FastForward::choose_node() {
  next_choice_ = executed() + kListenFor;
  std::uint32_t best = listens_to_;
  std::uint32_t most = 0;
  if (messages_->messages_sent(listens_to_) == sent_[listens_to_]) {
    for (std::uint32_t node = 0; node < sent_.size(); ++node) {
      const std::uint32_t sent = messages_->messages_sent(node) - sent_[node];
      if (sent > most) best = node;
      most = std::max(most, sent);
    }
    if (most < kMoreMessages) return;
    listens_to_ = best;
    messages_sent_ = messages_->messages_sent(best);
    hashes_.clear();
    chunks_.begin_anew();
  }
  for (std::uint32_t node = 0; node < sent_.size(); ++node) sent_[node] = messages_->messages_sent(node);
}

// What moves may look the same in all cycles while messages begin and end. Their beginnings come rarely enough for a
// hash of all state; where one comes again, the looks show whether it is the same state.
void FastForward::listen(Cycle now) {
  messages_sent_ += sent_since_hash();
  // As many as are compared are made in a row. How large the state is, the first one shows.
  if (hashes_.empty() && !can_afford(kHashes)) return;
  if (hashes_.size() == 1 && !can_afford(kHashes - 1, kCyclesAhead)) return hashes_.clear();
  if (!look_at_state(StateForm::Pass::kHash, now)) return hashes_.clear();
  const auto [found, fresh] = hashes_.emplace(form_.hash(), now);
  if (!fresh) {
    period_ = now - found->second;
    moves_period_ = 0;
    hashes_.clear();
    if (looks_ > 0) give_up();
    look(now);
  } else if (hashes_.size() == kHashes) {
    // Perhaps a period has more messages. Those of a few times a power of two are found.
    stride_ = stride_ < kMostMessages ? 2 * stride_ : 1;
    hashes_.clear();
  }
}

// Whole chunks that are tried go on, and other periods give way to them: one that a hash has found may be found again
// and again, and be none.
void FastForward::listen_to_chunks(Cycle now) {
  const ChunkPeriods::Chunks& chunks = messages_->chunks(listens_to_);
  if (!chunks_.has_begun(chunks) || chunks_.trying()) return;
  const Cycle period = chunks_.find(now, chunks, moves_.hash_of_last(kMovesOfChunks), kLooks);
  if (period == 0 || !can_afford(kLooks)) return;
  if (looks_ > 0) give_up();
  chunks_.try_one(now);
  try_period(period, kMostMultiple * period, now);
}

}  // namespace weft::sc_models
