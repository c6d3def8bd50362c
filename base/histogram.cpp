// SPDX-License-Identifier: Apache-2.0
#include "base/histogram.h"

#include <algorithm>

#include "base/error.h"
#include "base/rational.h"

namespace weft {
namespace {

/// So many large values are counted at least before they are sorted.
constexpr std::size_t kLeastToSort = 4096;

}  // namespace

void LatencyHistogram::add_slow(Cycle value, std::uint64_t times) {
  if (value >= kDenseLimit) {
    unsorted_.push_back({value, times});
    if (unsorted_.size() >= std::max(kLeastToSort, sparse_.size() / 4)) sort();
    return;
  }
  // Doubling keeps the number of growths small without reserving the limit for every histogram.
  const auto wanted = std::max<std::size_t>({64, value + 1, 2 * dense_.size()});
  dense_.resize(std::min<std::size_t>(wanted, kDenseLimit));
  dense_[value] += times;
}

void LatencyHistogram::add(Cycle value, std::uint64_t times) {
  if (times == 0) return;
  if (value < dense_.size()) {
    dense_[value] += times;
  } else {
    add_slow(value, times);
  }
}

void LatencyHistogram::sort() const {
  if (unsorted_.empty()) return;
  std::sort(unsorted_.begin(), unsorted_.end(), [](const Count& a, const Count& b) { return a.value < b.value; });
  add_sorted(unsorted_);
  unsorted_.clear();
}

/// Adds counts of large values, which are in ascending order; a value may come several times.
void LatencyHistogram::add_sorted(const std::vector<Count>& counts) const {
  std::vector<Count> all;
  all.reserve(sparse_.size() + counts.size());
  const auto add = [&all](const Count& each) {
    if (all.empty() || all.back().value != each.value) {
      all.push_back(each);
    } else {
      all.back().times += each.times;
    }
  };
  auto next = sparse_.begin();
  for (const Count& each : counts) {
    for (; next != sparse_.end() && next->value <= each.value; ++next) add(*next);
    add(each);
  }
  all.insert(all.end(), next, sparse_.end());
  sparse_.swap(all);
}

void LatencyHistogram::repeat_since(const LatencyHistogram& before, std::uint64_t times) {
  const auto repeat = [times](std::uint64_t* count, std::uint64_t then) {
    WEFT_CHECK(*count >= then, "a latency was counted more often before than now");
    *count += times * (*count - then);
  };
  dense_.resize(std::max(dense_.size(), before.dense_.size()));
  for (std::size_t value = 0; value < dense_.size(); ++value) {
    repeat(&dense_[value], value < before.dense_.size() ? before.dense_[value] : 0);
  }
  sort();
  before.sort();
  auto then = before.sparse_.begin();
  for (Count& each : sparse_) {
    const bool was = then != before.sparse_.end() && then->value == each.value;
    repeat(&each.times, was ? then++->times : 0);
  }
  WEFT_CHECK(then == before.sparse_.end(), "a latency was counted before and is not now");
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
  if (other.dense_.size() > dense_.size()) dense_.resize(other.dense_.size());
  for (std::size_t value = 0; value < other.dense_.size(); ++value) dense_[value] += other.dense_[value];
  other.sort();
  add_sorted(other.sparse_);
}

std::uint64_t LatencyHistogram::count() const {
  std::uint64_t total = 0;
  for_each([&](Cycle, std::uint64_t times) { total += times; });
  return total;
}

std::uint64_t LatencyHistogram::sum() const {
  std::uint64_t total = 0;
  for_each([&](Cycle value, std::uint64_t times) { total += value * times; });
  return total;
}

double LatencyHistogram::mean() const {
  const std::uint64_t samples = count();
  WEFT_CHECK(samples > 0, "mean of an empty latency histogram");
  // Some latencies of years need more than the 64 bits of sum().
  UInt128 total = 0;
  for_each([&](Cycle value, std::uint64_t times) { total += static_cast<UInt128>(value) * times; });
  return static_cast<double>(total) / static_cast<double>(samples);
}

Cycle LatencyHistogram::percentile(unsigned percent) const {
  WEFT_CHECK(percent > 0 && percent <= 100, "percentile outside 1..100");
  const std::uint64_t samples = count();
  WEFT_CHECK(samples > 0, "percentile of an empty latency histogram");
  // ceil(samples * percent / 100) without overflow.
  const std::uint64_t rank = samples / 100 * percent + (samples % 100 * percent + 99) / 100;
  std::uint64_t seen = 0;
  Cycle result = 0;
  for_each([&](Cycle value, std::uint64_t times) {
    if (seen < rank) result = value;
    seen += times;
  });
  return result;
}

Cycle LatencyHistogram::max() const { return percentile(100); }

bool operator==(const LatencyHistogram& a, const LatencyHistogram& b) {
  a.sort();
  b.sort();
  const auto alike = [](const auto& one, const auto& other) {
    return one.value == other.value && one.times == other.times;
  };
  if (!std::equal(a.sparse_.begin(), a.sparse_.end(), b.sparse_.begin(), b.sparse_.end(), alike)) return false;
  const std::size_t shared = std::min(a.dense_.size(), b.dense_.size());
  const auto is_zero = [](std::uint64_t times) { return times == 0; };
  return std::equal(a.dense_.begin(), a.dense_.begin() + static_cast<std::ptrdiff_t>(shared), b.dense_.begin()) &&
         std::all_of(a.dense_.begin() + static_cast<std::ptrdiff_t>(shared), a.dense_.end(), is_zero) &&
         std::all_of(b.dense_.begin() + static_cast<std::ptrdiff_t>(shared), b.dense_.end(), is_zero);
}

}  // namespace weft
