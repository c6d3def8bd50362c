# SPDX-License-Identifier: Apache-2.0
"""The closed form of scripts/reproduction gives the published figures of FRED (arXiv 2406.19580v2) and those derived by hand."""
import dataclasses
import os
import subprocess
import sys
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
FOLDER = os.path.join(ROOT, "scripts", "reproduction")
sys.path.insert(0, FOLDER)

import fred_closed_form  # noqa: E402
import fred_fabric  # noqa: E402
from fred_fabric import FABRICS, Strategy  # noqa: E402
from fred_iteration import Options, averages, fit, iteration, speed_up, sweep  # noqa: E402
from fred_workloads import BYTES, WORKLOADS, Resnet, strategies, sweep_workload  # noqa: E402

MESH, D = FABRICS["mesh"], FABRICS["D"]
WAFER, GPT3, T17B = Strategy(1, 20, 1), Strategy(2, 5, 2), Strategy(3, 3, 2)


def without_attention(name):
    """The operations of products with weights alone, which is what the figures derived by hand count."""
    workload = WORKLOADS[name]
    return dataclasses.replace(workload, model=dataclasses.replace(workload.model, attention=False))


def gpipe(stages, microbatches, step, transfer, blocking):
    """End of a forward pass, stage by stage: a stage works on a microbatch when it has come and the one before is done."""
    arrived = [0.0] * microbatches
    for stage in range(stages):
        free, left = 0.0, []
        for microbatch in range(microbatches):
            end = max(free, arrived[microbatch]) + step
            sent = end + (transfer if stage + 1 < stages else 0)
            free = sent if blocking else end
            left.append(sent)
        arrived = left
    return arrived[-1]


class Phases(unittest.TestCase):
    def per_tb(self, what, strategy, kind="dp", **options):
        return {name: 1e12 * what(fabric, strategy, kind, **options) for name, fabric in FABRICS.items()}

    def test_wafer_wide_all_reduce(self):
        found = self.per_tb(fred_fabric.all_reduce, WAFER)
        for name, wanted in {"mesh": 1.267, "A": 1.067, "B": 0.667, "C": 0.633, "D": 0.333}.items():
            self.assertAlmostEqual(found[name], wanted, delta=0.0005)

    def test_published_rates_of_phases(self):
        # GB/s that each NPU puts into the fabric, which is 2 (n-1)/n of the data at the endpoints and the data in switches.
        for kind, ranks, wanted in (("mp", 2, 3000), ("pp", 2, 3000)):
            for name, found in self.per_tb(fred_fabric.all_reduce, GPT3, kind).items():
                if name != "mesh":
                    self.assertAlmostEqual(1000 * 2 * (ranks - 1) / ranks / found, wanted)
        found = self.per_tb(fred_fabric.all_reduce, GPT3)
        for name, sent, wanted in (("mesh", 1.6, 750), ("A", 1.6, 375), ("B", 1, 375), ("C", 1.6, 3000), ("D", 1, 3000)):
            self.assertAlmostEqual(1000 * sent / found[name], wanted)
        self.assertAlmostEqual(1 - 1 / 1.6, 0.375)

    def test_flows_on_the_mesh(self):
        self.assertEqual([fred_fabric.ring_flows(GPT3, kind, "columns") for kind in ("mp", "pp", "dp")], [1, 2, 1])
        self.assertEqual([fred_fabric.ring_flows(T17B, kind, "searched") for kind in ("mp", "dp")], [1, 1])
        for spots in fred_fabric.PLACEMENTS.values():
            self.assertEqual(sorted(spots), [(x, y) for x in range(5) for y in range(4)])

    def test_halves_of_an_all_reduce(self):
        scatter, gather = (self.per_tb(what, WAFER) for what in (fred_fabric.reduce_scatter, fred_fabric.all_gather))
        self.assertAlmostEqual(scatter["C"], 0.95 / 3)
        self.assertAlmostEqual(scatter["D"], 1 / 3)  # Every member puts all of its data into the switches.
        self.assertAlmostEqual(gather["D"], 0.95 / 3)
        self.assertAlmostEqual(gather["B"], 0.8 / 1.5)  # A trunk brings 16 of 20 shards.

    def test_unequal_members_of_l1_switches(self):
        # Switch 1 has NPUs of the groups {3, 4, 5} and {6, 7, 8}, each of which needs its trunk.
        found = self.per_tb(fred_fabric.all_reduce, T17B, "mp")
        self.assertAlmostEqual(found["B"], 2 / 1.5)
        self.assertAlmostEqual(found["A"], 2 * (4 / 3) / 1.5)

    def test_hot_spot(self):
        everywhere = [[(x, y) for x in range(5) for y in range(4)]]
        self.assertEqual(fred_fabric.streams_on_busiest_link(everywhere), 9)
        self.assertEqual(fred_fabric.streams_on_busiest_link(everywhere, False), 11)
        self.assertAlmostEqual(fred_fabric.stream_share(MESH, fred_fabric.everyone()), 750 / 1152)
        self.assertAlmostEqual(fred_fabric.stream_share(FABRICS["B"], fred_fabric.everyone()), 1500 / 15 / 128)
        self.assertEqual(fred_fabric.stream_share(D, fred_fabric.everyone()), 1)


class Models(unittest.TestCase):
    def test_resnet(self):
        self.assertEqual(Resnet().layer_parameters, 60192808)
        self.assertAlmostEqual(Resnet().macs / 1e9, 11.51, delta=0.01)
        self.assertAlmostEqual(Resnet(stride_in=1).macs / 1e9, 11.3, delta=0.03)

    def test_sizes(self):
        for name, wanted in {"Transformer-17B": 17e9, "GPT-3": 175e9, "Transformer-1T": 1e12}.items():
            self.assertAlmostEqual(WORKLOADS[name].parameters / wanted, 1, delta=0.01)

    def test_six_operations_per_weight_and_token(self):
        workload = without_attention("GPT-3")
        parts = iteration(workload, D, 1.0)
        self.assertAlmostEqual(parts.compute / (6 * workload.parameters * 5 * 16 * 2048 / 20), 1)

    def test_attention_is_a_part_of_s_over_6_h(self):
        share = iteration(WORKLOADS["GPT-3"], D, 1.0).compute / iteration(without_attention("GPT-3"), D, 1.0).compute
        self.assertAlmostEqual(share, 1 + 2048 / (6 * 12288))


class Iterations(unittest.TestCase):
    def test_steps_of_gpipe(self):
        for stages in range(1, 6):
            for microbatches in range(1, 7):
                steps = microbatches + stages - 1
                for blocking, transfers in ((True, steps - 1 if stages > 1 else 0), (False, stages - 1)):
                    self.assertAlmostEqual(gpipe(stages, microbatches, 1.0, 0.25, blocking), steps + 0.25 * transfers)

    def test_gpt3_by_hand(self):
        # 48 layers a stage, 4 all-reduces each of 16 x 2048 x 12288 x 2 B at 3 TB/s, with 3 steps for 2 microbatches.
        parts = iteration(WORKLOADS["GPT-3"], D, 1e16)
        self.assertAlmostEqual(parts.mp, 1.5 * 48 * 4 * 16 * 2048 * 12288 * 2 / 3e12)
        self.assertAlmostEqual(parts.stream, 3 * 2 * 96 * 12 * 12288 ** 2 / 2.304e12)
        self.assertAlmostEqual(parts.bubble, parts.compute / 2)
        # Each pass sends the activations of 8 samples twice before its last step.
        self.assertAlmostEqual(parts.pp, 2 * 2 * 8 * 2048 * 12288 * 2 / 3e12)
        # B sums in its switches, and its trunks bound both directions.
        self.assertAlmostEqual(iteration(WORKLOADS["GPT-3"], FABRICS["B"], 1e16).stream, parts.stream / 0.78125)
        self.assertAlmostEqual(parts.total, sum(dataclasses.astuple(parts)))

    def test_what_is_hidden(self):
        everything = Options(overlap="all", load=True)
        for workload in WORKLOADS.values():
            for fabric in FABRICS.values():
                for rate in (1e15, 1e16, 1e18):
                    whole, hidden = (iteration(workload, fabric, rate, each) for each in (Options(load=True), everything))
                    self.assertLessEqual(hidden.total, whole.total)
                    self.assertGreaterEqual(min(dataclasses.astuple(hidden)), 0)

    def test_gradients_hide_behind_the_backward_pass(self):
        whole, hidden = (iteration(WORKLOADS["ResNet-152"], MESH, 1e16, Options(overlap=name)) for name in ("none", "all"))
        self.assertAlmostEqual(hidden.dp, whole.dp - whole.compute * 2 / 3)

    def test_all_reduces_of_mp_hide_behind_gradients_of_weights(self):
        # 9 steps of 39 layers with 2 samples: 2 x 1024 x 4256 x 2 B at 3 TB/s and at 4/3 / 750 GB/s take 5.811 and 30.991 us. At 8 PFLOP/s
        # and over 3 ranks 8 s h^2 and 6 s h^2 take 12.366 and 9.274 us, so that both all-reduces of the backward pass hide on D.
        workload, whole, hidden = WORKLOADS["Transformer-17B"], Options(), Options(weights_beside_mp=True)
        for fabric, saved in ((D, 2 * 9 * 39 * 5.811e-6), (MESH, 9 * 39 * (12.366e-6 + 9.274e-6))):
            before, after = (iteration(workload, fabric, 8e15, each) for each in (whole, hidden))
            self.assertAlmostEqual(before.mp - after.mp, saved, delta=1e-3 * saved)
            self.assertEqual(dataclasses.replace(after, mp=before.mp), before)

    def test_zero2_is_dearer_in_the_switches(self):
        resnet = WORKLOADS["ResNet-152"]
        self.assertAlmostEqual(iteration(resnet, D, 1e16, Options(gradients="zero2")).dp / iteration(resnet, D, 1e16).dp, 1.95)


class Ratios(unittest.TestCase):
    def test_resnet_implies_10_pflops(self):
        resnet = WORKLOADS["ResNet-152"]
        implied = iteration(resnet, D, 1.0).compute / (0.913e-12 * BYTES * resnet.parameters)
        self.assertAlmostEqual(implied / 10e15, 1, delta=0.01)
        self.assertAlmostEqual(speed_up(resnet, "C", implied), 1.41, delta=0.005)
        self.assertAlmostEqual(speed_up(resnet, "D", implied), 1.75, delta=0.005)

    def test_derived_at_10_pflops(self):
        t17b, gpt3, t1t = (without_attention(name) for name in ("Transformer-17B", "GPT-3", "Transformer-1T"))
        for name, low, high in (("C", 1.90, 2.14), ("D", 2.06, 2.31)):
            # One flow a link gives the lower end. The snake of columns has two flows in the DP phase and gives the upper end.
            self.assertAlmostEqual(speed_up(t17b, name, 1e16), low, delta=0.015)
            self.assertAlmostEqual(speed_up(t17b, name, 1e16, Options(placement="snake-columns")), high, delta=0.005)
        self.assertAlmostEqual(speed_up(gpt3, "D", 1e16), 1.26, delta=0.005)
        self.assertAlmostEqual(speed_up(gpt3, "D", 1e16, Options(overlap="stream")), 1.17, delta=0.005)
        self.assertAlmostEqual(speed_up(t1t, "D", 1e16, Options(overlap="stream")), 1.00, delta=0.005)
        self.assertAlmostEqual(speed_up(t1t, "D", 1e16, Options(overlap="duplex")), 1.04, delta=0.005)

    def test_judged_ratios_at_fitted_rates(self):
        for name, wanted in {"ResNet-152": 1.248, "Transformer-17B": 1.069, "GPT-3": 1.00, "Transformer-1T": 1.00}.items():
            rate = fit(WORKLOADS[name], "D", fred_closed_form.PAPER[name]["D"])
            self.assertAlmostEqual(speed_up(WORKLOADS[name], "D", rate), fred_closed_form.PAPER[name]["D"])
            self.assertAlmostEqual(speed_up(WORKLOADS[name], "D", rate) / speed_up(WORKLOADS[name], "C", rate), wanted, delta=0.005)

    def test_no_rate_gives_more_than_communication_alone_bad(self):
        self.assertIsNone(fit(WORKLOADS["Transformer-1T"], "D", 1.54))  # The hot spot costs at most 1.536.
        self.assertIsNone(fit(WORKLOADS["ResNet-152"], "D", 0.9))

    def test_sweep(self):
        self.assertEqual(len(set(strategies())), 18)
        for pp, wanted in ((1, 1), (2, 10), (4, 20), (5, 20), (10, 20), (20, 40)):
            self.assertEqual(sweep_workload(WORKLOADS["Transformer-17B"], Strategy(1, 20 // pp, pp)).microbatches, wanted)
            self.assertEqual(sweep_workload(WORKLOADS["Transformer-1T"], Strategy(1, 20 // pp, pp)).microbatches, pp)
        for rate, wanted in ((5e15, 1.6), (6e15, 1.7)):
            rows = sweep(WORKLOADS["Transformer-17B"], rate)
            self.assertAlmostEqual(averages(rows)["mean of speed-ups"], wanted, delta=0.02)
            for column in (1, 2):
                self.assertEqual(min(rows, key=lambda row, column=column: row[column])[0], WAFER)


class Program(unittest.TestCase):
    def run_it(self, *words):
        command = [sys.executable, "-B", os.path.join(FOLDER, "fred_closed_form.py"), *words]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_tables(self):
        done = self.run_it("--overlap", "stream", "--vocabulary", "50257")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("## Eight ratios", done.stdout)
        self.assertIn("--overlap", self.run_it("--help").stdout)

    def test_unknown_choice_bad(self):
        self.assertEqual(self.run_it("--overlap", "some").returncode, 2)


if __name__ == "__main__":
    unittest.main()
