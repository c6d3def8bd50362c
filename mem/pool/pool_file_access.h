// SPDX-License-Identifier: Apache-2.0
// The parts of a pool file about access control: what checking costs, and the grants.
#pragma once

#include "mem/map_reader.h"
#include "mem/pool/pool_file.h"

namespace weft::mem {

/// Reads `access` and `grants` of a file; what is wrong goes to the errors.
class PoolAccessReader {
 public:
  PoolAccessReader(const MapReader& top, Rational hertz, ConfigErrors& errors)
      : top_(top), hertz_(hertz), errors_(errors) {}
  void read(PoolFile& file);

 private:
  void read_access(const MapReader& map, PoolFile& file);
  void read_cache(const MapReader& map, PermissionCacheSpec& cache);
  void read_protection(const MapReader& map, const PoolFile& file, ProtectionSpec& protection);
  void read_oblivious(const MapReader& map, const PoolFile& file, ObliviousSpec& oblivious);
  void read_grants(PoolFile& file);
  void read_grant(const RawNode& node, std::size_t number, PoolFile& file);
  /// `3`, `0-3`, `all`, `none`, or a list of them.
  RankSet ranks(const MapReader& map, std::string_view key);
  void add_ranks(const RawNode& node, const std::string& path, RankSet& ranks);

  const MapReader& top_;
  Rational hertz_;
  ConfigErrors& errors_;
};

}  // namespace weft::mem
