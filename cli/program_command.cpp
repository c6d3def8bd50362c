// SPDX-License-Identifier: Apache-2.0
// The command line of `weft program`: prove, show and export collective programs.
#include <iostream>
#include <memory>
#include <optional>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/name_option.h"
#include "config/names.h"
#include "npu/collective/files/program_text.h"

namespace weft::cli {
namespace {

/// The words of a command line that choose a program.
struct ProgramOptions {
  npu::ProgramChoice choice;
  std::string kind = "all_reduce";
  std::vector<int> size;
  std::optional<std::uint32_t> rank;
};

/// The choice with names looked up; members of a mesh lie at its nodes 0, 1, 2, ...
npu::ProgramChoice chosen(const ProgramOptions& options) {
  npu::ProgramChoice choice = options.choice;
  choice.request.kind = enum_of("--kind", options.kind, collective_kind_names());
  if (!options.size.empty()) {
    if (options.size.size() != 2) throw InputError("--mesh: expected two sizes, X Y");
    choice.request.size_x = options.size[0];
    choice.request.size_y = options.size[1];
  }
  return choice;
}

void add_choice(const Command& command, ProgramOptions& o) {
  command.option("FILE", o.choice.file, "program file; without one, --algorithm makes the program");
  command.option("--algorithm", o.choice.algorithm, "generator: ring, direct, halving_doubling, ...").show_default();
  command.option("--kind", o.kind, "all_reduce, all_gather, ...").show_default();
  command.option("--ranks", o.choice.request.ranks, "members of the group")
      .show_default()
      .range(std::uint64_t{1}, std::uint64_t{1} << 20);
  command.option("--root", o.choice.request.root, "position of the root in the group").show_default();
  command.option("--mesh", o.size, "size of the mesh on which the ranks are nodes 0, 1, 2, ...")
      .values(2)
      .type_name("X Y");
  command.flag("--torus", o.choice.request.torus, "the mesh is a torus");
}

}  // namespace

void add_program_command(const Command& app, int& status) {
  const Command program = app.subcommand("program", "Prove, show and export collective programs");
  program.require_subcommand();
  auto o = std::make_shared<ProgramOptions>();

  const Command check = program.subcommand("check", "Prove that every rank ends with the right data, without deadlock");
  add_choice(check, *o);
  check.footer(
      "Exit status 3 when the program is not sound. Examples:\n  weft program check my-program.json\n"
      "  weft program check --algorithm hierarchical_2d --ranks 20 --mesh 5 4");
  check.action([o, &status] { status = npu::program_check(chosen(*o), std::cout) ? kExitOk : kExitViolation; });

  const Command show = program.subcommand("show", "Print the instructions of one rank, or of all");
  add_choice(show, *o);
  show.option("--rank", o->rank, "only this rank");
  show.footer("Example:\n  weft program show --algorithm ring --ranks 4 --rank 0");
  show.action([o] { npu::program_show(chosen(*o), o->rank, std::cout); });

  const Command write = program.subcommand("export", "Print the program in the form that `algorithm: file` loads");
  add_choice(write, *o);
  write.footer("Example:\n  weft program export --algorithm ring --ranks 8 > ring-8.program");
  write.action([o] { npu::program_export(chosen(*o), std::cout); });
}

}  // namespace weft::cli
