// SPDX-License-Identifier: Apache-2.0
// The command line of `weft report`.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/commands.h"
#include "report/report.h"

namespace weft::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> folders;
  std::string out;
  bool quiet = false;
};

int report(const ReportOptions& options) {
  const std::vector<std::filesystem::path> folders(options.folders.begin(), options.folders.end());
  const std::filesystem::path out =
      options.out.empty() ? folders.back() / report::kReportFile : std::filesystem::path(options.out);
  if (!options.out.empty() && out.has_parent_path() && !std::filesystem::is_directory(out.parent_path())) {
    throw InputError(fmt::format("--out {}: there is no folder {}", out.string(), out.parent_path().string()));
  }
  report::write_report(folders, out, options.out.empty() ? OutputLinks::kReplace : OutputLinks::kFollow);
  if (!options.quiet) fmt::print("report in {}\n", out.string());
  return kExitOk;
}

}  // namespace

void add_report_command(const Command& app, int& status) {
  const Command command = app.subcommand("report", "Write a page about runs and sweeps that a browser shows");
  auto options = std::make_shared<ReportOptions>();
  command
      .option("RUN", options->folders, "results folders of `weft run`, shown side by side, and folders of `weft sweep`")
      .required();
  command.option("--out", options->out, "the page (default: report.html in the last folder)").type_name("FILE");
  command.flag("--quiet,-q", options->quiet, "print nothing but errors");
  command.footer(R"(Examples:
  weft report results/demo-1
  weft report results/mesh-wafer-1 results/fred-a-1 results/fred-d-1 --out compared.html
  weft report results/load
The page is one file and needs no network. The first run is the one that the others are compared with.)");
  command.action([options, &status] { status = report(*options); });
}

}  // namespace weft::cli
