# SPDX-License-Identifier: Apache-2.0
"""Closed forms of reductions on a row of cores ("Near-Optimal Wafer-Scale Reduce", HPDC 2024, arXiv 2404.15888).

In cycles, for P cores and vectors of B wavelets; hops of one cycle, ramps of two, adds of one. Written from the paper,
apart from npu/collective/algorithms/wafer_forms.cpp, so that one checks the other.
"""
import functools
import math

import numpy

RAMP = 2  # T_R, each way
STEP = 2 * RAMP + 1  # down a ramp, add, up the other


def star(p, b):
    return b * (p - 1) + STEP


def chain(p, b):
    return b + (2 * RAMP + 2) * (p - 1)


def tree(p, b):
    """P is a power of two."""
    rounds = int(math.log2(p))
    return max(b * rounds, b * p / (2 * (p - 1)) * rounds + p - 1) + STEP * rounds


def tree_exact(p, b):
    """What the estimate `tree` stands for, counted out; P is a power of two.

    The farthest wavelet passes P - 1 links and is added once per round, the last follows it by B - 1. The stream of
    round k could start 2^k + STEP cycles after that of the round before; where that is still coming in, it waits.
    """
    rounds = int(math.log2(p))
    waits = sum(max(0, b - (2 ** k + STEP)) for k in range(1, rounds))
    return p - 1 + STEP * rounds + b - 1 + waits


def two_phase(p, b):
    group = math.isqrt(p - 1) + 1
    groups = -(-p // group)
    hops = (p - groups) + group * (groups - 1)  # those within groups, those between the groups' first cores
    return max(2 * b, b * hops / (p - 1) + p - 1) + STEP * (group - 1 + groups - 1)


def broadcast(p, b):
    return b + p + 2 * RAMP


def ring(p, b):
    """All-reduce whose steps start when their whole fragment has arrived; P divides B."""
    return 2 * (p - 1) * (b // p - 1) + 4 * p - 6 + 2 * (p - 1) * STEP


def ring_paper(p, b):
    return 2 * (p - 1) * b / p + 4 * p - 6 + 2 * (p - 1) * STEP


@functools.lru_cache(None)
def fewest_hops(most):
    """[d - 1][r]: E(r, d), the fewest links that a tree of depth d over r cores in a row needs; r, d <= most."""
    columns = []
    before = numpy.full(most + 1, 1 << 40)  # depth 0: one core only
    before[1] = 0
    sizes = numpy.arange(most + 1)
    for _ in range(most - 1):
        now = numpy.zeros(most + 1, dtype=numpy.int64)  # no core, or one: no link
        for r in range(2, most + 1):
            # The last child of the root has s cores below it, the rest of r - s stands before it.
            split = before[1:r] + now[r - 1:0:-1] + sizes[r - 1:0:-1]
            now[r] = min(before[r], split.min())
        columns.append(now)
        before = now
    return columns


def least_estimate(p, b, most):
    """min over d of B E(P, d) / (P - 1) + P - 1 + 5 d, from the table of `most` cores."""
    return min(b * int(column[p]) / (p - 1) + p - 1 + STEP * d
               for d, column in enumerate(fewest_hops(most)[:p - 1], 1))


def auto_gen(p, b, most=512):
    return min(star(p, b), least_estimate(p, b, most))


def least_possible(p, b):
    """What no reduction can fall below: the farthest wavelet passes P - 1 links and is added once, the last follows by B - 1."""
    return p - 1 + STEP + b - 1


def lower_bound(p, b, most=512):
    """The paper's, which adds the time that links work to the time that one wavelet is on its way."""
    return auto_gen(p, b, most) if b == 1 else least_estimate(p, b, most)
