// SPDX-License-Identifier: Apache-2.0
// All policies of all blocks, as a configuration sees them.
#pragma once

#include "config/policies.h"

namespace weft::sc_models {

/// What the registries of the blocks say. It is the same object each time, for use_policies().
const PolicyCatalog& policy_catalog();

}  // namespace weft::sc_models
