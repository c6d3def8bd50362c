// SPDX-License-Identifier: Apache-2.0
#include "base/histogram.h"

#include <algorithm>

#include "base/error.h"
#include "base/rational.h"

namespace weft {

void LatencyHistogram::add_slow(Cycle value, std::uint64_t times) {
  if (value >= kDenseLimit) {
    sparse_[value] += times;
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

void LatencyHistogram::remove(Cycle value, std::uint64_t times) {
  const auto sparse = sparse_.find(value);
  WEFT_CHECK(value < dense_.size() ? dense_[value] >= times : sparse != sparse_.end() && sparse->second >= times,
             "a latency is taken back more often than it was counted");
  if (value < dense_.size()) {
    dense_[value] -= times;
  } else if ((sparse->second -= times) == 0) {
    sparse_.erase(sparse);
  }
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
  if (other.dense_.size() > dense_.size()) dense_.resize(other.dense_.size());
  for (std::size_t value = 0; value < other.dense_.size(); ++value) dense_[value] += other.dense_[value];
  for (const auto& [value, times] : other.sparse_) sparse_[value] += times;
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
  if (a.sparse_ != b.sparse_) return false;
  const std::size_t shared = std::min(a.dense_.size(), b.dense_.size());
  const auto is_zero = [](std::uint64_t times) { return times == 0; };
  return std::equal(a.dense_.begin(), a.dense_.begin() + static_cast<std::ptrdiff_t>(shared), b.dense_.begin()) &&
         std::all_of(a.dense_.begin() + static_cast<std::ptrdiff_t>(shared), a.dense_.end(), is_zero) &&
         std::all_of(b.dense_.begin() + static_cast<std::ptrdiff_t>(shared), b.dense_.end(), is_zero);
}

}  // namespace weft
