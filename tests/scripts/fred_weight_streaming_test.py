# SPDX-License-Identifier: Apache-2.0
"""What scripts/reproduce streaming makes of its runs, and its closed form, by figures that are worked out by hand."""
import os
import sys
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path[:0] = [os.path.join(ROOT, "scripts", "reproduction"), os.path.join(ROOT, "scripts", "validation")]

import fred_weight_streaming  # noqa: E402
from fred_weight_streaming import Played, at_full_size, judge, next_rate, of_few_layers, whole  # noqa: E402

GPT3, TRANSFORMER = fred_weight_streaming.STUDIED


def milliseconds(workload, fabric, rate):
    return 1e3 * fred_weight_streaming.form_iteration(workload, fabric, rate)


class ClosedForm(unittest.TestCase):
    # Transformer-1T at 77 PFLOP/s: a layer's forward pass of 16 samples has 16 (24 2048 25600^2 + 4 2048^2 25600) = 5.2227e14 operations and takes
    # 6.7828 ms, all passes 20.348; the product that needs no weights takes 2.2312. 15.7286 GB come in 6.8267 ms at 18 x 128 GB/s.
    def test_on_d_controllers_alone_decide(self):
        layer = 20.3483 + 6.8267 + (6.8267 - 2.2312)
        self.assertAlmostEqual(milliseconds(TRANSFORMER, "D", 77e15), 128 * layer + 6.8267, delta=0.5)

    # Nine streams share a link of 750 GB/s, so that weights take 10.4858 ms. Gradients are reduce-scattered in 15.7286 x 0.6333 = 9.9615 ms, while the next
    # layer computes 2 x 6.7828 - 2.2312 = 11.3344 of its backward pass, and leave in 6.8267.
    def test_on_the_mesh_nine_streams_share_a_link(self):
        layer = 20.3483 + 10.4858 + (10.4858 - 2.2312)
        self.assertAlmostEqual(milliseconds(TRANSFORMER, "mesh", 77e15), 128 * layer + 9.9615 + 6.8267, delta=0.5)

    # At 154 PFLOP/s all computing takes half as long, so that 9.9615 - 5.6672 of a reduce-scatter are left for the links on which weights come in.
    def test_late_reductions_delay_the_next_weights(self):
        late = 9.9615 - 11.3344 / 2
        layer = 20.3483 / 2 + 10.4858 + (10.4858 - 2.2312 / 2) + late
        self.assertAlmostEqual(milliseconds(TRANSFORMER, "mesh", 154e15), 128 * layer + 9.9615 + 6.8267 - late, delta=0.5)

    # GPT-3 at 9 PFLOP/s: a forward pass of 8 samples over an MP pair takes 3.3902 ms, its two all-reduces of 402.65 MB at 3 TB/s 0.2684 ms; those of the
    # backward pass run beside products of 1.0995 and 0.8246 ms. 3.6239 GB come in 1.5729 ms. Both stages have 48 of 96 layers and two micro-batches.
    def test_stages_work_in_turn_on_d(self):
        layer = 6 * 3.39018 + 2 * 0.26844 + 1.57286 + (1.57286 - 1.09952)
        fill = 3 * 3.39018 + 0.26844 + 2 * 0.13422
        self.assertAlmostEqual(milliseconds(GPT3, "D", 9e15), 48 * layer + fill + 1.57286, delta=0.2)

    # A DP group is a row of the mesh: its ring has one flow on each link, as has that of the MP pairs in neighbouring rows, in 750 GB/s. An all-reduce takes
    # 0.5369 ms. Shares come in 1.5729 ms, and the half of an MP rank is gathered in 4/5 x 1.8119 / 0.75 = 1.9327. The other stage is two rows away, so that
    # two flows share a link.
    def test_groups_gather_shares_on_the_mesh(self):
        load = 1.57286 + 1.93274
        layer = 6 * 3.39018 + 4 * 0.53687 + load + (load - 1.09952)
        fill = 3 * 3.39018 + 2 * 0.53687 + 2 * 2 * 0.53687
        self.assertAlmostEqual(milliseconds(GPT3, "mesh", 9e15), 48 * layer + fill + load, delta=0.2)

    # All-gathers over trunks of 1.5 TB/s take 4/5 of 15.7286 GB, and shares of 16 of 20 NPUs over 4 of 18 controllers 0.1778: longer than
    # the controllers need.
    def test_trunks_of_a_decide(self):
        load = (4 / 5 + 4 / 18 * 16 / 20) * 15.7286 / 1.5
        self.assertAlmostEqual(milliseconds(TRANSFORMER, "A", 77e15), 128 * (20.348 + 2 * load - 2.2312) + load, delta=0.2)

    # A load of GPT-3 is 3.62388 GB for both MP ranks of a stage, whose rings over five L1 switches have two flows of 4/5 of a half on each trunk.
    def test_stages_load_in_turn_on_a(self):
        gathered = 2 * 4 / 5 * 3.62388 / 2 / 1.5 + 4 / 18 * 16 / 20 * 3.62388 / 1.5
        layer = fred_weight_streaming.fred_layers.layer(GPT3.form, fred_weight_streaming.fred_fabric.FABRICS["A"], 9e15)
        self.assertAlmostEqual(1e3 * layer.load, 2 * gathered - 1.09952, delta=0.01)

    # Streams of 15 controllers come down each trunk, and sums for 15 controllers go up: 1.92 TB/s where it has 1.5.
    def test_trunks_of_b_decide_in_both_directions(self):
        load = 6.8267 * 1.92 / 1.5
        self.assertAlmostEqual(milliseconds(TRANSFORMER, "B", 77e15), 128 * (20.348 + 2 * load - 2.2312) + load, delta=0.2)

    def test_a_study_of_c_has_the_form_of_c(self):
        self.assertEqual(milliseconds(GPT3, "C, maximum", 9e15), milliseconds(GPT3, "C", 9e15))

    def test_endpoints_of_a_and_c_and_d_as_c_take_parts(self):
        parts = {fabric: GPT3.trace_words(fabric, 4, 1)[-1] for fabric in fred_weight_streaming.FABRICS}
        self.assertEqual(parts, {"mesh": 0, "A": 8, "B": 0, "C": 32, "D": 32, "D, copies": 0, "C, maximum": 32})
        self.assertEqual([GPT3.algorithm(fabric) for fabric in fred_weight_streaming.FABRICS],
                         ["ring", "ring", "in_switch", "ring", "ring", "in_switch", "ring"])

    def test_d_copies_for_transformer_and_does_what_c_does_for_gpt3(self):
        self.assertEqual((TRANSFORMER.algorithm("D"), TRANSFORMER.trace_words("D", 2, 1)[-1]), ("in_switch", 0))
        self.assertEqual((GPT3.algorithm("D"), GPT3.trace_words("D", 4, 1)), ("ring", GPT3.trace_words("C", 4, 1)))
        self.assertNotIn("D, copies", TRANSFORMER.fabrics(fred_weight_streaming.FABRICS))
        self.assertIn("D, copies", GPT3.fabrics(fred_weight_streaming.FABRICS))

    def test_d_is_the_same_fabric_both_ways(self):
        for fabric, algorithm in ("D", "ring"), ("D, copies", "in_switch"):
            config, sets = fred_weight_streaming.settings(GPT3, "folder", fabric, 1e15)
            self.assertEqual(config, "configs/fred-d.yaml")
            self.assertIn(f"algorithm: {algorithm},", sets["workload"])

    # Commas and spaces in a path would end it within the settings of a run.
    def test_folders_of_traces_are_apart_and_plain(self):
        folders = {fred_weight_streaming.trace_folder("f", fabric, 2, 40) for fabric in fred_weight_streaming.FABRICS}
        self.assertEqual(len(folders), len(fred_weight_streaming.FABRICS))
        self.assertFalse([folder for folder in folders if "," in folder or " " in folder])

    # Two VCs for each of four directions in each of two message classes.
    def test_npus_of_the_mesh_have_vcs_for_each_direction(self):
        for workload, order in (GPT3, "oldest_first"), (TRANSFORMER, "round_robin"):
            _, sets = fred_weight_streaming.settings(workload, "folder", "mesh", 1e15)
            self.assertEqual((sets["fabric.router.vcs"], sets["npu.injection_vcs"], sets["npu.message_order"]), (2 * 4 * 2, "by_direction", order))
        _, sets = fred_weight_streaming.settings(GPT3, "folder", "C", 1e15)
        self.assertNotIn("npu.injection_vcs", sets)

    def test_dp_groups_are_rows_of_the_mesh_and_spread_over_switches(self):
        ranks = [10 * pp + 2 * dp + mp for pp in range(2) for mp in range(2) for dp in range(5)]
        self.assertEqual([GPT3.placement("mesh")[rank] for rank in ranks], [*range(5), *range(5, 10), *range(10, 15), *range(15, 20)])
        self.assertEqual([GPT3.placement("D")[2 * dp] for dp in range(5)], [0, 4, 8, 12, 16])
        self.assertEqual(TRANSFORMER.placement("mesh"), list(range(20)))


class FromRuns(unittest.TestCase):
    def test_further_layers_last_as_long_as_those_between_the_two_models(self):
        seconds, layer = of_few_layers(TRANSFORMER, 7.0, 11.0)  # 2 and 4 layers: 3 + 2 a layer
        self.assertEqual((seconds, layer), (3 + 2 * 128, 2))

    def test_the_line_through_both_scales_gives_full_size(self):
        self.assertAlmostEqual(at_full_size((40, 80), (100 + 39 * 0.5, 100 + 79 * 0.5)), 100)

    def test_models_and_scales_together(self):
        seconds = {(scale, layers): (1 + 2 * layers) / scale + 0.01 for scale in (40, 80) for layers in (2, 4)}
        found = whole(TRANSFORMER, (40, 80), seconds, 7)
        self.assertAlmostEqual(found.total, 257 + 0.4)
        self.assertAlmostEqual(found.smaller, 257 + 0.8)
        self.assertAlmostEqual(found.layer, 2)

    # Computing takes 10 on both, and what is exposed 8 on the mesh and 4 on D: (x + 8) / (x + 4) is 1.4 where x is 6.
    def test_the_rate_that_fits(self):
        compute = 128 * 20.3483e-3  # Transformer-1T at 77 PFLOP/s
        found = {name: Played(compute + time * compute / 10, 0, 0, 0) for name, time in (("mesh", 8), ("D", 4))}
        self.assertAlmostEqual(next_rate(TRANSFORMER, [(77e15, found)]) / 77e15, 10 / 6, places=4)

    # 1.36 at 60 and 1.44 at 80: 1.4 at 70.
    def test_two_rates_give_the_one_between(self):
        tries = [(rate, {"mesh": Played(mesh, 0, 0, 0), "D": Played(1, 0, 0, 0)}) for rate, mesh in ((60e15, 1.36), (80e15, 1.44))]
        self.assertAlmostEqual(next_rate(TRANSFORMER, tries) / 1e15, 70)

    def test_the_nearest_of_three_tries_is_the_last(self):
        ratios = iter((1.25, 1.44, 1.5))
        tries = fred_weight_streaming.fit(TRANSFORMER, lambda _, rate: {"D": Played(1, 0, 0, 0), "mesh": Played(next(ratios), 0, 0, 0)})
        self.assertEqual([round(found["mesh"].total, 2) for _, found in tries], [1.25, 1.5, 1.44])

    def test_rates_beside_one_that_fits_are_played_too(self):
        ratios = iter((1.403, 1.45, 1.36))
        tries = fred_weight_streaming.fit(TRANSFORMER, lambda _, rate: {"D": Played(1, 0, 0, 0), "mesh": Played(next(ratios), 0, 0, 0)})
        self.assertEqual([round(rate / TRANSFORMER.first_rate, 2) for rate, _ in tries], [0.96, 1.04, 1])


class Judged(unittest.TestCase):
    def found(self, **more):
        rate = 77e15
        at = {name: fred_weight_streaming.form_iteration(TRANSFORMER, name, rate) * more.get(name, 1) for name in ("mesh", "C", "D")}
        return {name: Played(time, time, time / 128, 1) for name, time in at.items()}

    def test_what_the_form_says_passes(self):
        self.assertEqual(judge(TRANSFORMER, 77e15, self.found(), (40, 80))[2], [])

    def test_a_fabric_that_is_too_slow_or_too_fast_fails(self):
        for name, factor in (("mesh", 1.11), ("mesh", 0.89), ("D", 1.11)):
            self.assertTrue(any(f" on {name}: " in fault for fault in judge(TRANSFORMER, 77e15, self.found(**{name: factor}), (40, 80))[2]), name)

    def test_a_rate_that_does_not_fit_fails(self):
        for ratio, faults in ((1.373, 0), (1.427, 0), (1.371, 1), (1.429, 1)):
            found = {"D": Played(1, 0, 0, 0), "mesh": Played(ratio, 0, 0, 0)}
            self.assertEqual(len(fred_weight_streaming.judge_fit(TRANSFORMER, found)), faults)

    def test_all_rates_that_were_tried_are_judged(self):
        tries = [(77e15, self.found()), (77e15, self.found(mesh=1.11))]
        rows, faults = fred_weight_streaming.judge_tries(TRANSFORMER, tries)
        self.assertEqual(len(rows), 2)
        self.assertEqual(faults, ["Transformer-1T on mesh at 77.00 PFLOP/s: +11.0 % from the closed form"])

    def test_c_has_to_be_as_fast_as_d(self):
        slower = self.found(C=1.02)
        self.assertEqual(len(judge(TRANSFORMER, 77e15, slower, (40, 80))[2]), 1)
        self.assertEqual(judge(TRANSFORMER, 77e15, slower, (40, 80), ratio_counts=False)[2], [])

    # Copies take 5 ms, and D as C does 4: 0.8 of C. The other way round copies have to be played.
    def test_copies_that_are_faster_on_d_fail(self):
        times = {"mesh": 8, "C": 4, "D": 4, "D, copies": 5}
        for faster, faults in (5, []), (3, ["GPT-3: copies in switches are the faster way on D"]):
            found = {name: Played(time, time, 0, 1) for name, time in {**times, "D, copies": faster}.items()}
            rows, wrong = fred_weight_streaming.judge_ratio(GPT3, found, (40, 80), True)
            self.assertEqual(wrong, faults)
            self.assertEqual([row[1:5] for row in rows], [["D"] + 3 * ["1.000"], ["D, copies"] + 3 * [f"{4 / faster:.3f}"]])

    # 1.03 and 1.05 times as slow at 1/40 and 1/80: 1.0105 at full size.
    def test_c_is_judged_at_full_size(self):
        found = self.found()
        time = found["D"].total
        for factor, faults in ((1.05, 1), (1.052, 0)):
            found["C"] = Played(1.03 * time, factor * time, 0, 1)
            self.assertEqual(len(judge(TRANSFORMER, 77e15, found, (40, 80))[2]), faults)


if __name__ == "__main__":
    unittest.main()
