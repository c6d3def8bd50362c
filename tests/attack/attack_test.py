# SPDX-License-Identifier: Apache-2.0
"""The rules of scripts/attack find what they are there for, and the same class and seed make the same input."""
import hashlib
import os
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
WEFT = os.environ.get("WEFT", os.path.join(ROOT, "build/release/weft"))
sys.path.insert(0, os.path.join(ROOT, "scripts", "attacks"))

import attack  # noqa: E402
import case as case_module  # noqa: E402
import judge  # noqa: E402
import served  # noqa: E402


def result(status=0, out="fine\n", err="", signal=0, killed="", args=("check", "x.yaml")):
    return served.Result(list(args), status, signal, killed, 0.1, 0.1, 10.0, out, err, True)


class Endings(unittest.TestCase):
    def found(self, **how):
        return judge.of_ending(result(**how))

    def test_legal_endings(self):
        self.assertEqual(self.found(), [])
        self.assertEqual(self.found(status=2, err="weft: error: x.yaml:3:5: unknown key 'a'\n"), [])
        self.assertEqual(self.found(status=2, err="weft: error: --set a=b: unknown key\n"), [])
        self.assertEqual(self.found(status=3, err="weft: error: deadlock: 3 flits\n"), [])

    def test_crashes(self):
        self.assertIn("signal 11", self.found(status=-1, signal=11)[0])
        self.assertIn("limit passed: cpu", self.found(status=-1, signal=9, killed="cpu")[0])
        self.assertIn("heap-use-after-free", self.found(status=99, err="==1==ERROR: AddressSanitizer: heap-use-after-free on")[0])
        self.assertIn("signed integer overflow", self.found(status=99, err="a.cpp:1:2: runtime error: signed integer overflow: 1")[0])

    def test_statuses(self):
        self.assertIn("exit status 1", self.found(status=1, err="weft: error: out of memory\n")[0])
        self.assertIn("without a word", self.found(status=4, out="", err="")[0])

    def test_words(self):
        self.assertIn("without a place", self.found(status=2, err="weft: error: that is wrong\n")[0])
        self.assertIn("words of a library", self.found(status=2, err="weft: error: a.yaml:1:1: [json.exception.type_error.316] x\n")[0])


class Results(unittest.TestCase):
    GOOD = {"summary.json": '{"finished": true, "saturated": false, "ranks": [{"finished": true}], "x": 1.5}\n', "config.resolved.yaml": "name: x\n",
            "links.csv": "link,utilisation\na,1\n", "nodes.csv": "node,packets_sent,packets_received,flits_sent,flits_received\n0,2,1,4,2\n1,0,1,0,2\n",
            "collectives.csv": "name,finished\nc,true\n"}

    def found(self, status=0, conserved=True, **changes):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**self.GOOD, **{key.replace("__", "."): value for key, value in changes.items()}}.items():
                if text is not None:
                    with open(os.path.join(folder, name), "w", encoding="latin-1") as file:
                        file.write(text)
            return "; ".join(judge.of_results(folder, status, conserved))

    def test_good_results(self):
        self.assertEqual(self.found(), "")

    def test_lost_or_torn(self):
        self.assertIn("summary.json", self.found(summary__json=None))
        self.assertIn("summary.json", self.found(summary__json='{"finished": tr'))
        self.assertIn("summary.json", self.found(summary__json='{"name": "\xff"}'))
        self.assertIn("no links.csv", self.found(links__csv=None))
        self.assertIn("torn", self.found(links__csv="link,utilisation\na,1\nb,0."))
        self.assertIn("unlike lengths", self.found(links__csv="link,utilisation\na\n"))
        self.assertIn(".part", self.found(links__csv__part="x"))
        self.assertIn("log.sqlite", self.found(log__sqlite="no database, and long enough to be taken for none" * 50))
        self.assertIn("timeline.json", self.found(timeline__json="["))

    def test_figures(self):
        self.assertIn("utilisation above 1: 1.25", self.found(links__csv="link,utilisation\na,1.25\n"))
        self.assertIn("no number", self.found(links__csv="link,utilisation\na,nan\n"))
        self.assertIn("not finite", self.found(summary__json='{"finished": true, "saturated": false, "x": Infinity}'))
        self.assertIn("formula", self.found(collectives__csv="name,finished\n=1+1,true\n"))
        lost = "node,packets_sent,packets_received,flits_sent,flits_received\n0,2,1,4,4\n"
        self.assertIn("packets not conserved: 2 sent, 1 received", self.found(nodes__csv=lost))
        self.assertEqual(self.found(conserved=False, nodes__csv=lost), "")
        self.assertEqual(self.found(nodes__csv=lost, collectives__csv="name,finished\n"), "")

    def test_ends_that_contradict(self):
        unfinished = '{"finished": false, "saturated": false}'
        self.assertIn("says not finished", self.found(summary__json=unfinished))
        self.assertEqual(self.found(status=4, summary__json=unfinished), "")
        self.assertIn("the exit status is 3", self.found(status=3))
        self.assertIn("a collective is not", self.found(collectives__csv="name,finished\nc,false\n"))
        self.assertIn("a rank is not", self.found(summary__json='{"finished": true, "saturated": false, "ranks": [{"finished": false}]}'))


class Recorder:
    """Takes the place of the server: plays nothing, keeps the command lines."""

    def __init__(self):
        self.lines = []

    def run(self, args, folder, **limits):
        self.lines.append(args)
        return result(status=2, err="weft: error: x.yaml:1:1: no\n")


def digest_of(folder):
    found = hashlib.sha256()
    for at, folders, files in sorted(os.walk(folder)):
        for name in sorted(folders + files):
            path = os.path.join(at, name)
            found.update(name.encode())
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    found.update(file.read())
    return found.hexdigest()


class Inputs(unittest.TestCase):
    """Needs the program for `weft schema` and exported programs."""

    def made(self, name, seed):
        with tempfile.TemporaryDirectory() as folder:
            recorder = Recorder()
            case = case_module.Case(name, seed, os.path.join(folder, "c"), attack.Tools(WEFT, recorder, False, "", folder))
            attack.CLASSES[name].attack(case)
            return digest_of(case.folder), recorder.lines

    def test_class_and_seed_make_the_input(self):
        for name in ["yaml", "traces", "programs", "side_files", "words", "configs"]:
            inputs = [self.made(name, seed) for seed in range(20)]
            self.assertEqual(inputs, [self.made(name, seed) for seed in range(20)], name)
            self.assertGreater(len({str(made) for made in inputs}), 15, name)

    def test_findings_are_kept_with_their_command(self):
        with tempfile.TemporaryDirectory() as folder:
            attack.TOOLS = attack.Tools(WEFT, Recorder(), False, "", folder)
            attack.TOOLS.server.run = lambda args, at, **limits: result(args=args, status=1, err="weft: error: vector::_M_range_check\n")
            outcome = attack.one(("yaml", 3, os.path.join(folder, "findings")))
            self.assertIn("exit status 1", outcome.findings[0])
            with open(os.path.join(folder, "findings", "yaml-3", "FINDING"), encoding="utf-8") as file:
                text = file.read()
            self.assertIn("scripts/attack --repeat yaml:3", text)
            self.assertIn("weft check x.yaml", text)
            self.assertTrue(os.path.exists(os.path.join(folder, "findings", "yaml-3", "x.yaml")))

    def test_plan_gives_every_class_its_share(self):
        options = attack.argparse.Namespace(classes=list(attack.CLASSES), inputs=100_000, seed=5, findings="")
        counts = attack.plan(options)
        self.assertEqual(sum(counts.values()), 100_000)
        self.assertGreater(min(counts.values()), 100)
        tasks = attack.tasks_of(options, counts)
        self.assertEqual(len({(name, seed) for name, seed, _ in tasks}), 100_000)
        self.assertEqual(min(seed for _, seed, _ in tasks), 5)


if __name__ == "__main__":
    unittest.main()
