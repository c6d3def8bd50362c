# SPDX-License-Identifier: Apache-2.0
"""What a difference between Weft's and ASTRA-sim's time is put down to, and the figure that confirms it. Nothing is taken as explained
because of its kind: each reason is another time that Weft's must meet."""
import concurrent.futures
import dataclasses

import astrasim_model
import astrasim_runs

NAMED = 0.05  # a row further apart needs a reason, and the reason's own figure must be as close as this
SAME_MODEL = 0.001  # the model under ASTRA-sim's assumptions must give ASTRA-sim's time
MOVES = 0.01  # an assumption is named where it moves the model by more
# The formula of these two rows is not known, their difference from the model is 1 and 2 %.
OTHER_FORMULA = {("Ring", "direct", npus, "all_reduce", 16 << 20, 4, 1, "unaware") for npus in (4, 8)}


@dataclasses.dataclass(frozen=True)
class Verdict:
    good: bool
    reason: str = ""
    check: float = 0.0  # difference from the time that confirms the reason

    def text(self):
        if not self.good:
            return f"unexplained {self.reason}".strip()
        return f"{self.reason}: {100 * self.check:+.2f} %" if self.reason else ""


def near(ours, other):
    return abs(ours / other - 1) <= NAMED


def by_runs(key, backend, ours, theirs, in_turn):
    """A verdict by runs alone, or none. `theirs`: {backend: ns}; `in_turn`: time with messages in turn, or None."""
    if near(ours, theirs[backend]):
        return Verdict(True)
    if key.active == 1:
        return None
    if backend == "unaware" and near(ours, theirs["aware"]):
        return Verdict(True, "contention", ours / theirs["aware"] - 1)
    if in_turn and near(in_turn, theirs["aware"]):
        return Verdict(True, "in turn" if backend == "aware" else "contention, in turn", in_turn / theirs["aware"] - 1)
    return None


def changes(key, backend):
    """[(name, rules)]: from ASTRA-sim's assumptions to Weft's, one more at a time."""
    packet, flit = astrasim_runs.packet_and_flit(key)
    rules = astrasim_model.Rules(packet=packet, flit=flit)
    steps = [("shared links" if backend == "unaware" else "cut-through", rules)]
    def add(name, **values):
        steps.append((name, dataclasses.replace(steps[-1][1], **values)))
    if key.topology == "Ring" and key.algorithm != "ring":
        add("both ways", coin=1)
        add("shared VCs", lanes=astrasim_runs.RING_VCS)
    if key.algorithm == "halvingDoubling":
        if key.topology == "Ring" and key.kind != "all_reduce":
            add("other partners", far_first=True)
        if key.kind != "all_gather":
            add("first reduction", first_reduced=True)
    return steps


def model_times(key, backends):
    """For each backend the model's time under ASTRA-sim's assumptions, its time under Weft's, and what moves it in between."""
    found = []
    for backend in backends:
        first = last = astrasim_model.time_of(*key, astrasim_model.AWARE if backend == "aware" else astrasim_model.UNAWARE)
        names = []
        for name, rules in changes(key, backend):
            time = astrasim_model.time_of(*key, rules)
            if abs(time / last - 1) > MOVES:
                names.append(name)
            last = time
        found.append((first, last, names))
    return found


def by_model(key, backend, ours, theirs, model):
    first, last, names = model
    known = (*key, backend) in OTHER_FORMULA
    if not known and abs(first / theirs - 1) > SAME_MODEL:
        return Verdict(False, f"(the model has {first:.0f} instead of {theirs:.0f})")
    if not near(ours, last) or not names:
        return Verdict(False, f"(the model expects {last:.0f})")
    return Verdict(True, ", ".join(names), ours / last - 1)


def judge(options, rows, times, theirs):
    """{(key, backend): Verdict} of all `rows`."""
    apart = {key for key, backend in rows if not near(times[key], theirs[key][backend])}
    again = [key for key in apart if key.active > 1 and key.topology != "Switch"]  # no message waits for a whole one at a switch
    in_turn = astrasim_runs.times_of(options, again, "astrasim, in turn", astrasim_runs.in_turn_sets)
    verdicts = {(key, backend): by_runs(key, backend, times[key], theirs[key], in_turn.get(key)) for key, backend in rows}
    backends = {}  # by key, of the rows that no run has explained
    for (key, backend), verdict in verdicts.items():
        if verdict is None:
            backends.setdefault(key, []).append(backend)
    # All models of a key go to one process, which keeps the times that its backends have in common.
    keys = sorted(backends, key=lambda key: -key.npus * key.size)
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        models = pool.map(model_times, keys, [backends[key] for key in keys])
        for key, found in zip(keys, models):
            for backend, model in zip(backends[key], found):
                verdicts[key, backend] = by_model(key, backend, times[key], theirs[key][backend], model)
    return verdicts
