// SPDX-License-Identifier: Apache-2.0
#include "npu/tracegen/transformer_share.h"

#include <algorithm>

#include "base/checked.h"

namespace weft::npu {
namespace {

// `width` over the tp ranks, in units that are not cut unless shares are ideal.
Share share_of(const TransformerSpec& spec, std::uint64_t width, std::uint64_t unit) {
  if (spec.uneven == Uneven::kIdeal) return Share{width, spec.tp};
  return Share{divided_up(width / unit, spec.tp) * unit};
}

}  // namespace

std::uint64_t times(std::uint64_t amount, const Share& share) { return divided_up(amount * share.whole, share.parts); }

std::uint64_t times(std::uint64_t amount, const Share& first, const Share& second) {
  return divided_up(amount * first.whole * second.whole, first.parts * second.parts);
}

Share heads_share(const TransformerSpec& spec) { return share_of(spec, spec.heads, 1); }

Share heads_width(const TransformerSpec& spec) { return share_of(spec, spec.d_model, spec.d_model / spec.heads); }

Share d_ff_share(const TransformerSpec& spec) { return share_of(spec, spec.d_ff, 1); }

Share vocab_share(const TransformerSpec& spec) { return Share{divided_up(spec.vocab, spec.tp)}; }

std::uint64_t layers_of_stage(const TransformerSpec& spec, std::uint64_t stage) {
  return spec.layers / spec.pp + (stage < spec.layers % spec.pp ? 1 : 0);
}

std::uint64_t layers_before_stage(const TransformerSpec& spec, std::uint64_t stage) {
  return stage * (spec.layers / spec.pp) + std::min(stage, spec.layers % spec.pp);
}

}  // namespace weft::npu
