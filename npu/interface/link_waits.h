// SPDX-License-Identifier: Apache-2.0
// Why links out of network interfaces carry nothing: counted, and told to a probe that wants it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/big_vector.h"
#include "base/link_stalls.h"
#include "base/prefetch.h"
#include "base/probe.h"

namespace weft::npu {

/// The links of some nodes, by number. Without statistics only what the probe wants is kept.
class LinkWaits {
 public:
  /// `link(i)` is the LinkId of link `i`, 0 <= i < links. `probe` may be null.
  template <typename LinkOf>
  void connect(std::size_t links, bool statistics, FabricProbe* probe, const LinkOf& link) {
    probe_ = nullptr;
    wanted_.clear();
    for (std::size_t i = 0; probe != nullptr && i < links; ++i) {
      if (!probe->wants_stalls(link(i))) continue;
      wanted_.resize(links);
      wanted_[i] = 1;
      probe_ = probe;
    }
    active_ = statistics || probe_ != nullptr;
    if (active_) clocks_.resize(links);
  }
  /// False: nothing has to be told.
  bool active() const { return active_; }
  /// A flit goes on link `i` in cycle `now`.
  void sent(std::size_t i, Cycle now) { clocks_[i].sent(now); }
  /// Why nothing that waits for link `i`, called `link`, can go, from cycle `now` on.
  void set(std::size_t i, LinkId link, StallReason reason, Cycle now) {
    if (clocks_[i].reason() == reason) return;
    clocks_[i].set(now, reason);
    if (probe_ != nullptr && wanted_[i] != 0) probe_->link_stalled(now, link, reason);
  }
  /// Fetches the counts of link `i` into the caches.
  void fetch(std::size_t i) const {
    if (active_) fetch_lines(&clocks_[i], sizeof(StallClock));
  }
  void finish(Cycle end) {
    for (std::size_t i = 0; i < clocks_.size(); ++i) clocks_[i].finish(end);
  }
  LinkValues values(std::size_t i) const { return active_ ? clocks_[i].values() : StallClock().values(); }
  /// Writes its state into `checkpoint`, or takes it from there.
  template <typename Checkpoint>
  void keep(Checkpoint& checkpoint) {
    checkpoint.all(clocks_, [&](StallClock& clock) { clock.keep(checkpoint); });
  }
  /// Gives `form` its state.
  template <typename Form>
  void put_state(Form& form) {
    for (StallClock& clock : clocks_) clock.put_state(form);
  }

 private:
  bool active_ = false;
  FabricProbe* probe_ = nullptr;
  std::vector<std::uint8_t> wanted_;  ///< by link, with a probe that wants some
  BigVector<StallClock> clocks_;      ///< by link
};

}  // namespace weft::npu
