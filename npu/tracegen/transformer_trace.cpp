// SPDX-License-Identifier: Apache-2.0
#include "npu/tracegen/transformer_trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/error.h"
#include "kernel/rational.h"
#include "npu/tracegen/transformer_rank.h"

namespace weft::npu {
namespace {

constexpr std::uint64_t kLargestNumber = 1 << 20;
constexpr std::uint64_t kLargestRanks = 1 << 20;

class Problems {
 public:
  void range(const char* name, std::uint64_t value, std::uint64_t largest = kLargestNumber) {
    if (value >= 1 && value <= largest) return;
    add(fmt::format("{} is {}; legal are 1 to {}", name, value, largest));
  }
  void divides(const char* name, std::uint64_t value, const char* by_name, std::uint64_t by) {
    if (by == 0 || value % by == 0) return;
    add(fmt::format("{} ({}) is not a multiple of {} ({})", name, value, by_name, by));
  }
  void add(const std::string& text) { text_ += (text_.empty() ? "" : "\n") + text; }
  /// Operations and bytes of one node must fit the 63 bits that traces have for them.
  void fits(const TransformerSpec& s) {
    const std::uint64_t tokens = s.batch / s.dp / s.microbatches * s.seq;
    const std::uint64_t widest = std::max({3 * s.d_model, s.d_ff, s.vocab, 4 * s.seq});
    const UInt128 most = static_cast<UInt128>(tokens) * widest * s.d_model * s.bytes_per_element * 2;
    if (most >> 63 == 0 && s.d_model * widest * 40 >> 63 == 0) return;
    add("the work of a single node does not fit 63 bits: the numbers are too large together");
  }
  void throw_if_any() const {
    if (!text_.empty()) throw InputError(text_);
  }

 private:
  std::string text_;
};

void check(const TransformerSpec& s) {
  Problems problems;
  problems.range("layers", s.layers);
  problems.range("d_model", s.d_model);
  problems.range("d_ff", s.d_ff);
  problems.range("seq", s.seq);
  problems.range("batch", s.batch);
  problems.range("heads", s.heads);
  problems.range("vocab", s.vocab);
  problems.range("dp", s.dp);
  problems.range("tp", s.tp);
  problems.range("pp", s.pp);
  problems.range("microbatches", s.microbatches);
  problems.range("bytes per element", s.bytes_per_element, 16);
  if (s.zero != 0 && s.zero != 2) problems.add(fmt::format("zero is {}; legal are 0 and 2", s.zero));
  problems.throw_if_any();
  const std::uint64_t ranks = std::uint64_t{s.dp} * s.tp;
  if (ranks > kLargestRanks || ranks * s.pp > kLargestRanks) {
    problems.add(fmt::format("dp x tp x pp is more than {} ranks", kLargestRanks));
  }
  problems.divides("layers", s.layers, "pp", s.pp);
  problems.divides("heads", s.heads, "tp", s.tp);
  problems.divides("d_model", s.d_model, "heads", s.heads);
  problems.divides("d_ff", s.d_ff, "tp", s.tp);
  problems.divides("vocab", s.vocab, "tp", s.tp);
  problems.divides("batch", s.batch, "dp x microbatches", std::uint64_t{s.dp} * s.microbatches);
  problems.fits(s);
  problems.throw_if_any();
}

}  // namespace

TransformerTrace::TransformerTrace(const TransformerSpec& spec) : spec_(spec) { check(spec); }

ParallelPlace TransformerTrace::place(RankId rank) const {
  const std::uint32_t number = index(rank);
  return {number % spec_.tp, number / spec_.tp % spec_.dp, number / (spec_.tp * spec_.dp)};
}

RankId TransformerTrace::rank_at(const ParallelPlace& p) const {
  return RankId{p.tp + spec_.tp * (p.dp + spec_.dp * p.pp)};
}

// Groups are decimal numbers from 1, as Chakra wants pg_name: first those of tensor, then those of data parallelism.
std::string TransformerTrace::tp_group(const ParallelPlace& p) const {
  return spec_.tp == 1 ? "" : std::to_string(1 + p.dp + spec_.dp * p.pp);
}

std::string TransformerTrace::dp_group(const ParallelPlace& p) const {
  const std::uint32_t tp_groups = spec_.tp == 1 ? 0 : spec_.dp * spec_.pp;
  return spec_.dp == 1 ? "" : std::to_string(1 + tp_groups + p.tp + spec_.tp * p.pp);
}

std::map<std::string, std::vector<RankId>> TransformerTrace::groups() const {
  std::map<std::string, std::vector<RankId>> groups;
  for (std::uint32_t number = 0; number < ranks(); ++number) {
    const ParallelPlace p = place(RankId{number});
    for (const std::string& name : {tp_group(p), dp_group(p)}) {
      if (!name.empty()) groups[name].push_back(RankId{number});
    }
  }
  return groups;
}

std::vector<TraceNode> TransformerTrace::nodes(RankId rank) const { return TransformerRank(*this, rank).build(); }

}  // namespace weft::npu
