// SPDX-License-Identifier: Apache-2.0
// Seeded faults of the built-in RTL (tb/faults).
#pragma once

#include <set>
#include <string>

#include "tb/build/model_builder.h"

namespace weft::tb {

/// Gives the design this seeded fault. Throws InputError unless it has one of that number with its parameters: names
/// those that it has.
void seed_fault(ModelBuilder& builder, RtlDesign& design, int number);

/// Numbers of the faults that the design can have with its parameters.
std::set<int> seeded_faults(ModelBuilder& builder, const RtlDesign& design);

/// 1, 2, 3, 7 as "1 to 3, 7".
std::string ranges_text(const std::set<int>& numbers);

}  // namespace weft::tb
