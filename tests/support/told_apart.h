// SPDX-License-Identifier: Apache-2.0
// Looks that tell states of a block apart.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "base/state_form.h"

namespace weft::test {

/// Gives a form the state of a block that has been brought there before.
using Look = std::function<void(StateForm&)>;
/// States by name.
using Looks = std::vector<std::pair<const char*, Look>>;

/// Whether a block in state `first` passes for one in state `second`.
inline bool look_equal(const Look& first, const Look& second, Cycle now = 0) {
  StateForm form;
  form.begin(StateForm::Pass::kFirst, now, 1);
  first(form);
  EXPECT_TRUE(form.end()) << form.refusal();
  form.begin(StateForm::Pass::kSecond, now, 1);
  second(form);
  return form.end();
}

/// Each state passes for itself and for no other one.
inline void expect_told_apart(const Looks& states) {
  for (const auto& [name, look] : states) {
    for (const auto& [other_name, other] : states) {
      EXPECT_EQ(look_equal(look, other), &look == &other) << name << " and " << other_name;
    }
  }
}

}  // namespace weft::test
