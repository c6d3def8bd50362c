// SPDX-License-Identifier: Apache-2.0
// The file of a pool: what it is made of, what stands between it and those who access it, and who may touch what.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/rational.h"
#include "config/tree.h"
#include "mem/access/validation_unit.h"
#include "mem/pool/pool_spec.h"

namespace weft::mem {

/// Ranks first .. last.
struct RankRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  bool contains(std::uint32_t rank) const { return first <= rank && rank <= last; }
};
using RankSet = std::vector<RankRange>;
bool contains(const RankSet& ranks, std::uint32_t rank);
/// The last rank of `all`.
inline constexpr std::uint32_t kLastRank = ~std::uint32_t{0};

/// Who may read and write some tensors, whoever loads and stores them.
struct PoolGrant {
  Origin origin;
  std::map<std::string, Origin> keys;  ///< where each key's value stands
  std::string tensor = "*";            ///< names of nodes; `*` stands for any text
  std::optional<std::string> group;    ///< only those of this process group
  std::optional<RankSet> of;           ///< only those that these ranks load or store for themselves
  std::uint32_t owner = 0;             ///< rank that may read and write
  RankSet readers;
  RankSet writers;
};

/// What a rank, or all of a process group, loads or stores under one name.
struct PoolTensor {
  std::string name;
  std::string group;       ///< "" = a rank's own
  std::uint32_t rank = 0;  ///< the rank, where there is no group
};
/// The first of `grants` that means the tensor; nullptr = none.
const PoolGrant* deciding_grant(const std::vector<PoolGrant>& grants, const PoolTensor& tensor);
/// Whether a grant means a tensor, whatever stands before it.
bool means(const PoolGrant& grant, const PoolTensor& tensor);

/// What happens when an access was refused.
enum class OnRefused : std::uint8_t {
  kStop,      ///< the run ends with an error
  kContinue,  ///< the rank goes on; what was refused is counted
};

/// What a pool file says.
struct PoolFile {
  std::string source;
  PoolSpec spec;                 ///< in cycles of the clock that the file was read for
  bool has_controllers = false;  ///< says how many; else 1
  Origin count_origin;           ///< where it says so
  std::uint64_t size = 0;        ///< bytes that can be addressed
  std::uint64_t page_bytes = 4096;
  std::optional<ValidationSpec> access;  ///< nothing = everybody may do everything, at no cost
  OnRefused on_refused = OnRefused::kStop;
  std::vector<PoolGrant> grants;
};

/// Reads a pool from YAML text. Times are rounded up to cycles of `hertz`, rates are exact. All errors of the text are
/// thrown at once as one InputError with file, line, column, what is legal and the nearest known key: unknown and
/// missing keys, wrong units, numbers out of range, and values that contradict each other.
PoolFile parse_pool(const std::string& text, const std::string& source, Rational hertz);
/// The file at `path`. Throws InputError when it cannot be read.
PoolFile read_pool_file(const std::string& path, Rational hertz);

}  // namespace weft::mem
