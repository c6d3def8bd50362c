// SPDX-License-Identifier: Apache-2.0
// Separable input-first allocation, one iteration: each input's arbiter picks one of its requests, then each output's
// arbiter picks one of the inputs that chose it.
#pragma once

#include "router/alloc/allocator.h"

namespace weft::router {

template <typename Mask>
class SeparableInputFirst final : public Allocator<Mask> {
 public:
  void allocate(Matching<Mask>& matching, AllocatorPointers pointers) const override {
    std::array<Mask, kMaxAgents> chosen_by;
    Mask outputs = 0;
    for_each_bit(matching.inputs, [&](int input) {
      const int output = first_at_or_after(matching.requests[input], pointers.input[input]);
      const Mask bit = Mask{1} << output;
      chosen_by[output] = (outputs & bit) != 0 ? chosen_by[output] : Mask{0};
      chosen_by[output] |= Mask{1} << input;
      outputs |= bit;
    });
    matching.granted = 0;
    for_each_bit(outputs, [&](int output) {
      const int input = first_at_or_after(chosen_by[output], pointers.output[output]);
      pointers.input[input] = static_cast<std::uint8_t>(output + 1);
      pointers.output[output] = static_cast<std::uint8_t>(input + 1);
      matching.granted |= Mask{1} << input;
      matching.output[input] = static_cast<std::uint8_t>(output);
    });
  }
};

template <typename Mask>
std::unique_ptr<Allocator<Mask>> make_separable_input_first(int) {
  return std::make_unique<SeparableInputFirst<Mask>>();
}

inline const AllocatorPolicy kSeparableInputFirst{
    {"separable_input_first", "an arbiter at each input, then one at each output"},
    {make_separable_input_first<std::uint32_t>, make_separable_input_first<std::uint64_t>,
     make_separable_input_first<Uint128>}};

}  // namespace weft::router
