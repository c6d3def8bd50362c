// SPDX-License-Identifier: Apache-2.0
// Finds whole chunks of a collective that may repeat each other.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>

#include "npu/interface/message_interfaces.h"

namespace weft::sc_models {

/// Recognises chunks that begin alike: the cycles before have moved what they did when an earlier chunk began. What
/// lies between is a period to try. Nothing else is looked for meanwhile, so that a period must be worth it: none was
/// found within messages in twice that time, enough chunks are left behind the looks, and periods that were tried in
/// vain are not tried again at once.
class ChunkPeriods {
 public:
  using Chunks = npu::MessageInterfaces::Chunks;

  /// Whether a node whose chunks are these has begun another one since this was asked last.
  bool has_begun(const Chunks& chunks) { return std::exchange(begun_, chunks.begun) != chunks.begun; }
  /// It has, in cycle `now`, and the cycles before have moved what `moves` is a hash of. Returns the period to try;
  /// 0 = none. `looks`: periods that looking takes, and one more.
  Cycle find(Cycle now, const Chunks& chunks, std::uint64_t moves, std::uint64_t looks) {
    if (tries_ == 0 && begins_.empty()) first_at_ = now;
    const auto [found, fresh] = begins_.emplace(moves, Begin());
    const Begin before = std::exchange(found->second, {now, chunks.begun});
    const Cycle period = now - before.at;
    const bool found_lately = found_at_ > 0 && now - found_at_ <= 2 * period;
    const bool enough_left = chunks.left > looks * (chunks.begun - before.begun);
    const bool rests = tries_ >= kMostTries && now - first_at_ < 2 * (tried_at_ - first_at_);
    return fresh || found_lately || !enough_left || rests ? 0 : period;
  }
  /// A period of chunks is being tried now, in cycle `now`, and not one within messages.
  void try_one(Cycle now) {
    ++tries_;
    tried_at_ = now;
    trying_ = true;
  }
  bool trying() const { return trying_; }
  /// What is being tried has let `periods` periods be left out, of chunks or within messages.
  void found(Cycle now, std::uint64_t periods) {
    if (trying_) tries_ = 0;
    if (!trying_ && periods > kFewPeriods) found_at_ = now;
  }
  void end_trying() { trying_ = false; }
  /// Chunks have been left out, or another node is asked: chunks that begin from now on are compared with each other.
  void begin_anew() { begins_.clear(); }
  /// A player has begun or ended something.
  void forget() {
    begins_.clear();
    tries_ = 0;
  }

 private:
  /// Behind so many that were tried in vain, each one waits until the time since chunks began has doubled.
  static constexpr int kMostTries = 2;
  /// Where no more periods than these are left out of a message at once, whole chunks may be worth more.
  static constexpr std::uint64_t kFewPeriods = 1;

  struct Begin {
    Cycle at = 0;
    std::uint32_t begun = 0;  ///< chunks by then
  };

  std::uint32_t begun_ = 0;
  std::unordered_map<std::uint64_t, Begin> begins_;  ///< by what had moved in the cycles before
  bool trying_ = false;
  int tries_ = 0;       ///< in vain
  Cycle first_at_ = 0;  ///< when chunks began
  Cycle tried_at_ = 0;  ///< when the last period was tried
  Cycle found_at_ = 0;  ///< when periods within messages were found last; 0 = never
};

}  // namespace weft::sc_models
