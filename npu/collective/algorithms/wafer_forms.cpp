// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/algorithms/wafer_forms.h"

#include <algorithm>
#include <map>

#include "npu/collective/algorithms/auto_gen.h"

namespace weft::npu {
namespace {

double real(std::uint64_t value) { return static_cast<double>(value); }

// max(C, E/N + L) + (2 T_R + 1) D
double general(std::uint32_t p, std::uint64_t b, std::uint32_t degree, std::uint64_t hops, std::uint32_t depth,
               const WaferCost& cost) {
  const double links = p - 1;
  const double stream = real(b) * real(hops) / links + real(cost.hop) * links;
  return std::max(real(degree * b), stream) + real(cost.step() * depth);
}

double least_estimate(std::uint32_t p, std::uint64_t b, const WaferCost& cost) {
  if (p < 2) return 0;
  HopsTable table(p, b, cost);
  return table.estimate(table.best_depth());
}

}  // namespace

double star_cycles(std::uint32_t p, std::uint64_t b, const WaferCost& cost) {
  if (p < 2) return 0;
  // With slow hops the farthest core's stream may come last by distance instead of by its order.
  const std::uint64_t first = cost.hop + b * (p - 1);
  const std::uint64_t last = cost.hop * (p - 1) + b;
  return real(std::max(first, last) - 1 + cost.step());
}

double chain_cycles(std::uint32_t p, std::uint64_t b, const WaferCost& cost) {
  if (p < 2) return 0;
  return real(b + (cost.step() + cost.hop) * (p - 1));
}

double tree_cycles(std::uint32_t p, std::uint64_t b, const WaferCost& cost) {
  if (p < 2) return 0;
  const LineTree tree = binary_tree(p);
  return general(p, b, tree.degree(), tree.hops(), tree.height(), cost);
}

double two_phase_cycles(std::uint32_t p, std::uint64_t b, const WaferCost& cost) {
  if (p < 2) return 0;
  const std::uint32_t group = two_phase_group(p);
  const std::uint32_t groups = (p + group - 1) / group;
  return general(p, b, 2, two_phase_tree(p).hops(), group - 1 + groups - 1, cost);
}

double auto_gen_cycles(std::uint32_t p, std::uint64_t b, const WaferCost& cost) {
  return std::min(star_cycles(p, b, cost), least_estimate(p, b, cost));
}

double lower_bound_cycles(std::uint32_t p, std::uint64_t b, const WaferCost& cost) {
  return b == 1 ? auto_gen_cycles(p, b, cost) : least_estimate(p, b, cost);
}

double broadcast_cycles(std::uint32_t p, std::uint64_t b, const WaferCost& cost) {
  if (p < 2) return 0;
  return real(b + cost.hop * (p - 1) + 1 + 2 * cost.ramp);
}

double broadcast_2d_cycles(std::uint32_t m, std::uint32_t n, std::uint64_t b, const WaferCost& cost) {
  if (m < 2 && n < 2) return 0;
  const Cycle turn = m > 1 && n > 1 ? cost.turn : 0;
  return real(b + cost.hop * (m + n - 2) + turn + cost.step());
}

double ring_cycles(std::uint32_t p, std::uint64_t b, const WaferCost& cost) {
  if (p < 2) return 0;
  return 2.0 * (p - 1) * (real(b) / p - 1) + real(cost.hop) * (4.0 * p - 6) + 2.0 * (p - 1) * real(cost.step());
}

double ring_paper_cycles(std::uint32_t p, std::uint64_t b, const WaferCost& cost) {
  if (p < 2) return 0;
  return ring_cycles(p, b, cost) + 2.0 * (p - 1);
}

double all_reduce_cycles(const LineForm& reduce, std::uint32_t p, std::uint64_t b, const WaferCost& cost) {
  return reduce(p, b, cost) + broadcast_cycles(p, b, cost);
}

double reduce_2d_cycles(const LineForm& reduce, std::uint32_t m, std::uint32_t n, std::uint64_t b,
                        const WaferCost& cost) {
  return reduce(n, b, cost) + reduce(m, b, cost);
}

LineForm reduce_form(const std::string& algorithm) {
  static const std::map<std::string, LineForm> forms{{"star", star_cycles},
                                                     {"chain", chain_cycles},
                                                     {"tree", tree_cycles},
                                                     {"two_phase", two_phase_cycles},
                                                     {"auto_gen", auto_gen_cycles}};
  const auto found = forms.find(algorithm);
  return found == forms.end() ? LineForm{} : found->second;
}

}  // namespace weft::npu
