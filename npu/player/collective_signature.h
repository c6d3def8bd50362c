// SPDX-License-Identifier: Apache-2.0
// What tells unlike collectives of one group apart.
#pragma once

#include <cstdint>

#include "config/config.h"

namespace weft::npu {

/// A number below kMaxSignatures (npu/collective/form/tag.h) that all ranks derive alike from what a collective is.
/// Collectives of one group are counted per signature, so ranks whose timing makes them issue two different collectives
/// in different order still pair them right; where two signatures happen to be equal, order of issue alone decides, as
/// it does between equal collectives.
std::uint32_t collective_signature(CollectiveKind kind, std::uint64_t bytes);

}  // namespace weft::npu
