// SPDX-License-Identifier: Apache-2.0
// Options whose values are names that the configuration knows too.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text_distance.h"
#include "config/names.h"

namespace weft::cli {

/// The enumerator called `name`. Throws InputError that names the option, the nearest and all legal names.
template <typename Enum>
Enum enum_of(std::string_view option, const std::string& name, const NameTable<Enum>& table) {
  std::vector<std::string_view> known;
  std::string list;
  for (const auto& [text, value] : table) {
    if (text == name) return value;
    known.push_back(text);
    list += (list.empty() ? "" : ", ") + std::string(text);
  }
  throw InputError(fmt::format("{} {}: legal are {}{}", option, name, list, did_you_mean(name, known)));
}

}  // namespace weft::cli
