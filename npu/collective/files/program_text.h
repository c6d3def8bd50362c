// SPDX-License-Identifier: Apache-2.0
// `weft program check|show|export`: programs for people.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

#include "npu/collective/algorithms/registry.h"

namespace weft::npu {

/// Names a program: a file, or an algorithm with what it is wanted for.
struct ProgramChoice {
  std::string file;  ///< goes first if not empty
  std::string algorithm = "ring";
  ProgramRequest request;
};

/// The chosen program. InputError as load_program and make_program.
std::unique_ptr<const Program> choose_program(const ProgramChoice& choice);

/// Proves the program and prints what it is and what was found. True if it is sound.
bool program_check(const ProgramChoice& choice, std::ostream& out);

/// Prints the instructions of one rank, or of all.
void program_show(const ProgramChoice& choice, std::optional<std::uint32_t> rank, std::ostream& out);

/// Writes the program in the form that `algorithm: file` loads.
void program_export(const ProgramChoice& choice, std::ostream& out);

}  // namespace weft::npu
