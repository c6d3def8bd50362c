// SPDX-License-Identifier: Apache-2.0
#include "mem/access/line_protection.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace weft::mem {

LineProtection::LineProtection(const ProtectionSpec& spec) : spec_(spec) {
  if (spec.line_bytes == 0 || (spec.line_bytes & (spec.line_bytes - 1)) != 0)
    throw InputError(fmt::format("a protected line of {} bytes; legal: a power of two", spec.line_bytes));
  if (spec.tag_bytes > spec.line_bytes) {
    throw InputError(fmt::format("an integrity tag of {} bytes for a line of {}; legal: 0 to {}", spec.tag_bytes,
                                 spec.line_bytes, spec.line_bytes));
  }
  if (spec.lines_per_cycle.num == 0 || spec.lines_per_cycle.den == 0) {
    throw InputError(fmt::format("a protection engine of {}/{} lines per cycle; legal: above 0",
                                 spec.lines_per_cycle.num, spec.lines_per_cycle.den));
  }
}

ProtectionCost LineProtection::pass(std::uint64_t address, std::uint64_t bytes, bool is_write, Cycle now) {
  ProtectionCost cost;
  if (!spec_.is_on()) return cost;
  cost.lines = (address + bytes - 1) / spec_.line_bytes - address / spec_.line_bytes + 1;
  const Rational rate = spec_.lines_per_cycle;
  const ExactTime start = std::max(free_at_, ExactTime{now, 0});
  free_at_ = start.plus(cost.lines * rate.den, rate.num);
  const Cycle last_line = start.plus((cost.lines - 1) * rate.den, rate.num).edge();
  cost.latency_cycles = last_line - now + spec_.encryption_cycles + spec_.integrity_cycles;
  cost.extra_bytes = extra_bytes(address, bytes, is_write, cost.lines);
  return cost;
}

std::uint64_t LineProtection::extra_bytes(std::uint64_t address, std::uint64_t bytes, bool is_write,
                                          std::uint64_t lines) const {
  const std::uint64_t line = spec_.line_bytes;
  const std::uint64_t tags = lines * spec_.tag_bytes;
  if (!is_write) return lines * line - bytes + tags;
  if (!spec_.has_integrity()) return 0;
  const bool head = address % line != 0;
  const bool tail = (address + bytes) % line != 0;
  const std::uint64_t partial = lines == 1 ? (head || tail ? 1 : 0) : (head ? 1 : 0) + (tail ? 1 : 0);
  // A partial line is read with its tag and then written as a whole.
  return tags + partial * (line + spec_.tag_bytes) + (lines * line - bytes);
}

}  // namespace weft::mem
