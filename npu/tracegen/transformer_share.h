// SPDX-License-Identifier: Apache-2.0
// What a rank has of a transformer: its share of each width, and the layers of its stage.
#pragma once

#include "npu/tracegen/transformer_spec.h"

namespace weft::npu {

/// A tensor parallel rank's share of a width, in elements: `whole` / `parts`. With Uneven::kIdeal it may be a fraction;
/// otherwise `parts` is 1.
struct Share {
  explicit Share(std::uint64_t whole_width, std::uint64_t number_of_parts = 1)
      : whole(whole_width), parts(number_of_parts) {}

  std::uint64_t whole;
  std::uint64_t parts;
};

/// `amount` times the share, rounded up.
std::uint64_t times(std::uint64_t amount, const Share& share);
/// `amount` times both shares, rounded up once.
std::uint64_t times(std::uint64_t amount, const Share& first, const Share& second);

/// Shares of a rank: of the heads, of what all heads have of d_model, and of d_ff.
Share heads_share(const TransformerSpec& spec);
Share heads_width(const TransformerSpec& spec);
Share d_ff_share(const TransformerSpec& spec);
/// A rank's share of the vocabulary, which is padded up to a multiple of tp.
Share vocab_share(const TransformerSpec& spec);

/// Layers that pipeline stage `stage` has: layers / pp, and one more in the first layers mod pp stages.
std::uint64_t layers_of_stage(const TransformerSpec& spec, std::uint64_t stage);
/// Layers of all stages before `stage`, where each stage has consecutive layers.
std::uint64_t layers_before_stage(const TransformerSpec& spec, std::uint64_t stage);

}  // namespace weft::npu
