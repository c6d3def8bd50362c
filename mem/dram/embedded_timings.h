// SPDX-License-Identifier: Apache-2.0
// The files of configs/memory as text, written into the program when it is built.
#pragma once

#include <map>
#include <string>

namespace weft::mem {

/// Text by name without ".yaml".
const std::map<std::string, std::string>& embedded_timings();

}  // namespace weft::mem
