// SPDX-License-Identifier: Apache-2.0
// What a co-simulation leaves behind: cosim.json of a run, JUnit XML and coverage of many.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tb/bench/bench_run.h"

namespace weft::tb {

/// One run in words.
struct CosimRun {
  std::string block;
  std::string rtl;   ///< "built-in", or the top module and files of somebody's own
  Shape parameters;  ///< without what follows from them
  std::uint64_t seed = 1;
  double stall = 0.0;
  Compare compare = Compare::kCycle;
  std::string model;   ///< folder of the built model: changes with its sources
  std::string wave;    ///< file name, or ""
  std::string replay;  ///< the command that does it again
  BenchResult result;
};

/// {block, rtl, parameters, seed, stall, compare, cycles, mismatches, first, wave, replay, model, bins}
nlohmann::ordered_json cosim_json(const CosimRun& run);
/// "elastic_reg seed 7: first mismatch in cycle 123: data_o is 0x1, the model says 0x0 (input 0 -> ...)"
std::string mismatch_text(const std::string& block, std::uint64_t seed, const Mismatch& mismatch);

/// A run as a test case.
struct TestCase {
  std::string suite;
  std::string name;
  double seconds = 0.0;
  std::string failure;  ///< "" = passed
};
/// JUnit XML, one suite per block, in the order given.
std::string junit_xml(const std::vector<TestCase>& cases);

/// {hit, bins, never_hit, counts}
nlohmann::ordered_json coverage_json(const Coverage& coverage);

}  // namespace weft::tb
