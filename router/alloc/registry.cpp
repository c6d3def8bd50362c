// SPDX-License-Identifier: Apache-2.0
// All allocators by name.
#include "router/alloc/allocator.h"
#include "router/alloc/islip.h"
#include "router/alloc/separable_input_first.h"

namespace weft::router {

const PolicyList<AllocatorPolicy>& allocator_policies() {
  static const PolicyList<AllocatorPolicy> list("fabric.router.allocator: no allocator",
                                                {&kSeparableInputFirst, &kIslip});
  return list;
}

template <typename Mask>
std::unique_ptr<Allocator<Mask>> make_allocator(const std::string& name, int iterations) {
  return std::get<MakeAllocator<Mask>>(allocator_policies().at(name).make)(iterations);
}

template std::unique_ptr<Allocator<std::uint32_t>> make_allocator(const std::string&, int);
template std::unique_ptr<Allocator<std::uint64_t>> make_allocator(const std::string&, int);
template std::unique_ptr<Allocator<Uint128>> make_allocator(const std::string&, int);

}  // namespace weft::router
