// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/files/program_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>

#include "base/error.h"
#include "npu/collective/checker/checker.h"
#include "npu/collective/files/program_file.h"

namespace weft::npu {
namespace {

std::string title(const ProgramChoice& choice, const Program& program) {
  const ProgramShape& shape = program.shape();
  std::string text = choice.file.empty() ? choice.algorithm : choice.file;
  text += fmt::format(": {} of {} rank{}", kind_name(shape.kind), shape.ranks, shape.ranks == 1 ? "" : "s");
  if (kind_has_root(shape.kind)) text += fmt::format(", root {}", shape.root);
  text += fmt::format(", {} input, {} output, {} scratch fragments a rank", shape.fragments(Buffer::kInput),
                      shape.fragments(Buffer::kOutput), shape.scratch);
  if (shape.in_place) text += ", input and output are one buffer";
  return text;
}

}  // namespace

std::unique_ptr<const Program> choose_program(const ProgramChoice& choice) {
  return choice.file.empty() ? make_program(choice.algorithm, choice.request) : load_program(choice.file);
}

bool program_check(const ProgramChoice& choice, std::ostream& out) {
  const std::unique_ptr<const Program> program = choose_program(choice);
  out << title(choice, *program) << "\n";
  const CheckReport report = check_program(*program);
  out << fmt::format("{} instructions, {} messages\n", report.instructions, report.messages);
  for (const std::string& error : report.errors) out << "error: " << error << "\n";
  if (!report.ok()) return false;
  out << "sound: every rank ends with the right data, and no order of issue can deadlock\n";
  if (!report.in_order) out << "note: ranks that go strictly by their indices would deadlock; the engine does not\n";
  return true;
}

void program_show(const ProgramChoice& choice, std::optional<std::uint32_t> rank, std::ostream& out) {
  const std::unique_ptr<const Program> program = choose_program(choice);
  if (rank && *rank >= program->ranks()) {
    throw InputError(fmt::format("the program has ranks 0..{}, found {}", program->ranks() - 1, *rank));
  }
  out << title(choice, *program) << "\n";
  const std::uint32_t first = rank.value_or(0);
  const std::uint32_t last = rank.value_or(program->ranks() - 1);
  for (std::uint32_t r = first; r <= last; ++r) {
    out << "rank " << r << "\n";
    for (std::uint32_t i = 0; i < program->length(r); ++i) {
      const Instruction in = program->at(r, i);
      std::string line = fmt::format("{:>6}  {}", i, to_text(in));
      if (!in.deps.empty()) line += fmt::format("  after {}", fmt::join(in.deps, ", "));
      out << line << "\n";
    }
  }
}

void program_export(const ProgramChoice& choice, std::ostream& out) { store_program(*choose_program(choice), out); }

}  // namespace weft::npu
