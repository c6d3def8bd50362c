// SPDX-License-Identifier: Apache-2.0
// Which way of a set a cache gives up: one interface, one file per policy, chosen by name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/policy.h"

namespace weft::mem {

/// Replacement of a set-associative cache. The cache fills empty ways itself.
class Replacement {
 public:
  virtual ~Replacement() = default;
  /// A way was hit.
  virtual void touch(std::uint32_t set, std::uint32_t way) = 0;
  /// A way got a new entry.
  virtual void fill(std::uint32_t set, std::uint32_t way) = 0;
  /// The way that is given up; all ways of the set are in use.
  virtual std::uint32_t victim(std::uint32_t set) const = 0;
};

/// Size of a cache, for its policy.
struct CacheShape {
  std::uint32_t sets = 1;
  std::uint32_t ways = 1;
};

/// A replacement as the registry lists it: a constant of its file.
struct ReplacementPolicy : Policy {
  std::unique_ptr<Replacement> (*make)(CacheShape shape) = nullptr;
};

const PolicyList<ReplacementPolicy>& replacement_policies();
/// InputError names the known policies.
std::unique_ptr<Replacement> make_replacement(const std::string& name, CacheShape shape);

}  // namespace weft::mem
