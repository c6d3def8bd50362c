// SPDX-License-Identifier: Apache-2.0
// Reports which model a switch of a fabric was, and in how many cycles it was compared with another.
#pragma once

#include <cstdint>
#include <string>

namespace weft::fred {

struct SwitchReport {
  std::string path;                   ///< "fabric.l1[0].plane[2]"
  std::string model;                  ///< as `fabric.model` calls it
  std::uint64_t compared_cycles = 0;  ///< steps without a difference; 0 where nothing is compared
};

}  // namespace weft::fred
