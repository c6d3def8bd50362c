// SPDX-License-Identifier: Apache-2.0
// Seeded faults of the built-in RTL (rtl/mutants.md).
#pragma once

#include <set>
#include <string>

#include "tb/build/model_builder.h"

namespace weft::tb {

/// Lets the design have its seeded faults. Throws InputError unless it has the one of that number with its parameters:
/// names those that it has.
void seed_fault(ModelBuilder& builder, RtlDesign& design, int number);

/// 1, 2, 3, 7 as "1 to 3, 7".
std::string ranges_text(const std::set<int>& numbers);

}  // namespace weft::tb
