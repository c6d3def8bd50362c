// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <systemc>

#include "base/error.h"
#include "cli/argument_check.h"
#include "cli/commands.h"
#include "cli/stop_signal.h"
#include "runs/build_commit.h"
#include "runs/summary.h"
#include "sc_models/policies/policy_catalog.h"

namespace weft::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  weft run configs/demo.yaml --out results/demo
  weft run configs/booksim-ref4.yaml --set workload.traffic.rate=0.2
  weft check my-wafer.yaml
  weft sweep configs/booksim-ref4.yaml --set workload.traffic.rate=0.05:0.40:0.05 --jobs 2 --out results/load
  weft advise reduce configs/wse-reduce.yaml --p 64 --b 256
  weft report results/mesh-wafer-1 results/fred-d-1 --out compared.html
  weft route configs/fred-d.yaml --parallelism 2,2,5 --svg routes.svg
  weft cosim --block uswitch_rd --cycles 1e6 --seed 7
  weft trace info configs/traces/demo/demo
`weft COMMAND --help` explains each command.
Exit status: 0 finished, 2 bad input, 3 deadlock or violated check, 4 limits.cycles reached, 1 a fault of the program
or the machine; 130 Ctrl-C, 143 SIGTERM, 129 SIGHUP, 138 SIGUSR1, 152 SIGXCPU (128 + the signal): what there is is written.)";

void add_commands(const Command& app, int& status) {
  add_run_command(app, status);
  add_resume_command(app, status);
  add_check_command(app, status);
  add_schema_command(app, status);
  add_sweep_command(app, status);
  add_trace_command(app, status);
  add_program_command(app, status);
  add_route_command(app, status);
  add_rtl_command(app, status);
  add_report_command(app, status);
  add_advise_command(app, status);
  add_cosim_command(app, status);
  add_query_command(app, status);
  add_bench_command(app, status);
  add_waves_command(app, status);
  add_repeats_command(app, status);
  add_version_command(app, status);
}

int fail(int status, const std::string& text) {
  fmt::print(stderr, "weft: error: {}\n", text);
  return status;
}

/// Reports of SystemC itself (ids that begin with '/') are faults of the program; ours say what the model found.
int systemc_failure(const sc_core::sc_report& report) {
  const std::string id = report.get_msg_type() == nullptr ? "" : report.get_msg_type();
  const bool foreign = !id.empty() && id[0] == '/';
  return fail(foreign ? kExitInternal : kExitViolation, report.what());
}

/// Paths that cannot be followed are bad input; a machine without space, files or memory is not.
int file_failure(const std::filesystem::filesystem_error& error) {
  static constexpr std::array kPathErrors = {std::errc::filename_too_long, std::errc::too_many_symbolic_link_levels,
                                             std::errc::not_a_directory,   std::errc::permission_denied,
                                             std::errc::is_a_directory,    std::errc::no_such_file_or_directory,
                                             std::errc::invalid_argument,  std::errc::illegal_byte_sequence};
  const bool of_path =
      std::any_of(kPathErrors.begin(), kPathErrors.end(), [&](std::errc e) { return error.code() == e; });
  return fail(of_path ? kExitBadInput : kExitInternal,
              fmt::format("{}: {}", error.path1().string(), error.code().message()));
}

/// Parses and runs; errors leave as exceptions.
int parse_and_run(const std::vector<std::string>& arguments) {
  CommandLine line("weft", "Weft: a cycle-level model of wafer-scale fabrics");
  line.version(fmt::format("weft {} (commit {})", runs::version(), runs::build_commit()));
  const Command program = line.program();
  program.footer(kExamples);
  program.require_subcommand();
  int status = kExitOk;
  add_commands(program, status);
  refuse_inexact_numbers(program);
  for (const std::string& note : check_arguments(program, arguments)) fmt::print(stderr, "weft: note: {}\n", note);
  line.parse(arguments);
  return status;
}

}  // namespace

int run_program(const std::vector<std::string>& arguments) {
  use_policies(sc_models::policy_catalog());
  ignore_file_size_signal();
  // Errors of SystemC arrive here instead of ending the process.
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  try {
    const int status = parse_and_run(arguments);
    if (!std::cout.flush()) return fail(kExitInternal, "standard output cannot be written");
    return status;
  } catch (const InputError& error) {
    return fail(kExitBadInput, error.what());
  } catch (const ViolationError& error) {
    return fail(kExitViolation, error.what());
  } catch (const Interrupted& interrupted) {
    return fail(StopSignal::status(), interrupted.what());
  } catch (const sc_core::sc_report& report) {
    return systemc_failure(report);
  } catch (const std::bad_alloc&) {
    return fail(kExitInternal, "out of memory");
  } catch (const std::filesystem::filesystem_error& error) {
    return file_failure(error);
  } catch (const std::exception& error) {
    return fail(kExitInternal, error.what());
  } catch (...) {
    return fail(kExitInternal, "an exception without a text");
  }
}

}  // namespace weft::cli
