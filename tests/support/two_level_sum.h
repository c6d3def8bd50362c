// SPDX-License-Identifier: Apache-2.0
// Sums of 16-bit elements over two levels of switches, by MPFR, in the order that the hardware documents: neighbours
// first, FP32 within a switch, one rounding at each output port on the way up, none on the way down. Every addition is
// written down here once more; nothing is shared with the code under test.
#pragma once

#include <vector>

#include "tests/support/mpfr_number.h"

namespace weft::test {

/// A switch with 2 to 4 operands, by port: FP32 sums of neighbours, then of those; the result rounded to `element`.
inline double switch_sum(const Binary& element, ReduceOp op, const std::vector<double>& operands) {
  Number value[4] = {Number(kFp32), Number(kFp32), Number(kFp32), Number(kFp32)};
  for (std::size_t i = 0; i < operands.size(); ++i) value[i].set(operands[i]);
  Number left(kFp32);
  Number right(kFp32);
  Number all(kFp32);
  left.reduce(op, value[0], value[1]);
  if (operands.size() == 4) right.reduce(op, value[2], value[3]);
  if (operands.size() == 2) all.round(left);
  if (operands.size() == 3) all.reduce(op, left, value[2]);
  if (operands.size() == 4) all.reduce(op, left, right);
  Number out(element);
  out.round(all);
  return out.get();
}

/// What every member gets: the sums of the lower switches, each rounded, in the upper one.
inline double two_level_sum(const Binary& element, ReduceOp op, const std::vector<std::vector<double>>& groups) {
  std::vector<double> sums;
  for (const std::vector<double>& group : groups) sums.push_back(switch_sum(element, op, group));
  return switch_sum(element, op, sums);
}

/// The same if every addition were rounded to the element's format: what must not come out.
inline double rounded_at_every_step(const Binary& element, const std::vector<std::vector<double>>& groups) {
  double sums[4] = {};
  Number a(element);
  Number b(element);
  Number sum(element);
  const auto add = [&](double x, double y) {
    a.set(x);
    b.set(y);
    sum.reduce(ReduceOp::kSum, a, b);
    return sum.get();
  };
  const auto tree = [&](const double* v, std::size_t n) {
    const double left = add(v[0], v[1]);
    return n == 2 ? left : n == 3 ? add(left, v[2]) : add(left, add(v[2], v[3]));
  };
  for (std::size_t g = 0; g < groups.size(); ++g) sums[g] = tree(groups[g].data(), groups[g].size());
  return tree(sums, groups.size());
}

}  // namespace weft::test
