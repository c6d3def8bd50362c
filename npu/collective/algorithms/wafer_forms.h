// SPDX-License-Identifier: Apache-2.0
// Closed forms of reductions and broadcasts on a wafer ("Near-Optimal Wafer-Scale Reduce", HPDC 2024, arXiv
// 2404.15888). Cycles from the first issue to the last add or copy, for P cores on a line and vectors of B elements. 0
// where P < 2. General form: max(C, E/N + L) + (2 T_R + 1) D, with C = most elements into one core, E = links passed by
// all elements, N = links of the line, L = its length, D = depth. With hops of one cycle these are the paper's forms to
// the letter.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "npu/collective/algorithms/line_tree.h"
#include "npu/collective/algorithms/wafer_cost.h"

namespace weft::npu {

/// All send to the root: met exactly by a model that counts as said above.
double star_cycles(std::uint32_t p, std::uint64_t b, const WaferCost& cost = {});
/// An exact model ends one cycle earlier.
double chain_cycles(std::uint32_t p, std::uint64_t b, const WaferCost& cost = {});
/// An estimate. Where P is no power of two, the tree is binary_tree(P).
double tree_cycles(std::uint32_t p, std::uint64_t b, const WaferCost& cost = {});
/// An estimate, with groups of two_phase_group(P).
double two_phase_cycles(std::uint32_t p, std::uint64_t b, const WaferCost& cost = {});
/// The least estimate of the table E(P, d), for B = 1 the star's form if that is less: the lower bound within the
/// paper's cost model, which adds the time of the links' work to that of the path. With short vectors the two overlap,
/// and exact runs end up to 4 % earlier: 564 cycles of a binary tree against 577 for P = 512, B = 8. P <= 4096.
double lower_bound_cycles(std::uint32_t p, std::uint64_t b, const WaferCost& cost = {});
/// What auto_gen_tree is chosen by: the least estimate of the table, or the star's form if that is less.
double auto_gen_cycles(std::uint32_t p, std::uint64_t b, const WaferCost& cost = {});
/// A row's multicast; an exact model ends one cycle earlier.
double broadcast_cycles(std::uint32_t p, std::uint64_t b, const WaferCost& cost = {});
/// Multicast over m x n cores from a corner.
double broadcast_2d_cycles(std::uint32_t m, std::uint32_t n, std::uint64_t b, const WaferCost& cost = {});
/// All-reduce by a ring in which a step starts when its whole fragment of B/P has arrived.
double ring_cycles(std::uint32_t p, std::uint64_t b, const WaferCost& cost = {});
/// The same as the paper counts it, one cycle more per step.
double ring_paper_cycles(std::uint32_t p, std::uint64_t b, const WaferCost& cost = {});

/// Form of a line, as above.
using LineForm = std::function<double(std::uint32_t p, std::uint64_t b, const WaferCost& cost)>;
/// Reduction along a row, then broadcast over it.
double all_reduce_cycles(const LineForm& reduce, std::uint32_t p, std::uint64_t b, const WaferCost& cost = {});
/// X-then-Y reduction of n columns and m rows.
double reduce_2d_cycles(const LineForm& reduce, std::uint32_t m, std::uint32_t n, std::uint64_t b,
                        const WaferCost& cost = {});
/// The line form of a reduction by its algorithm's name (star, chain, tree, two_phase, auto_gen); empty if there is
/// none.
LineForm reduce_form(const std::string& algorithm);

}  // namespace weft::npu
