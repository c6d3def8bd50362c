// SPDX-License-Identifier: Apache-2.0
// iSLIP (McKeown, IEEE/ACM ToN 7(2), 1999): in each iteration every free output grants one asking input, then every
// input accepts one grant; pointers move only for what the first iteration accepted.
#pragma once

#include "router/alloc/allocator.h"

namespace weft::router {

template <typename Mask>
class Islip final : public Allocator<Mask> {
 public:
  explicit Islip(int iterations) : iterations_(iterations) {}

  void allocate(Matching<Mask>& matching, AllocatorPointers pointers) const override {
    matching.granted = 0;
    Mask taken = 0;
    for (int iteration = 0; iteration < iterations_; ++iteration) {
      if (!iterate(matching, pointers, &taken, iteration == 0)) break;
    }
  }

 private:
  static bool iterate(Matching<Mask>& matching, AllocatorPointers pointers, Mask* taken, bool first) {
    // Request: turn the open rows into columns.
    std::array<Mask, kMaxAgents> asked_by;
    Mask outputs = 0;
    for_each_bit(static_cast<Mask>(matching.inputs & ~matching.granted), [&](int input) {
      for_each_bit(static_cast<Mask>(matching.requests[input] & ~*taken), [&](int output) {
        const Mask bit = Mask{1} << output;
        if ((outputs & bit) == 0) asked_by[output] = 0;
        asked_by[output] |= Mask{1} << input;
        outputs |= bit;
      });
    });
    // Grant.
    std::array<Mask, kMaxAgents> offers;
    Mask offered = 0;
    for_each_bit(outputs, [&](int output) {
      const int input = first_at_or_after(asked_by[output], pointers.output[output]);
      const Mask bit = Mask{1} << input;
      if ((offered & bit) == 0) offers[input] = 0;
      offers[input] |= Mask{1} << output;
      offered |= bit;
    });
    // Accept.
    for_each_bit(offered, [&](int input) {
      const int output = first_at_or_after(offers[input], pointers.input[input]);
      matching.granted |= Mask{1} << input;
      matching.output[input] = static_cast<std::uint8_t>(output);
      *taken |= Mask{1} << output;
      if (first) {
        pointers.input[input] = static_cast<std::uint8_t>(output + 1);
        pointers.output[output] = static_cast<std::uint8_t>(input + 1);
      }
    });
    return offered != 0;
  }

  int iterations_;
};

template <typename Mask>
std::unique_ptr<Allocator<Mask>> make_islip(int iterations) {
  return std::make_unique<Islip<Mask>>(iterations);
}

inline const AllocatorPolicy kIslip{{"islip", "grants and accepts in iterations"},
                                    {make_islip<std::uint32_t>, make_islip<std::uint64_t>, make_islip<Uint128>}};

}  // namespace weft::router
