// SPDX-License-Identifier: Apache-2.0
#include "sc_models/period_flits.h"

#include <algorithm>

namespace weft::sc_models {
namespace {

/// Links times cycles of a period that are kept at most, and so few that they cost next to nothing.
constexpr std::size_t kMostCounts = std::size_t{1} << 24;
constexpr std::size_t kFewCounts = std::size_t{1} << 19;
/// Links whose flits are read at the cost of a word, where none pass without a step.
constexpr std::size_t kLinksPerWord = 8;

}  // namespace

bool PeriodFlits::worth(Cycle period, bool known) const {
  const std::uint64_t counts = period * system_.links();
  return wanted_ && counts <= kMostCounts && (known || !passes() || counts <= kFewCounts);
}

std::uint64_t PeriodFlits::words_of_links() const { return system_.links() / (passes() ? 1 : kLinksPerWord); }

void PeriodFlits::begin(Cycle period, Cycle at) {
  on_ = true;
  period_ = period;
  begin_ = at;
  const std::size_t counts = period * system_.links();
  if (flits_.size() < counts) flits_.resize(counts);
}

// What passes without a step is counted where a cycle is settled.
void PeriodFlits::note(Cycle now, Cycle next, Cycle border) {
  if (!on_) return;
  const std::size_t links = system_.links();
  const Cycle end = std::min(next, begin_ + period_);
  // A window that ends before the next executed cycle has to be counted before what passes behind it.
  on_ = !passes() || border >= end;
  if (!on_) return;
  for (Cycle at = now; at < end; ++at) {
    std::uint64_t* const flits = &flits_[(at - begin_) * links];
    if (passes()) system_.settle(at);
    if (passes() || at == now) {
      system_.read_link_flits(flits);
      cost_ += words_of_links();
    } else {
      std::copy_n(flits - links, links, flits);
    }
  }
}

void PeriodFlits::end() {
  if (!on_) return;
  growth_.resize(system_.links());
  system_.read_link_flits(growth_.data());
  for (std::size_t i = 0; i < growth_.size(); ++i) growth_[i] -= flits_[i];
}

void PeriodFlits::read(Cycle at, std::uint64_t* flits) const {
  const Cycle since = at - begin_;
  const std::size_t links = system_.links();
  const std::uint64_t* const phase = &flits_[since % period_ * links];
  for (std::size_t i = 0; i < links; ++i) flits[i] = phase[i] + since / period_ * growth_[i];
}

}  // namespace weft::sc_models
