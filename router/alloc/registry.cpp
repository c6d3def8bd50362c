// SPDX-License-Identifier: Apache-2.0
// All allocators by name.
#include <fmt/format.h>

#include "base/error.h"
#include "router/alloc/allocator.h"
#include "router/alloc/islip.h"
#include "router/alloc/separable_input_first.h"

namespace weft::router {

std::vector<std::string> allocator_names() { return {"separable_input_first", "islip"}; }

template <typename Mask>
std::unique_ptr<Allocator<Mask>> make_allocator(const std::string& name, int iterations) {
  if (name == "separable_input_first") return std::make_unique<SeparableInputFirst<Mask>>();
  if (name == "islip") return std::make_unique<Islip<Mask>>(iterations);
  throw InputError(
      fmt::format("fabric.router.allocator: no allocator '{}'; known: {}", name, fmt::join(allocator_names(), ", ")));
}

template std::unique_ptr<Allocator<std::uint32_t>> make_allocator(const std::string&, int);
template std::unique_ptr<Allocator<std::uint64_t>> make_allocator(const std::string&, int);
template std::unique_ptr<Allocator<Uint128>> make_allocator(const std::string&, int);

}  // namespace weft::router
