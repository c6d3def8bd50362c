// SPDX-License-Identifier: Apache-2.0
#include "sc_models/link_windows.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace weft::sc_models {
namespace {

/// A sum that stays at the greatest number instead of running over: 4 thousand million flits of one link in one window.
std::uint32_t added(std::uint32_t count, std::uint64_t more) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(count + more, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

LinkWindows::LinkWindows(std::size_t links, int most, Reader read) : links_(links), most_(0), read_(std::move(read)) {
  if (most < 1 || links == 0 || links > kMostLinks) return;
  most_ = std::max<std::size_t>(2, std::min<std::size_t>(static_cast<std::size_t>(most), kMostCounts / links));
  most_ -= most_ % 2;
  before_.resize(links);
  now_.resize(links);
  // Room for all from the start: growing would hold everything twice for a moment.
  counts_.reserve(most_ * links);
  counts_.resize(links);
  border_ = length_;
}

std::vector<Cycle> LinkWindows::borders(Cycle from, Cycle until, std::size_t most) const {
  std::vector<Cycle> found;
  Cycle length = length_;
  std::size_t open = open_;
  for (Cycle border = border_; border <= until && found.size() < most; border += length) {
    if (border >= from) found.push_back(border);
    if (open + 1 == most_) {
      open = most_ / 2 - 1;
      length *= 2;
    }
    ++open;
  }
  return found;
}

void LinkWindows::close_until(Cycle next) {
  if (next < border_) return;
  take_flits();
  while (next >= border_) open_next();
}

/// What has been carried since the last time belongs to the open window.
void LinkWindows::take_flits() {
  read_(now_.data());
  std::uint32_t* counts = &counts_[open_ * links_];
  for (std::size_t i = 0; i < links_; ++i) counts[i] = added(counts[i], now_[i] - before_[i]);
  std::swap(before_, now_);
}

void LinkWindows::open_next() {
  if (open_ + 1 == most_) join_pairs();
  ++open_;
  counts_.resize((open_ + 1) * links_);
  border_ += length_;
}

void LinkWindows::join_pairs() {
  for (std::size_t window = 0; window < most_ / 2; ++window) {
    for (std::size_t i = 0; i < links_; ++i) {
      counts_[window * links_ + i] = added(counts_[2 * window * links_ + i], counts_[(2 * window + 1) * links_ + i]);
    }
  }
  open_ = most_ / 2 - 1;
  counts_.resize((open_ + 1) * links_);
  length_ *= 2;
}

void LinkWindows::keep(Checkpoint& checkpoint) {
  checkpoint.section("windows of links");
  checkpoint.values(length_, border_, open_);
  checkpoint.list(counts_);
  checkpoint.all(before_);
}

LinkWindowTable LinkWindows::finish(Cycle cycles) {
  LinkWindowTable table;
  if (most_ == 0 || cycles == 0) return table;
  take_flits();
  // The open window may begin where the run ends: what left while the fabric ran empty belongs to the one before.
  if (open_ > 0 && border_ - length_ >= cycles) {
    --open_;
    for (std::size_t i = 0; i < links_; ++i) {
      counts_[open_ * links_ + i] = added(counts_[open_ * links_ + i], counts_[(open_ + 1) * links_ + i]);
    }
    counts_.resize((open_ + 1) * links_);
  }
  for (std::size_t window = 0; window < open_; ++window) table.ends.push_back((window + 1) * length_);
  table.ends.push_back(cycles);
  table.links = links_;
  table.flits = std::move(counts_);
  return table;
}

}  // namespace weft::sc_models
