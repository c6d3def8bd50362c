# SPDX-License-Identifier: Apache-2.0
"""This module plays ResNet-152 on the mesh and on FRED-D with each choice that the paper leaves open changed down and up."""
import dataclasses
import functools
import math
import os
import subprocess
import tempfile

import fred_iteration
import fred_simulated
import runs
from fred_fabric import FABRICS, PORT
from fred_workloads import BYTES

MESH_BOUND = 0.10  # of the closed form, for the time of each played iteration on the mesh
D_BOUND = 0.03  # of the closed form, for the exposed communication of each on D, so that computing does not hide a difference
STAGES = 7  # uSwitches one behind the other in a Fred_m(12)
REGISTERS = 3  # cycles of a link's round trip that are neither wire nor packet nor stages (docs/validation.md, buffers)


@dataclasses.dataclass(frozen=True)
class Machine:
    """What the closed form of an all-reduce in the switches of FRED-D takes from a configuration."""
    clock: float = 1171.875e6
    planes: int = 5
    flit: int = 512
    packet: int = 4096
    buffer: int = 65536  # bytes of a plane and traffic class
    latency: float = 20e-9  # of NPU links and trunks
    header: int = 6

    def round_trip(self):
        """It returns the cycles after which the room of a packet is used again on a link out of a switch."""
        return 2 * math.ceil(self.latency * self.clock - 1e-9) + self.packet // self.flit + REGISTERS + STAGES - 1

    def data_rate(self):
        """It returns the bytes per second of an NPU: those of its port but for headers, or what the buffers' credits let through."""
        by_port = PORT * self.packet / (self.packet + self.header)
        flits = self.buffer // self.packet * (self.packet // self.flit)
        by_credits = self.planes * self.flit * self.clock * flits / self.round_trip()
        return min(by_port, by_credits)


@dataclasses.dataclass(frozen=True)
class Side:
    """One change of a choice; without keys for a fabric that fabric stays as it is."""
    text: str
    d: dict = dataclasses.field(default_factory=dict)
    mesh: dict = dataclasses.field(default_factory=dict)
    machine: object = Machine()  # None where the closed form does not have the change.
    rate: float = 1.0  # times the compute rate
    mesh_form: bool = True  # The closed form of the mesh has the change, or it changes nothing there.


@dataclasses.dataclass(frozen=True)
class Choice:
    name: str
    sides: tuple
    quick: bool = False  # It is played with --quick, too.


def levels(key, value):
    return {f"fabric.levels[{level}].{key}": value for level in (0, 1)}


def links(nanoseconds):
    text = f"{nanoseconds} ns"
    return Side(text, {"fabric.levels[0].latency": text, "fabric.local.latency": text}, {"fabric.link.latency": text},
                Machine(latency=nanoseconds * 1e-9))


def buffers(kib):
    return Side(f"{kib} KiB", levels("buffer", f"{kib} KiB"), machine=Machine(buffer=kib * 1024))


def clock(text, d, mesh, machine):
    return Side(text, d, {"clock": mesh}, machine)


def planes(count, megahertz):
    return Side(str(count), {"clock": f"{megahertz} MHz", "fabric.levels[0].planes": count}, machine=Machine(planes=count, clock=megahertz * 1e6))


def errors(rate):
    return Side(f"{rate:.0e}".replace("e-0", "e-"), {"fabric.link_layer": "gbn", "fabric.bit_error_rate": rate})


def pieces(count):
    """Half of the pieces are under way at once on D, and all on the mesh, as with the 64 of the configurations."""
    return Side(str(count), {"workload.trace.active_chunks": count // 2, "workload.trace.chunks": count}, {"workload.trace.chunks": count},
                mesh_form=False)


CHOICES = [
    Choice("compute rate", (Side("half", rate=0.5), Side("double", rate=2.0))),
    # The paper's 24 KiB for each port are a packet in each of five planes, and 4 KiB are left over.
    Choice("buffers of FRED (64 KiB per plane)", (buffers(4), buffers(128)), True),
    Choice("buffers of FRED, near the round trip", (buffers(24), buffers(32))),
    Choice("buffers of the mesh (88 flits per VC)", (Side("44", mesh={"fabric.router.buffer_flits": 44}),
                                                      Side("176", mesh={"fabric.router.buffer_flits": 176}))),
    Choice("link latency (20 ns)", (links(10), links(40)), True),
    Choice("reconfiguration (1 cycle)", (Side("0", levels("reconfig_cycles", 0)), Side("100", levels("reconfig_cycles", 100)))),
    Choice("m (3)", (Side("2", {"fabric.m": 2}), Side("4", {"fabric.m": 4}))),
    Choice("clock (1171.875 and 976.5625 MHz)", (
        clock("half", {"clock": "585.9375 MHz", "fabric.flit_bytes": "1 KiB"}, "488.28125 MHz", Machine(clock=585.9375e6, flit=1024)),
        clock("double", {"clock": "2343.75 MHz"}, "1953.125 MHz", Machine(clock=2343.75e6)))),
    Choice("planes (5 of 600 GB/s)", (planes(3, 1953.125), planes(6, 976.5625))),
    Choice("header (6 B)", (Side("0 B", {"fabric.header": "0 B"}, machine=Machine(header=0)),
                            Side("64 B", {"fabric.header": "64 B"}, machine=Machine(header=64))), True),
    # In a switch that runs several phases at once, or a single flow to its end, no phase pre-empts another.
    Choice("pre-emption (one phase, pre-empted)", (Side("off, several phases", {"fabric.control": "several_phases"}),
                                                    Side("off, one flow", {"fabric.control": "one_tree"}, machine=None))),
    Choice("Go-Back-N (off), bit errors", (errors(1e-12), errors(1e-9)), True),
    Choice("cycles of an adder (1)", (Side("4", {"fabric.reduce_cycles": 4}, machine=None), Side("16", {"fabric.reduce_cycles": 16}, machine=None))),
    Choice("pieces of an all-reduce (64)", (pieces(16), pieces(32))),
]


@dataclasses.dataclass(frozen=True)
class Played:
    """The times of one side in ms; `form` has those of the closed form for the mesh and for what D exposes, where it has the change."""
    mesh: float
    d: float
    exposed: float  # on D
    form: dict

    @property
    def speed_up(self):
        return self.mesh / self.d


def form_times(workload, rate, side):
    """It returns {fabric: ms}: one iteration on the mesh, from bandwidths alone, and the exposed communication of D with its own rate of data."""
    mesh = fred_iteration.iteration(workload, FABRICS["mesh"], rate * side.rate)
    found = {"mesh": 1e3 * mesh.total} if side.mesh_form else {}
    if side.machine is not None:
        found["D"] = 1e3 * BYTES * workload.parameters / side.machine.data_rate()
    return found


def play_all(options, workload, rate, choices):
    """It returns ({(choice, side): Played}, Played of the configurations as they are)."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([options.weft, "trace", "gen", *workload.make, "--iterations", "1", "--out", os.path.join(folder, "t")],
                       check=True, stdout=subprocess.DEVNULL)
        def task(fabric, rate_of, more):
            return functools.partial(fred_simulated.play, options, workload, folder, 1, fabric, rate_of, more)
        sides = {None: Side(""), **{(choice.name, side.text): side for choice in choices for side in choice.sides}}
        tasks = {}  # An iteration that is that of the configuration as it is is played once.
        for side in sides.values():
            for fabric, more in (("mesh", side.mesh), ("D", side.d)):
                tasks[fabric, side.rate, str(more)] = task(fabric, rate * side.rate, more)
        found = dict(zip(tasks, runs.run_all(list(tasks.values()), options.jobs, "choices")))
    played = {}
    for key, side in sides.items():
        mesh, d = found["mesh", side.rate, str(side.mesh)], found["D", side.rate, str(side.d)]
        played[key] = Played(mesh.total, d.total, d.exposed, form_times(workload.form, rate, side))
    return played, played.pop(None)


def judge(name, played):
    """It returns ({fabric: difference from the closed form}, faults) of one Played."""
    off, faults = {}, []
    for fabric, bound, time in (("mesh", MESH_BOUND, played.mesh), ("D", D_BOUND, played.exposed)):
        if fabric not in played.form:
            continue
        off[fabric] = time / played.form[fabric] - 1
        if abs(off[fabric]) > bound:
            faults.append(f"{name}, {fabric}: {time:.4f} ms{' exposed' if fabric == 'D' else ''}, closed form {played.form[fabric]:.4f}")
    return off, faults


def furthest(offs):
    """It returns the cells of the differences of mesh and D that are furthest from their forms; a cell is empty without one."""
    cells = []
    for fabric in ("mesh", "D"):
        some = [off[fabric] for off in offs if fabric in off]
        cells.append(f"{100 * max(some, key=abs):+.1f} %" if some else "")
    return cells


def table(choices, played, base):
    """It returns (rows, sorted by the width of their speed-ups, bars of the picture, faults)."""
    off, faults = judge("as configured", base)
    first = ["as configured", "", f"{base.mesh:.4f}", f"{base.d:.4f}", f"{base.speed_up:.3f}", "", "", "", "", "0.000", *furthest([off])]
    found = []
    for choice in choices:
        pair = [played[choice.name, side.text] for side in choice.sides]
        speed_ups = [each.speed_up for each in pair]
        width = max(*speed_ups, base.speed_up) - min(*speed_ups, base.speed_up)
        cells, offs = [choice.name], []
        for side, each in zip(choice.sides, pair):
            cells += [side.text, f"{each.mesh:.4f}", f"{each.d:.4f}", f"{each.speed_up:.3f}"]
            off, wrong = judge(f"{choice.name} {side.text}", each)
            offs.append(off)
            faults += wrong
        found.append((width, [*cells, f"{width:.3f}", *furthest(offs)],
                      (choice.name, *((side.text, value) for side, value in zip(choice.sides, speed_ups)))))
    found.sort(key=lambda each: -each[0])
    return [first, *(row for _, row, _ in found)], [bar for _, _, bar in found], faults


def section(options, workload, rate):
    """It returns (text, faults, bars of the picture, speed-up as configured)."""
    choices = [choice for choice in CHOICES if choice.quick or not options.quick]
    rows, bars, faults = table(choices, *(found := play_all(options, workload, rate, choices)))
    titles = ["choice", "one way", "mesh ms", "D ms", "speed-up", "other way", "mesh ms", "D ms", "speed-up", "width", "mesh, from the form",
              "D exposed, from the form"]
    return "\n".join([
        f"### {workload.name}, played", "",
        f"One iteration at {rate / 1e15:.2f} PFLOP/s on the mesh and on FRED-D, flit by flit, with one choice changed at a time and all else as it is. "
        "The name of a choice has its value as configured in brackets. `width` is the range of the three speed-ups, by which the rows are sorted. The "
        "last two columns have the differences that are furthest from the closed form: those of the time on the mesh are judged by "
        f"{100 * MESH_BOUND:.0f} %, "
        f"those of what D exposes of its communication by {100 * D_BOUND:.0f} %. For the mesh that form has bandwidths alone; for D it has headers and the "
        "room of buffers over the round trip of a link, too. It does not have the control of one flow at a time and slower adders, so that D is not judged "
        "there, nor the filling of fewer and longer pieces, so that the mesh is not judged there. Buffers stay as they are when links get longer. The switches "
        "never hold two phases of this workload, so that nothing is pre-empted and hardly anything reconfigured. Workloads with MP, PP and DP at once "
        "are not played here.", "",
        runs.table(titles, rows)]), faults, bars, found[1].speed_up
