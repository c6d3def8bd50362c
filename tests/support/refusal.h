// SPDX-License-Identifier: Apache-2.0
// What is said where input is refused.
#pragma once

#include <string>

#include "base/error.h"

namespace weft::test {

/// Returns the text of the InputError that `action` ends with; it says so where nothing is refused.
template <typename Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was refused";
}

}  // namespace weft::test
