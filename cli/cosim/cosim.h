// SPDX-License-Identifier: Apache-2.0
// `weft cosim` without its command line: RTL against the model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tb/bench/block.h"

namespace weft::cli {

struct CosimRequest {
  std::string block;  ///< or "all" with `regress`
  bool own = false;   ///< the RTL below instead of the built-in one
  tb::RtlDesign rtl;  ///< somebody's own; parameters as given by -G
  tb::Shape shape;    ///< parameters of the block, as far as given
  std::uint64_t cycles = 100000;
  std::uint64_t seed = 1;
  double stall = 0.2;
  tb::Compare compare = tb::Compare::kCycle;
  std::string out;        ///< empty: results/cosim-BLOCK-N
  std::string build_dir;  ///< empty: tb::default_build_dir()
  int mutant = 0;         ///< seeded fault of the built-in RTL
  bool checkers = true;   ///< with the assertions of the modules, of built-in RTL
  bool coverage = false;
  std::string plan;  ///< test plan that a regression's bins are compared with; empty: none
  bool quiet = false;
  std::uint64_t regress = 0;  ///< seeds; 0 = a single run
  std::size_t jobs = 1;
};

/// One run: builds what is missing, writes cosim.json and, after a mismatch, the waves around it. Returns the exit
/// status: 0, or 3 after a mismatch. Throws InputError.
int cosim_once(const CosimRequest& request);
/// Many seeds, each in a process of its own; those that an earlier regression into the same folder has finished are
/// kept. Writes junit.xml, coverage.json and a folder for each run. With `coverage` bins that were never hit count as
/// a failure, too; with `plan` bins that no testpoint names, and names in it that are no bin.
int cosim_regression(const CosimRequest& request);

/// The words of a command line that does this run alone.
std::vector<std::string> cosim_words(const CosimRequest& request);

/// The design of a request: somebody's own RTL after its ports have been compared with the block's, or the built-in
/// one. Sets the shape that the ports have.
tb::RtlDesign cosim_design(tb::ModelBuilder& builder, const CosimRequest& request, tb::Shape& shape);

}  // namespace weft::cli
