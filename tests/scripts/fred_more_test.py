# SPDX-License-Identifier: Apache-2.0
"""What follows the played iterations of scripts/reproduce fred: one rate, map, sweep and sensitivity, by figures that are chosen here or by hand."""
import csv
import os
import re
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path[:0] = [os.path.join(ROOT, "scripts", "reproduction"), os.path.join(ROOT, "scripts", "validation")]

import fred_choices  # noqa: E402
import fred_map  # noqa: E402
import fred_one_rate  # noqa: E402
import fred_sweep  # noqa: E402
import fred_tornado  # noqa: E402
from fred_fabric import Strategy  # noqa: E402
from fred_map import RATIOS, Spot  # noqa: E402
from fred_simulated import MAXIMUM, WORKLOADS, Point  # noqa: E402
from fred_tornado import Machine, Played, Side  # noqa: E402


def point(total):
    return Point(total, 0.0, total, 1.0)


SHORT = {"ResNet-152": "resnet", "Transformer-17B": "t17b", "GPT-3": "gpt3", "Transformer-1T": "t1t"}


def spot(rate=1e15, sequence=64, **off):
    """A point whose ratios are 5 % off, but for those of the workloads in `off`."""
    return Spot("none", rate, sequence, {(name, fabric): off.get(SHORT[name], 0.05) for name, fabric in RATIOS})


class OneRate(unittest.TestCase):
    def found(self, c, maximum):
        return {"mesh": point(1.76), "C": point(c), MAXIMUM: point(maximum), "D": point(1.0)}

    def test_ratios_within_a_tenth(self):
        # 1.76 / 1.25 = 1.408 and 1.76 / 1.38 = 1.275, which is 9.5 % below 1.41.
        rows, faults = fred_one_rate.played_rows(self.found(1.38, 1.25))
        self.assertEqual(faults, [])
        self.assertEqual([row[2:5] for row in rows], [["1.275", "1.41", "-9.5 %"], ["1.408", "1.41", "-0.1 %"], ["1.760", "1.76", "+0.0 %"]])
        self.assertEqual(rows[2][5], "fitted")

    def test_each_matching_is_judged(self):
        # 1.76 / 1.40 = 1.257 is 10.8 % below 1.41.
        for found, name in ((self.found(1.40, 1.25), "C"), (self.found(1.25, 1.40), MAXIMUM)):
            _, faults = fred_one_rate.played_rows(found)
            self.assertEqual([fault.split(" at ")[0] for fault in faults], [f"ResNet-152 on {name}"])

    def test_all_eight_ratios_stand_in_the_table(self):
        rows = fred_one_rate.form_rows((1e16, 2e16))
        self.assertEqual([(row[0], row[1]) for row in rows], RATIOS)
        # Transformer-1T at 10 PFLOP/s: 20.055 s of computing, 4.027 and 2.621 s of streams.
        self.assertEqual(rows[7][3], f"{(20.055 + 4.027) / (20.055 + 2.621):.3f}")


class Map(unittest.TestCase):
    def test_points(self):
        self.assertEqual(len(fred_map.RATES) * len(fred_map.SEQUENCES) * 4, 704)
        self.assertAlmostEqual(fred_map.RATES[-1], 128e15, delta=1e6)

    def test_a_point_by_hand(self):
        # Transformer-1T with 1024 tokens: 3 x 16 x 128 (24 x 1024 x 25600^2 + 4 x 1024^2 x 25600) = 9.9616e16 operations take 9.9616 s at
        # 10 PFLOP/s. Streams bring 3 x 2 x 1.00663e12 B at 2.304 TB/s and 0.651 of that: 2.6215 and 4.0266 s.
        off = fred_map.spot_at("none", 1e16, 1024).off["Transformer-1T", "D"]
        self.assertAlmostEqual(off, (9.9616 + 4.0266) / (9.9616 + 2.6215) / 1.40 - 1, places=4)
        # ResNet-152 has no tokens.
        self.assertEqual(*(fred_map.spot_at("none", 1e16, tokens).off["ResNet-152", "D"] for tokens in (64, 8192)))

    def test_the_bound_of_a_tenth(self):
        self.assertEqual(len(spot(t1t=0.099).kept()), 8)
        self.assertEqual(len(spot(t1t=0.101).kept()), 6)
        self.assertEqual(len(spot(t1t=0.11, t17b=-0.12).kept()), 4)
        self.assertEqual(spot(t1t=0.11, t17b=-0.12).worst(), ("Transformer-17B", "C"))

    def test_who_forbids_it(self):
        some = [spot(t1t=0.2), spot(t1t=0.2, gpt3=0.3), spot(resnet=-0.2), spot(t1t=0.2)]
        table, whole = fred_map.counts(some)
        self.assertEqual(whole, 0)
        # Points 0 and 3 lack Transformer-1T alone, point 1 lacks GPT-3, too, and point 2 lacks ResNet-152 alone.
        self.assertEqual(table, {"ResNet-152": (3, 1), "Transformer-17B": (4, 0), "GPT-3": (3, 0), "Transformer-1T": (1, 2)})
        text = fred_map.verdict(some)
        self.assertIn("Nowhere on these 4 points", text)
        self.assertIn("1 without ResNet-152, 2 without Transformer-1T", text)
        self.assertIn("most often is Transformer-1T", text)

    def test_a_point_that_keeps_everything_is_told(self):
        self.assertIn("at 1 of 2 points, from 2.00 to 2.00", fred_map.verdict([spot(gpt3=0.2), spot(rate=2e15)]))

    def test_own_sequences(self):
        some = [spot(sequence=64, gpt3=0.2), spot(sequence=128, t17b=0.2), spot(rate=2e15, gpt3=0.2)]
        found = fred_map.own_sequences(some)
        self.assertEqual(list(found), [("none", 1e15)])
        self.assertEqual((found["none", 1e15]["GPT-3"], found["none", 1e15]["Transformer-17B"]), ([128], [64]))

    def test_a_search_between_the_points_is_never_worse(self):
        start = fred_map.spot_at("none", 1e15 * 2 ** (8 / 3), 256)
        end = fred_map.refined(start)
        self.assertLess(abs(end.off[end.worst()]), abs(start.off[start.worst()]))

    def test_table_has_every_point(self):
        with tempfile.TemporaryDirectory() as folder:
            before, fred_map.TABLE = fred_map.TABLE, os.path.join(folder, "map.csv")
            try:
                fred_map.write_table([spot(sequence=128, gpt3=-0.5)])
                with open(fred_map.TABLE, newline="") as file:
                    rows = list(csv.DictReader(file))
            finally:
                fred_map.TABLE = before
        self.assertEqual((rows[0]["sequence"], rows[0]["GPT-3 C"], rows[0]["Transformer-17B D"], rows[0]["kept"]), ("128", "0.670", "1.964", "6"))


class Sweep(unittest.TestCase):
    FIRST, OTHER = Strategy(1, 20, 1), Strategy(20, 1, 1)

    def rows(self, exposed):
        return [(self.FIRST, 12, 10, 3, 1), (self.OTHER, 11, 20, 3, exposed)]

    def test_ranks(self):
        self.assertEqual([fred_sweep.rank(self.rows(4), self.OTHER, column) for column in (1, 2)], [1, 2])

    def test_how_much_faster_npus_would_have_to_compute(self):
        # 16 of computing and 4 of communication take 10 where computing takes 6.
        self.assertAlmostEqual(fred_sweep.needed_factor(self.rows(4), self.OTHER), 16 / 6)
        self.assertEqual(fred_sweep.needed_factor(self.rows(10), self.OTHER), float("inf"))

    def test_the_unaligned_strategy_takes_part(self):
        rows = fred_sweep.points("Transformer-17B", 5e15)
        self.assertEqual(len({row[0] for row in rows}), 19)
        # 39 layers a stage and a third of each for 40 samples in 11 steps of 4: 3 x 4 x 39 (24 x 1024 x 4256^2 + 4 x 1024^2 x 4256) / 3
        # operations take 14.4418 ms and steps 11/10 of that, which is 0.39715 ms for each of the 120 / 3 samples of a replica.
        row = next(row for row in rows if row[0] == fred_sweep.UNALIGNED)
        operations = 3 * 39 * (24 * 1024 * 4256 ** 2 + 4 * 1024 ** 2 * 4256) / 3
        self.assertAlmostEqual(row[2] - row[4], operations * 40 * 1.1 / 5e15 / 120)

    def test_the_rate_is_judged(self):
        self.assertEqual(fred_sweep.judge(5.5e15), [])
        for rate in (4.9e15, 6.1e15, None):
            self.assertEqual(len(fred_sweep.judge(rate)), 1)

    def test_no_rate_gives_more_than_communication_alone(self):
        # Where nothing computes the mesh takes 1.98 times as long on average.
        self.assertIsNone(fred_sweep.rate_of_mean("Transformer-1T", 2.1))


class Tornado(unittest.TestCase):
    def test_rates_of_fred_d_by_hand(self):
        # A packet's room is used again after 2 x 24 + 8 + 3 + 6 = 65 cycles.
        self.assertEqual(Machine().round_trip(), 65)
        self.assertAlmostEqual(Machine().data_rate(), 3e12 * 4096 / 4102, delta=1)
        self.assertAlmostEqual(Machine(buffer=4096).data_rate(), 3e12 * 8 / 65, delta=1)
        self.assertAlmostEqual(Machine(buffer=24 * 1024).data_rate(), 3e12 * 48 / 65, delta=1)
        # 40 ns are 47 cycles each way; 111 cycles are less than the 128 flits of 64 KiB, and more than the 64 of 32 KiB.
        self.assertEqual(Machine(latency=40e-9).round_trip(), 111)
        self.assertAlmostEqual(Machine(latency=40e-9, header=64).data_rate(), 3e12 * 4096 / 4160, delta=1)
        self.assertAlmostEqual(Machine(latency=40e-9, buffer=32 * 1024).data_rate(), 3e12 * 64 / 111, delta=1)
        # 20 ns are 20 cycles of 976.5625 MHz (19.5 rounded up): 57.
        self.assertEqual(Machine(planes=6, clock=976.5625e6).round_trip(), 57)

    def test_form_of_an_iteration(self):
        # At 10.26 PFLOP/s 0.1077 ms of computing, 0.1525 on the mesh, and 120.39 MB at 8/65 of 3 TB/s: 0.3261 ms.
        form = WORKLOADS[0].form
        found = fred_tornado.form_times(form, 10.26e15, Side("", machine=Machine(buffer=4096)))
        self.assertAlmostEqual(found["mesh"], 0.2602, places=4)
        self.assertAlmostEqual(found["D"], 0.3261, places=3)
        self.assertEqual(fred_tornado.form_times(form, 1e16, Side("", machine=None, mesh_form=False)), {})
        self.assertAlmostEqual(fred_tornado.form_times(form, 10.26e15, Side("", rate=0.5))["mesh"], 0.2154 + 0.1525, places=4)

    def test_each_time_is_judged_by_its_form(self):
        form = {"mesh": 1.0, "D": 1.0}
        # The time of D may be anything; what counts is the communication that it exposes.
        self.assertEqual(fred_tornado.judge("x", Played(1.09, 5.0, 0.98, form))[1], [])
        self.assertEqual(fred_tornado.judge("x", Played(1.11, 5.0, 0.96, form))[1],
                         ["x, mesh: 1.1100 ms, closed form 1.0000", "x, D: 0.9600 ms exposed, closed form 1.0000"])
        self.assertEqual(fred_tornado.judge("x", Played(1.11, 5.0, 0.96, {}))[1], [])

    def test_rows_are_sorted_by_width(self):
        choices = [fred_tornado.Choice(name, (Side("low"), Side("high"))) for name in ("narrow", "wide")]
        played = {("narrow", "low"): Played(1.9, 1, 1, {}), ("narrow", "high"): Played(2.0, 1, 1, {}),
                  ("wide", "low"): Played(1.0, 1, 1, {"mesh": 1.04}), ("wide", "high"): Played(3.0, 1, 1, {"mesh": 2.0})}
        rows, bars, faults = fred_tornado.table(choices, played, Played(2.1, 1, 1, {}))
        # The speed-up as configured is 2.1, and widens what goes from 1.9 to 2.0.
        self.assertEqual([(row[0], row[9]) for row in rows], [("as configured", "0.000"), ("wide", "2.000"), ("narrow", "0.200")])
        self.assertEqual([row[10:] for row in rows], [["", ""], ["+50.0 %", ""], ["", ""]])
        self.assertEqual(bars[1], ("narrow", ("low", 1.9), ("high", 2.0)))
        self.assertEqual(faults, ["wide high, mesh: 3.0000 ms, closed form 2.0000"])

    def test_choices_name_known_keys_and_change_something(self):
        with open(os.path.join(ROOT, "docs", "config.md")) as file:
            known = set(re.findall(r"^\| `([^`]+)`", file.read(), re.M))
        for choice in fred_tornado.CHOICES:
            self.assertEqual(len(choice.sides), 2)
            for side in choice.sides:
                self.assertTrue(side.d or side.mesh or side.rate != 1)
                for key in [*side.d, *side.mesh]:
                    self.assertIn(re.sub(r"\[\d\]", "[i]", key), known)


class Choices(unittest.TestCase):
    def test_zero2_by_hand(self):
        # A reduce-scatter and an all-gather take 1.95 times as long in the switches, and as long as an all-reduce on the mesh.
        bars, base, rate = fred_choices.bars("ResNet-152")
        zero2 = next(bar for bar in bars if bar[0] == "gradients")
        self.assertAlmostEqual(base, 1.76)
        self.assertEqual((zero2[1][0], zero2[2][0]), ("zero2", "as given"))
        self.assertAlmostEqual(zero2[1][1], 0.2602 / (0.1077 + 1.95 * 0.0401), delta=0.002)

    def test_bars_are_sorted_and_have_the_choice_of_the_workload(self):
        for name in ("GPT-3", "Transformer-17B"):
            bars, _, _ = fred_choices.bars(name)
            widths = [high - low for _, (_, low), (_, high) in bars]
            self.assertEqual(widths, sorted(widths, reverse=True))
            self.assertEqual(any(bar[0] == "streams go to" for bar in bars), name == "GPT-3")


if __name__ == "__main__":
    unittest.main()
