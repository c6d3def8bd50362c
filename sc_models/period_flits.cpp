// SPDX-License-Identifier: Apache-2.0
#include "sc_models/period_flits.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"

namespace weft::sc_models {
namespace {

/// Links times cycles of a period that are kept at most.
constexpr std::size_t kMostCounts = std::size_t{1} << 22;
/// So many windows are looked ahead for at most. As the lengths of windows double, the last one of these ends long
/// after the present cycle: with 128 windows after 256 times as many cycles.
constexpr std::size_t kMostBorders = 512;
/// Notes for fewer windows than these are not worth looks at the state behind them.
constexpr std::size_t kLeastBorders = 8;
/// Links whose flits are read at the cost of a word, where none pass without a step.
constexpr std::size_t kLinksPerWord = 8;

}  // namespace

PeriodFlits::PeriodFlits(LinkCounters counters, LinkWindows& windows)
    : counters_(std::move(counters)), windows_(windows) {}

std::uint64_t PeriodFlits::words_of_links() const { return counters_.links / (counters_.passes() ? 1 : kLinksPerWord); }

void PeriodFlits::begin(Cycle period, Cycle at, Cycle until, std::uint64_t words) {
  on_ = false;
  if (windows_.border() == kNever) return;
  const std::size_t links = std::max<std::size_t>(counters_.links, 1);
  const std::size_t most = std::min({static_cast<std::size_t>(words / std::max<std::uint64_t>(words_of_links(), 1)),
                                     kMostBorders, kMostCounts / links - 1});
  if (most < kLeastBorders) return;
  on_ = true;
  period_ = period;
  begin_ = at;
  noted_ = 0;
  choose_offsets(until, most);
  if (flits_.size() < offsets_.size() * links) flits_.resize(offsets_.size() * links);
}

// A window has what was carried by the end of the cycle before its border.
void PeriodFlits::choose_offsets(Cycle until, std::size_t most) {
  const std::vector<Cycle> borders = windows_.borders(begin_ + period_ + 1, until, most);
  const bool all = borders.size() < most;
  if (!all && period_ <= most) {
    known_until_ = kNever;
    offsets_.resize(period_);
    std::iota(offsets_.begin(), offsets_.end(), 0);
    return;
  }
  known_until_ = all ? until : borders.back() - 1;
  offsets_.assign(1, 0);
  for (const Cycle border : borders) offsets_.push_back((border - 1 - begin_) % period_);
  std::sort(offsets_.begin(), offsets_.end());
  offsets_.erase(std::unique(offsets_.begin(), offsets_.end()), offsets_.end());
}

// What passes without a step is counted where a cycle is settled. Windows that end before it are closed first.
void PeriodFlits::settle(Cycle at) {
  while (windows_.border() <= at) {
    counters_.settle(windows_.border() - 1);
    windows_.close_until(windows_.border());
  }
  counters_.settle(at);
}

void PeriodFlits::note(Cycle next) {
  if (!on_) return;
  const std::size_t links = counters_.links;
  for (bool read = false; noted_ < offsets_.size(); ++noted_, read = true) {
    const Cycle at = begin_ + offsets_[noted_];
    if (at >= next) return;
    std::uint64_t* const flits = &flits_[noted_ * links];
    if (counters_.passes()) {
      settle(at);
    } else if (read) {
      std::copy_n(flits - links, links, flits);
      continue;
    }
    counters_.read(flits);
    cost_ += words_of_links();
  }
}

void PeriodFlits::end() {
  if (!on_) return;
  WEFT_CHECK(noted_ == offsets_.size(), "a period has ended before all of its cycles were noted");
  growth_.resize(counters_.links);
  counters_.read(growth_.data());
  for (std::size_t i = 0; i < growth_.size(); ++i) growth_[i] -= flits_[i];
}

void PeriodFlits::read(Cycle at, std::uint64_t* flits) const {
  const Cycle since = at - begin_;
  const std::size_t links = counters_.links;
  const auto offset = std::lower_bound(offsets_.begin(), offsets_.end(), since % period_);
  WEFT_CHECK(offset != offsets_.end() && *offset == since % period_,
             "a window ends in a cycle of a period that was not noted");
  const std::uint64_t* const noted = &flits_[static_cast<std::size_t>(offset - offsets_.begin()) * links];
  for (std::size_t i = 0; i < links; ++i) flits[i] = noted[i] + since / period_ * growth_[i];
}

}  // namespace weft::sc_models
