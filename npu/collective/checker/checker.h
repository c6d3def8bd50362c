// SPDX-License-Identifier: Apache-2.0
// Proves a program without the fabric: every rank ends with the right data, and no order of issue can deadlock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "npu/collective/form/program.h"

namespace weft::npu {

/// What check_program found.
struct CheckReport {
  std::vector<std::string> errors;  ///< sentences with rank, instruction and fragment; empty = proved
  std::uint64_t instructions = 0;   ///< instructions of all ranks
  std::uint64_t messages = 0;       ///< messages of all ranks
  bool in_order = true;             ///< finishes too if each rank executes strictly one instruction after the other
  bool ok() const { return errors.empty(); }
};

/// Checks, for all ranks and independent of sizes:
/// 1. form: peers, buffers, fragments and dependencies exist, and what is combined is of the same size class;
/// 2. matching: every message sent is received once, and the other way round, with equal sizes;
/// 3. determinism: accesses of a rank to one fragment, one of them a write, are ordered by its dependencies;
/// 4. order: the flows that ranks put operands into can be brought into one order that all ranks follow;
/// 5. progress: the graph of dependencies and messages has no cycle, also if sends wait until their receiver has
///    taken everything and fused forms have no buffer at all;
/// 6. data: followed symbolically, each output fragment is made of exactly the contributions its kind asks for, each
///    exactly once, and nothing undefined is read.
/// With `buffered` set, a program that needs sends which never wait passes 5.
/// At most `max_errors` sentences. Memory grows with all instructions and ranks x fragments: for groups up to about a
/// thousand ranks.
CheckReport check_program(const Program& program, std::size_t max_errors = 20, bool buffered = false);

}  // namespace weft::npu
