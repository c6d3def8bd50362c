// SPDX-License-Identifier: Apache-2.0
// The registry of replacement policies.
#include "mem/access/replacement.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/text_distance.h"

namespace weft::mem {
namespace {

using Maker = std::unique_ptr<Replacement> (*)(CacheShape);
constexpr std::pair<std::string_view, Maker> kPolicies[] = {{"lru", lru_replacement}, {"fifo", fifo_replacement}};

}  // namespace

std::vector<std::string_view> replacement_names() {
  std::vector<std::string_view> names;
  for (const auto& [name, maker] : kPolicies) names.push_back(name);
  return names;
}

std::unique_ptr<Replacement> make_replacement(const std::string& name, CacheShape shape) {
  for (const auto& [known, maker] : kPolicies) {
    if (known == name) return maker(shape);
  }
  const auto names = replacement_names();
  throw InputError(fmt::format("unknown replacement {}; known: {}{}", in_quotes(name), fmt::join(names, ", "),
                               did_you_mean(name, names)));
}

}  // namespace weft::mem
