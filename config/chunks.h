// SPDX-License-Identifier: Apache-2.0
// This file says into how many chunks a collective is cut.
#pragma once

#include <algorithm>
#include <cstdint>

#include "config/config.h"

namespace weft {

/// The number of chunks of a collective of `bytes`: one for each `chunk_bytes`, at least one and at most `chunks`. With
/// chunk_bytes 0 it is always `chunks`.
inline int chunks_of(const CollectiveSpec& spec, std::uint64_t bytes) {
  if (spec.chunk_bytes == 0) return spec.chunks;
  const std::uint64_t wanted = bytes / spec.chunk_bytes + (bytes % spec.chunk_bytes != 0 ? 1 : 0);
  return static_cast<int>(std::clamp<std::uint64_t>(wanted, 1, static_cast<std::uint64_t>(spec.chunks)));
}

}  // namespace weft
