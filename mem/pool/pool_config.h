// SPDX-License-Identifier: Apache-2.0
// The pool that memory.pool names, as it fits a configuration.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "mem/pool/pool_file.h"

namespace weft::mem {

/// The pool of `config`, in cycles of the NPUs' clock, with a controller for each I/O controller of the wafer. Throws
/// InputError for a file that cannot be read, is wrong in itself, has another number of controllers, or names ranks
/// that are not there.
PoolFile pool_of(const Config& config);

/// What `weft check` says of the pool of `config`: its parts, what they carry, and what limits them.
std::vector<std::string> describe_pool(const Config& config);

}  // namespace weft::mem
