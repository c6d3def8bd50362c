// SPDX-License-Identifier: Apache-2.0
#include <iterator>
#include <sstream>

#include "tb/build/embedded_rtl.h"

namespace weft::tb {

std::vector<std::string> embedded_list(const std::string& list) {
  std::istringstream names(embedded_rtl().at(list));
  return {std::istream_iterator<std::string>(names), {}};
}

}  // namespace weft::tb
