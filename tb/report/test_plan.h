// SPDX-License-Identifier: Apache-2.0
// The plan of co-simulation: what is to be seen, where, and by which bins.
#pragma once

#include <string>
#include <vector>

namespace weft::tb {

struct TestPoint {
  std::string name;
  std::string why;
  std::string test;               ///< "cosim BLOCK" or a test's name in ctest
  std::vector<std::string> bins;  ///< names or patterns (base/name_pattern.h)
};

/// Reads tb/testplan.yaml's text. Throws InputError for an entry that lacks a part.
std::vector<TestPoint> read_test_plan(const std::string& yaml);
/// The bins of `bins` that no testpoint names.
std::vector<std::string> without_testpoint(const std::vector<TestPoint>& plan, const std::vector<std::string>& bins);
/// The patterns of the plan that stand for none of `bins`, with the testpoint: "NAME: PATTERN".
std::vector<std::string> without_bin(const std::vector<TestPoint>& plan, const std::vector<std::string>& bins);

}  // namespace weft::tb
