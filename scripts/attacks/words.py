# SPDX-License-Identifier: Apache-2.0
"""Command lines: options left out, doubled, out of range, and words that mean nothing."""
import sources
import traces

WEIGHT = 30
# Every command that neither builds RTL nor runs for long, with numbers (#) and words (@) open. All files are copies: an
# --out that gets before one of them must not reach the checkout.
LINES = ["check x.yaml", "check x.yaml --set fabric.size=[#,#]", "check x.yaml --set @=@", "check x.yaml --set seed=#", "schema", "schema --markdown",
         "trace info t", "trace show t --rank #", "trace check t --groups @", "program check --algorithm @ --ranks #",
         "program check --algorithm ring --ranks 4 --root #", "program show --algorithm ring --ranks 4 --rank #", "program export --kind @ --ranks 4",
         "program check --algorithm hierarchical_2d --ranks 6 --mesh # #", "query . links --limit #", "query @", "report @ --out r.html",
         "waves list @", "waves diff @ @", "route x.yaml", "cosim --list", "cosim --block @ --cycles #", "cosim --block @ --cycles 10 --seed #",
         "version", "@", "run @ --out o", "check @", "advise reduce x.yaml --p # --b #", "sweep x.yaml --set seed=[] --out o",
         "sweep x.yaml --set absent=#:#:# --out o", "trace gen @ --out o/t", "rtl --list @",
         "trace gen moe --layers # --d-model 64 --d-ff 64 --seq 8 --batch 4 --npus 4 --experts 4 --top-k # --out o/t"]


def attack(case):
    draw = case.draw
    case.write("x.yaml", sources.config_texts()["booksim-ref4.yaml"])
    traces.write_trace(case, *traces.sound(draw, 2))
    words = []
    for word in draw.choice(LINES).split(" "):
        while "#" in word:
            word = word.replace("#", draw.choice([str(draw.number()), str(draw.randint(0, 9)), "1e3", "-1", "0x10", "x", "1.5"]), 1)
        while "@" in word:
            word = word.replace("@", draw.word().replace("\0", "").replace("@", "").replace("/dev/zero", "zero").replace("/", "_"), 1)
        words.append(word.encode("utf-8", "replace").decode())
    for _ in range(draw.choice([0, 0, 1, 2])):
        at = draw.randrange(len(words) + 1)
        kind = draw.randrange(3)
        if kind == 0 and at < len(words):
            del words[at]
        elif kind == 1:
            words.insert(at, draw.choice(["--quiet", "--help", "--", "-", "-x", "--jobs", "--out", "", "--set", "a=b"]))
        elif at < len(words):
            words.insert(at, words[at])
    case.call(*(words or [""]), cpu_s=60)
