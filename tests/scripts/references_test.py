# SPDX-License-Identifier: Apache-2.0
"""What scripts/reproduce all reads out of the tables of other comparisons, by tables that are written here."""
import os
import sys
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path[:0] = [os.path.join(ROOT, "scripts", "reproduction"), os.path.join(ROOT, "scripts", "validation")]

import references  # noqa: E402
from references import Part, differences, row_of  # noqa: E402

BOUNDS = """3 of 3 judged rows are within their bound.

| curve | rate | Weft | difference | spread | bound |      |
| ----- | ---: | ---: | ---------: | -----: | ----: | ---- |
| a     |  0.1 |   27 |    +0.50 % |   0.12 |   1 % |      |
| b     |  0.2 |   30 |   -11.00 % |   0.12 |       |      |
| c     |  0.2 |   30 |    -4.00 % |   0.12 |   5 % | hops |

Text between tables.

| curve | Weft | difference |   bound |
| ----- | ---: | ---------: | ------: |
| d     |    2 |    +1.25 % | -2..3 % |
"""
REASONS = """2 rows are judged: 1 is close.

| NPUs | Weft | unaware | difference | reason              | aware | difference | reason |
| ---: | ---: | ------: | ---------: | ------------------- | ----: | ---------: | ------ |
|    4 |  100 |      50 | +100.00 %  | contention: -3.28 % |   101 |    -1.00 % |        |

| NPUs | unaware | difference |
| ---: | ------: | ---------: |
|    8 |      50 |  +100.00 % |
"""
FORMS = """
| fabric |  total |   form | difference | speed-up | paper | difference | D, from the form |
| ------ | -----: | -----: | ---------: | -------: | ----: | ---------: | ---------------: |
| A      | 0.2617 | 0.2541 |     +3.0 % |    1.119 |  1.20 |     -6.8 % |           +9.9 % |

| workload | speed-up | distance |  bound |
| -------- | -------: | -------: | -----: |
| x        |     1.76 |   +0.1 % | fitted |
| y        |     1.35 |   -4.3 % |   10 % |
"""


def part(stated=""):
    return Part("x", "X", (), (), stated)


class Tables(unittest.TestCase):
    def test_only_rows_with_a_bound_count(self):
        self.assertEqual(differences(BOUNDS), [(0.5, "a 0.1"), (-4.0, "c 0.2"), (1.25, "d")])

    def test_a_confirmed_reason_counts_instead_of_the_difference(self):
        self.assertEqual(differences(REASONS), [(-3.28, "4"), (-1.0, "4")])

    def test_an_unexplained_difference_counts_itself(self):
        self.assertEqual(differences(REASONS.replace("contention: -3.28 %", "unexplained"))[0], (100.0, "4"))

    def test_forms_count_and_what_is_fitted_or_only_beside_the_paper_does_not(self):
        self.assertEqual(differences(FORMS), [(3.0, "A"), (9.9, "A"), (-4.3, "y")])


class Verdicts(unittest.TestCase):
    def test_worst_of_either_sign(self):
        self.assertEqual(row_of(part(), 0, BOUNDS), (["X", 3, "-4.00 %", "c 0.2", "within its bounds"], True))

    def test_exit_status_is_the_verdict(self):
        self.assertEqual([row_of(part(), status, BOUNDS)[1] for status in (0, 1, 2)], [True, False, False])
        self.assertEqual(row_of(part(), 1, BOUNDS)[0][4], "outside its bounds")
        self.assertEqual(row_of(part(), 2, "")[0][4], "did not run, exit status 2")

    def test_rows_that_are_not_read_are_told(self):
        stated = part(r"of (\d+) judged rows")
        self.assertTrue(row_of(stated, 0, BOUNDS)[1])
        row, good = row_of(stated, 0, BOUNDS.replace("+0.50 %", ""))
        self.assertEqual((row[4], good), ("within its bounds, but 2 rows were read of 3", False))
        self.assertFalse(row_of(stated, 0, BOUNDS.replace("judged", "other"))[1])
        self.assertEqual(row_of(part(), 0, "nothing"), (["X", 0, "", "", "within its bounds, but no difference was read"], False))

    def test_pages_have_as_many_judged_rows_as_they_say(self):
        with open(os.path.join(ROOT, "docs", "validation.md")) as file:
            page = file.read()
        for each in references.PARTS:
            if each.stated:
                text = page.split(f"<!-- begin {each.name} -->")[1].split(f"<!-- end {each.name} -->")[0]
                row, good = row_of(each, 0, text)
                self.assertTrue(good, row)


if __name__ == "__main__":
    unittest.main()
