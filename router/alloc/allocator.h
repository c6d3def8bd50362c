// SPDX-License-Identifier: Apache-2.0
// Allocators: which input gets which output. One interface for VC allocation and switch allocation; one file per
// allocator, chosen by name.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>

#include "base/policy.h"
#include "config/config.h"
#include "router/alloc/round_robin.h"

namespace weft::router {

/// Widest matrix: input VCs by output VCs of the largest router.
inline constexpr int kMaxAgents = kMostRouterVcs;

/// Requests of one allocation and its result. `Mask` holds one bit per output and one per input.
template <typename Mask>
struct Matching {
  Mask inputs = 0;                              ///< inputs that ask for anything
  std::array<Mask, kMaxAgents> requests;        ///< per requesting input: the outputs it asks for, not empty
  Mask granted = 0;                             ///< result: inputs that got an output
  std::array<std::uint8_t, kMaxAgents> output;  ///< result: per granted input its output
};

/// Round-robin pointers of one router; a pointer moves past the winner only when it won.
struct AllocatorPointers {
  std::uint8_t* input;   ///< per input: where its arbiter over outputs starts
  std::uint8_t* output;  ///< per output: where its arbiter over inputs starts
};

/// The interface. An allocator keeps no state of its own: pointers belong to the router.
template <typename Mask>
class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual void allocate(Matching<Mask>& matching, AllocatorPointers pointers) const = 0;
};

template <typename Mask>
using MakeAllocator = std::unique_ptr<Allocator<Mask>> (*)(int iterations);

/// An allocator as the registry lists it: a constant of its file, with a maker for each width of router.
struct AllocatorPolicy : Policy {
  std::tuple<MakeAllocator<std::uint32_t>, MakeAllocator<std::uint64_t>, MakeAllocator<Uint128>> make;
};

/// All allocators.
const PolicyList<AllocatorPolicy>& allocator_policies();

/// The allocator called `name`, with `iterations` where it iterates; throws InputError with the known names.
template <typename Mask>
std::unique_ptr<Allocator<Mask>> make_allocator(const std::string& name, int iterations);

}  // namespace weft::router
