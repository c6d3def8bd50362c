// SPDX-License-Identifier: Apache-2.0
// Programs as files: Weft's own form, and the XML form of MSCCL. docs/program_file.md describes both.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include "npu/collective/form/program.h"

namespace weft::npu {

/// Reads a program file; text that begins with '<' is taken as XML, anything else as Weft's form. The form is checked,
/// what the program does is not (see check_program). InputError with file and line, what was found and what is legal.
std::unique_ptr<const Program> load_program(const std::string& path);

/// The same from text; `name` stands for the file in messages.
std::unique_ptr<const Program> parse_program(const std::string& text, const std::string& name);

/// Weft's form only.
std::unique_ptr<const Program> parse_weft_program(const std::string& text, const std::string& name);
/// MSCCL's XML only.
std::unique_ptr<const Program> parse_msccl_program(const std::string& text, const std::string& name);

/// Writes Weft's form; loading it again gives the same program.
void store_program(const Program& program, std::ostream& out);

}  // namespace weft::npu
