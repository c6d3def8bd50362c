// SPDX-License-Identifier: Apache-2.0
#include "npu/tracegen/transformer_spec.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/rational.h"
#include "base/text_distance.h"

namespace weft::npu {
namespace {

constexpr std::uint64_t kLargestRanks = 1 << 20;

// Operations and bytes of one node must fit the 63 bits that traces have for them.
bool fits(const TransformerSpec& s) {
  const std::uint64_t tokens = s.batch / s.dp / s.microbatches * s.seq;
  const std::uint64_t widest = std::max({3 * s.d_model, s.d_ff, s.vocab, 4 * s.seq});
  const UInt128 most = static_cast<UInt128>(tokens) * widest * s.d_model * s.bytes_per_element * 2;
  // A node has the gradients of a layer, or of all layers and both tables.
  const UInt128 weights = static_cast<UInt128>(s.overlap ? 0 : s.layers + 2) * s.d_model * widest;
  return most >> 63 == 0 && (weights * 6 * 40) >> 63 == 0 && s.d_model * widest * 40 >> 63 == 0;
}

void check_shares(const TransformerSpec& s, SpecProblems& problems) {
  if (s.uneven != Uneven::kRefuse) {
    if (s.layers < s.pp) {
      problems.add(fmt::format("layers is {}; legal are pp ({}) and more, one for every stage", s.layers, s.pp));
    }
    return;
  }
  const bool layers = problems.divides("layers", s.layers, "pp", s.pp) || s.layers < s.pp;
  const bool heads = problems.divides("heads", s.heads, "tp", s.tp);
  const bool d_ff = problems.divides("d-ff", s.d_ff, "tp", s.tp);
  const bool vocab = problems.divides("vocab", s.vocab, "tp", s.tp);
  if (layers && heads && d_ff && vocab) return;
  problems.add(
      "uneven is refuse; largest and ideal take layers, heads, d-ff and vocab that are no multiples (--uneven)");
}

}  // namespace

const NameTable<Uneven>& uneven_names() {
  static const NameTable<Uneven> names = {
      {"refuse", Uneven::kRefuse}, {"largest", Uneven::kLargest}, {"ideal", Uneven::kIdeal}};
  return names;
}

const NameTable<PipelineSchedule>& schedule_names() {
  static const NameTable<PipelineSchedule> names = {{"gpipe", PipelineSchedule::kGpipe},
                                                    {"1f1b", PipelineSchedule::kOneFOneB}};
  return names;
}

std::vector<SpecNumber> transformer_numbers(TransformerSpec& s) {
  constexpr std::uint64_t kLargest = kLargestSpecNumber;
  return {
      {"layers", "transformer layers, a multiple of pp (see --uneven)", &s.layers, 1, kLargest},
      {"d-model", "width of the model", &s.d_model, 1, kLargest},
      {"d-ff", "inner width of the MLP, a multiple of tp (see --uneven)", &s.d_ff, 1, kLargest},
      {"seq", "tokens of a sample", &s.seq, 1, kLargest},
      {"batch", "samples of a step over all replicas, a multiple of dp x microbatches", &s.batch, 1, kLargest},
      {"heads", "attention heads, a multiple of tp (see --uneven) that divides d-model", &s.heads, 1, kLargest},
      {"vocab", "words, a multiple of tp (see --uneven)", &s.vocab, 1, kLargest},
      {"dp", "data parallel replicas", &s.dp, 1, kLargest},
      {"tp", "tensor (model) parallel ranks", &s.tp, 1, kLargest},
      {"pp", "pipeline stages", &s.pp, 1, kLargest},
      {"microbatches", "per replica and step", &s.microbatches, 1, kLargest},
      {"bytes-per-element", "of activations, weights and gradients", &s.bytes_per_element, 1, 16},
      {"zero", "0: gradients by all-reduce; 2: reduce-scatter, then all-gather of weights", &s.zero, 0, 2},
      {"scale", "divides operations and bytes of every node, rounded up (bytes to elements)", &s.scale, 1, 1 << 30},
  };
}

void check_transformer(const TransformerSpec& s) {
  TransformerSpec copy = s;
  SpecProblems problems;
  problems.ranges(transformer_numbers(copy));
  problems.ranges({iterations_number(copy.iterations)});
  if (s.zero == 1) problems.add("zero is 1; legal are 0 and 2");
  problems.throw_if_any();
  const std::uint64_t ranks = s.dp * s.tp;
  if (ranks > kLargestRanks || ranks * s.pp > kLargestRanks) {
    problems.add(fmt::format("dp x tp x pp is more than {} ranks", kLargestRanks));
  }
  check_shares(s, problems);
  problems.divides("d-model", s.d_model, "heads", s.heads);
  problems.divides("batch", s.batch, "dp x microbatches", s.dp * s.microbatches);
  if (!fits(s)) problems.add("the work of a single node does not fit 63 bits: the numbers are too large together");
  problems.throw_if_any();
}

const std::vector<ModelPreset>& model_presets() {
  // Vocabularies are padded to a multiple of 1024, as tensor parallel training does.
  static const std::vector<ModelPreset> presets = {
      {"gpt3-like", "175e9 weights: GPT-3", 96, 12288, 49152, 2048, 96, 51200},
      {"transformer-1t-like", "1e12 weights: the largest model of the Megatron-LM scaling study", 128, 25600, 102400,
       2048, 160, 51200},
      {"turing-nlg-like", "17e9 weights: Turing-NLG", 78, 4256, 17024, 1024, 28, 51200},
  };
  return presets;
}

void apply_preset(TransformerSpec& spec, std::string_view name) {
  std::vector<std::string_view> known;
  for (const ModelPreset& preset : model_presets()) {
    known.emplace_back(preset.name);
    if (name != preset.name) continue;
    spec.layers = preset.layers;
    spec.d_model = preset.d_model;
    spec.d_ff = preset.d_ff;
    spec.seq = preset.seq;
    spec.heads = preset.heads;
    spec.vocab = preset.vocab;
    return;
  }
  throw InputError(fmt::format("model {}: legal are {}{}", name, fmt::join(known, ", "), did_you_mean(name, known)));
}

void spread_over(TransformerSpec& spec, std::uint64_t ranks, bool dp_given) {
  SpecProblems problems;
  problems.ranges(transformer_numbers(spec));
  problems.throw_if_any();
  const std::uint64_t others = spec.tp * spec.pp;
  if (ranks == 0 || ranks > kLargestRanks) {
    problems.add(fmt::format("npus is {}; legal are 1 to {}", ranks, kLargestRanks));
  }
  problems.divides("npus", ranks, "tp x pp", others);
  problems.throw_if_any();
  if (dp_given && spec.dp * others != ranks) {
    problems.add(fmt::format("npus is {}, but dp x tp x pp is {} x {} x {}", ranks, spec.dp, spec.tp, spec.pp));
  }
  problems.throw_if_any();
  spec.dp = ranks / others;
}

}  // namespace weft::npu
