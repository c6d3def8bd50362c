// SPDX-License-Identifier: Apache-2.0
// The files of rtl/, as they were when this program was built.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace weft::tb {

/// Text by path below rtl/.
const std::map<std::string, std::string>& embedded_rtl();

/// The files that have seeded faults (tb/faults), with the faults, and the package that chooses one, fault_pkg.sv.
const std::map<std::string, std::string>& embedded_faults();

/// The paths that a list of them (primitives.f ...) names, in order.
std::vector<std::string> embedded_list(const std::string& list);

}  // namespace weft::tb
