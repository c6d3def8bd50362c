// SPDX-License-Identifier: Apache-2.0
// Encryption and integrity of a memory's lines: the time of the engine that all accesses share, and the bytes that tags
// and partly written lines add to the memory's traffic. The contents themselves are kept in the clear.
#pragma once

#include <cstdint>

#include "base/rational.h"
#include "base/types.h"
#include "mem/exact_time.h"

namespace weft::mem {

/// All zero: no protection, no cost.
struct ProtectionSpec {
  std::uint64_t line_bytes = 64;
  Cycle encryption_cycles = 0;     ///< from a line to its cipher text, or back
  Cycle integrity_cycles = 0;      ///< to make or check a line's tag, after decryption or encryption
  Rational lines_per_cycle{1, 1};  ///< that the engine takes
  std::uint64_t tag_bytes = 0;     ///< per line; moved with every line that is read or written

  bool has_encryption() const { return encryption_cycles > 0; }
  bool has_integrity() const { return integrity_cycles > 0 || tag_bytes > 0; }
  bool is_on() const { return has_encryption() || has_integrity(); }
};

/// What protection adds to one access.
struct ProtectionCost {
  Cycle latency_cycles = 0;       ///< waiting for the engine included
  std::uint64_t lines = 0;        ///< that passed the engine
  std::uint64_t extra_bytes = 0;  ///< moved to or from memory beside the access's own
};

/// The engine in front of a memory.
class LineProtection {
 public:
  /// InputError for a line that is no power of two, a tag larger than a line, or an engine that takes no lines.
  explicit LineProtection(const ProtectionSpec& spec);

  const ProtectionSpec& spec() const { return spec_; }
  /// Sends the lines of an access through the engine, from cycle `now` on. A read takes whole lines and their tags. A
  /// write of a part of a line under integrity reads the line and its tag first, because the tag covers the line.
  ProtectionCost pass(std::uint64_t address, std::uint64_t bytes, bool is_write, Cycle now);

 private:
  std::uint64_t extra_bytes(std::uint64_t address, std::uint64_t bytes, bool is_write, std::uint64_t lines) const;

  ProtectionSpec spec_;
  ExactTime free_at_;  ///< the engine takes its next line then
};

}  // namespace weft::mem
