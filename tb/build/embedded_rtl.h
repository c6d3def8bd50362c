// SPDX-License-Identifier: Apache-2.0
// The files of rtl/, as they were when this program was built.
#pragma once

#include <map>
#include <string>

namespace weft::tb {

/// Text by path below rtl/.
const std::map<std::string, std::string>& embedded_rtl();

}  // namespace weft::tb
