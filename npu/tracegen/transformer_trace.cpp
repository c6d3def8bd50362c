// SPDX-License-Identifier: Apache-2.0
#include "npu/tracegen/transformer_trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/error.h"
#include "kernel/rational.h"
#include "npu/tracegen/transformer_rank.h"

namespace weft::npu {
namespace {

constexpr std::uint64_t kLargest = 1 << 20;
constexpr std::uint64_t kLargestRanks = 1 << 20;

class Problems {
 public:
  void range(const TransformerNumber& number, std::uint64_t value) {
    if (value >= number.least && value <= number.most) return;
    add(fmt::format("{} is {}; legal are {} to {}", number.name, value, number.least, number.most));
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
  for (const TransformerNumber& number : transformer_numbers()) problems.range(number, s.*number.field);
  if (s.zero == 1) problems.add("zero is 1; legal are 0 and 2");
  problems.throw_if_any();
  const std::uint64_t ranks = s.dp * s.tp;
  if (ranks > kLargestRanks || ranks * s.pp > kLargestRanks) {
    problems.add(fmt::format("dp x tp x pp is more than {} ranks", kLargestRanks));
  }
  problems.divides("layers", s.layers, "pp", s.pp);
  problems.divides("heads", s.heads, "tp", s.tp);
  problems.divides("d-model", s.d_model, "heads", s.heads);
  problems.divides("d-ff", s.d_ff, "tp", s.tp);
  problems.divides("vocab", s.vocab, "tp", s.tp);
  problems.divides("batch", s.batch, "dp x microbatches", s.dp * s.microbatches);
  problems.fits(s);
  problems.throw_if_any();
}

}  // namespace

const std::vector<TransformerNumber>& transformer_numbers() {
  using S = TransformerSpec;
  static const std::vector<TransformerNumber> numbers = {
      {"layers", "transformer layers, a multiple of pp", &S::layers, 1, kLargest},
      {"d-model", "width of the model", &S::d_model, 1, kLargest},
      {"d-ff", "inner width of the MLP, a multiple of tp", &S::d_ff, 1, kLargest},
      {"seq", "tokens of a sample", &S::seq, 1, kLargest},
      {"batch", "samples of a step over all replicas, a multiple of dp x microbatches", &S::batch, 1, kLargest},
      {"heads", "attention heads, a multiple of tp that divides d-model", &S::heads, 1, kLargest},
      {"vocab", "words, a multiple of tp", &S::vocab, 1, kLargest},
      {"dp", "data parallel replicas", &S::dp, 1, kLargest},
      {"tp", "tensor (model) parallel ranks", &S::tp, 1, kLargest},
      {"pp", "pipeline stages", &S::pp, 1, kLargest},
      {"microbatches", "per replica and step", &S::microbatches, 1, kLargest},
      {"bytes-per-element", "of activations, weights and gradients", &S::bytes_per_element, 1, 16},
      {"zero", "0: gradients by all-reduce; 2: reduce-scatter, then all-gather of weights", &S::zero, 0, 2},
  };
  return numbers;
}

TransformerTrace::TransformerTrace(const TransformerSpec& spec) : spec_(spec) { check(spec); }

ParallelPlace TransformerTrace::place(RankId rank) const {
  const std::uint32_t number = index(rank);
  const auto tp = static_cast<std::uint32_t>(spec_.tp);
  const auto dp = static_cast<std::uint32_t>(spec_.dp);
  return {number % tp, number / tp % dp, number / (tp * dp)};
}

RankId TransformerTrace::rank_at(const ParallelPlace& p) const {
  return RankId{static_cast<std::uint32_t>(p.tp + spec_.tp * (p.dp + spec_.dp * p.pp))};
}

// Groups are decimal numbers from 1, as Chakra wants pg_name: first those of tensor, then those of data parallelism.
std::string TransformerTrace::tp_group(const ParallelPlace& p) const {
  return spec_.tp == 1 ? "" : std::to_string(1 + p.dp + spec_.dp * p.pp);
}

std::string TransformerTrace::dp_group(const ParallelPlace& p) const {
  const std::uint64_t tp_groups = spec_.tp == 1 ? 0 : spec_.dp * spec_.pp;
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
