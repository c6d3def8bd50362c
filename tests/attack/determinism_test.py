# SPDX-License-Identifier: Apache-2.0
"""scripts/determinism on a few of its runs: this is the daily part of the table, and shows that a difference is found."""
import os
import subprocess
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
WEFT = os.environ.get("WEFT", os.path.join(ROOT, "build/release/weft"))


def table(*words):
    done = subprocess.run([os.path.join(ROOT, "scripts/determinism"), "--weft", WEFT, *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


class Determinism(unittest.TestCase):
    def test_surroundings_do_not_matter(self):
        for variant in ["repeat", "modules", "addresses", "malloc", "directory", "HOME"]:
            status, said = table("--only", "slow links", "--variants", variant)
            self.assertEqual(status, 0, said)
            self.assertIn("1 configurations, 2 runs, 0 differences", said)

    def test_a_difference_is_found_bad(self):
        status, said = table("--only", "torus", "--variants", "repeat", "--also", "repeat:seed=2")
        self.assertEqual(status, 1, said)
        self.assertIn("torus, repeat: config.resolved.yaml, latency.csv, link_windows.csv, links.csv, nodes.csv, summary.json", said)

    def test_a_run_that_fails_is_a_difference_bad(self):
        status, said = table("--only", "torus", "--variants", "repeat", "--also", "repeat:seed=x")
        self.assertEqual(status, 1, said)
        self.assertIn("exit status 2: weft: error: --set seed=x", said)

    def test_unknown_names_bad(self):
        for words in [["--only", "absent"], ["--also", "absent:seed=1"], ["--variants", "repeat", "--also", "threads 2:seed=1"]]:
            status, said = table(*words)
            self.assertEqual(status, 2, said)
            self.assertIn("known: ", said)


if __name__ == "__main__":
    unittest.main()
