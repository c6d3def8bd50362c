# SPDX-License-Identifier: Apache-2.0
"""This module gives the time per byte of phases, transfers and streams on the mesh and on FRED-A to D, from bandwidths alone.

The source is "FRED: A Wafer-scale Fabric for 3D Parallel DNN Training" (ISCA 2025, arXiv 2406.19580v2), called the paper
below. Rates are in B/s and times per byte in s/B, so that 1e12 times a time per byte is in s x TB/s. No latency, no header
and no filling of a pipeline counts. A phase is one collective in all groups of a kind at the same time.
"""
import dataclasses
import functools

COLUMNS, ROWS = 5, 4
NPUS = COLUMNS * ROWS
PORT = 3000e9  # The paper gives each NPU 3 TB/s into the fabric and 3 TB/s out of it.
LINK = 750e9  # The paper gives each link of the mesh 750 GB/s in each direction.
GROUP = 4  # An L1 switch of FRED has four NPUs.
CONTROLLERS = 18
LINE = 128e9  # The paper gives each of the 18 I/O controllers 128 GB/s.
CONTROLLERS_OF_L1 = (4, 4, 4, 3, 3)  # The 18 controllers are spread over the five L1 switches.


@dataclasses.dataclass(frozen=True)
class Fabric:
    name: str
    trunk: float = 0.0  # This is what an L1 switch has to L2 and from it; the mesh has none.
    in_switch: bool = False

    @property
    def mesh(self):
        return not self.trunk


# The paper's table of variants gives trunks and says where collectives are carried out in the switches.
FABRICS = {fabric.name: fabric for fabric in (
    Fabric("mesh"), Fabric("A", 1500e9), Fabric("B", 1500e9, True), Fabric("C", 12000e9), Fabric("D", 12000e9, True))}


@dataclasses.dataclass(frozen=True)
class Strategy:
    """It says how ranks are split. A rank is mp + MP (pp + PP dp), as the paper places MP first, then PP, then DP."""
    mp: int
    dp: int
    pp: int

    @property
    def ranks(self):
        return self.mp * self.dp * self.pp

    def rank(self, mp, pp, dp):
        return mp + self.mp * (pp + self.pp * dp)

    def groups(self, kind):
        """The ranks of a group share the other two coordinates; `kind` is mp, pp or dp."""
        mps, pps, dps = range(self.mp), range(self.pp), range(self.dp)
        if kind == "mp":
            return [[self.rank(m, p, d) for m in mps] for d in dps for p in pps]
        if kind == "pp":
            return [[self.rank(m, p, d) for p in pps] for d in dps for m in mps]
        return [[self.rank(m, p, d) for d in dps] for p in pps for m in mps]

    def __str__(self):
        return f"MP{self.mp}-DP{self.dp}-PP{self.pp}"


def snake(rank, length):
    """It returns the line of a rank and the position there, where lines are gone through to and fro."""
    line, position = divmod(rank, length)
    return line, position if line % 2 == 0 else length - 1 - position


# Each placement gives the mesh's (column, row) of rank 0, 1, ...
PLACEMENTS = {
    "columns": [(rank // ROWS, rank % ROWS) for rank in range(NPUS)],
    "rows": [(rank % COLUMNS, rank // COLUMNS) for rank in range(NPUS)],
    "snake-columns": [snake(rank, ROWS) for rank in range(NPUS)],
    "snake-rows": [snake(rank, COLUMNS)[::-1] for rank in range(NPUS)],
    # A random search over placements of MP3-DP3-PP2 found this one, in which no link carries two flows of the MP or DP
    # phase. The paper's 750 GB/s per NPU need such a placement.
    "searched": [(4, 1), (0, 2), (2, 3), (2, 2), (0, 3), (0, 0), (3, 3), (1, 3), (2, 0), (4, 2), (3, 1), (3, 0), (4, 0),
                 (1, 1), (2, 1), (0, 1), (1, 2), (1, 0), (3, 2), (4, 3)],
}


def route(source, target, x_first=True):
    """It returns the directed links that a dimension-order route between two (column, row) takes."""
    links, at = [], list(source)
    for dimension in (0, 1) if x_first else (1, 0):
        while at[dimension] != target[dimension]:
            before = tuple(at)
            at[dimension] += 1 if target[dimension] > at[dimension] else -1
            links.append((before, tuple(at)))
    return links


def busiest(flows):
    """It counts the flows on the busiest link when each (source, target) goes X first, as on the mesh of the paper."""
    load = {}
    for source, target in flows:
        for link in route(source, target):
            load[link] = load.get(link, 0) + 1
    return max(load.values(), default=0)


def ring_orders(points):
    """A ring may pass its members in the order of the ranks, nearest member next, or out over the even members and back
    over the odd ones, and in each of these orders backwards."""
    nearest, left = [points[0]], points[1:]
    while left:
        at = nearest[-1]
        nearest.append(min(left, key=lambda point: abs(point[0] - at[0]) + abs(point[1] - at[1])))
        left = [point for point in left if point != nearest[-1]]
    orders = [points, nearest, points[::2] + points[1::2][::-1]]
    return orders + [order[::-1] for order in orders]


@functools.lru_cache(None)
def ring_flows(strategy, kind, placement):
    """It counts the flows on the busiest link when every group of a phase is a logical ring whose members send to their
    successors. All groups take the one order of ring_orders() that gives the fewest."""
    groups = [[PLACEMENTS[placement][rank] for rank in group] for group in strategy.groups(kind)]
    rings = zip(*(ring_orders(points) for points in groups))
    return min(busiest((a, b) for ring in choice for a, b in zip(ring, ring[1:] + ring[:1])) for choice in rings)


def members_of_l1(group):
    """It returns {L1 switch: number of members there}, as FRED has rank r at NPU r."""
    count = {}
    for rank in group:
        count[rank // GROUP] = count.get(rank // GROUP, 0) + 1
    return count


def trunk_load(groups, in_switch):
    """It returns what the busiest trunk carries in each direction in an all-reduce of all groups, per byte of data."""
    load = {}
    for group in groups:
        count = members_of_l1(group)
        if len(count) == 1:
            continue  # A group on one L1 switch does not use its trunk.
        if in_switch:
            # A switch sends one sum of D bytes up and gets the result of D bytes, however many members it has.
            crossing = 1
        elif len(set(count.values())) == 1:
            # In the two-level ring each of the k members on a switch all-reduces D/k over the g switches, and k times
            # 2 (g-1)/g D/k crosses the trunk.
            crossing = 2 * (len(count) - 1) / len(count)
        else:
            # Unequal numbers of members allow no second level, and one flow of the flat ring enters and leaves a switch.
            crossing = 2 * (len(group) - 1) / len(group)
        for switch in count:
            load[switch] = load.get(switch, 0) + crossing
    return max(load.values(), default=0)


def mesh_wafer_wide():
    """A corner NPU has two links and must send 2 (N-1)/N of the data over them; the hierarchical 2D all-reduce of two
    chunks in opposite order reaches this where the chunks balance x and y (11/24 and 13/24 of the data on 5x4)."""
    return 2 * (NPUS - 1) / NPUS / (2 * LINK)


@functools.lru_cache(None)
def all_reduce(fabric, strategy, kind, placement="columns", stages=None):
    """It returns the time of an all-reduce in all groups of a kind at once, per byte of one group's data. With `stages` it is that of DP groups
    of so many pipeline stages, the first ones; on the mesh it stays that of all."""
    groups = strategy.groups(kind)[:None if stages is None else strategy.mp * stages]
    n = len(groups[0])
    if n == 1:
        return 0.0
    if fabric.mesh:
        if n == NPUS:
            return mesh_wafer_wide()
        # A ring sends 2 (n-1)/n of the data over each of its steps, and a flow gets its share of the busiest link.
        return 2 * (n - 1) / n * ring_flows(strategy, kind, placement) / LINK
    # In the switches an NPU sends D and receives D; at the endpoints it sends 2 (n-1)/n D, in two levels or in one.
    port = 1 if fabric.in_switch else 2 * (n - 1) / n
    return max(port / PORT, trunk_load(groups, fabric.in_switch) / fabric.trunk)


def reduce_scatter(fabric, strategy, kind, placement="columns", stages=None):
    """It returns the time per byte of the whole data. At the endpoints a reduce-scatter is half of an all-reduce. In the
    switches it is n serial reductions of D/n to one member each, in which every member sends D, so that it takes as long
    as an all-reduce (paper, section on flows)."""
    whole = all_reduce(fabric, strategy, kind, placement, stages)
    return whole if fabric.in_switch else whole / 2


def all_gather(fabric, strategy, kind, placement="columns", stages=None):
    """It returns the time per byte of the whole data. At the endpoints an all-gather is half of an all-reduce. In the
    switches it is n serial multicasts of D/n, in which every member receives what the n - 1 others send (same section)."""
    if not fabric.in_switch:
        return all_reduce(fabric, strategy, kind, placement, stages) / 2
    groups = strategy.groups(kind)
    n, load = len(groups[0]), {}
    for group in groups:
        count = members_of_l1(group)
        for switch, here in count.items():
            # A trunk brings down the shares of members elsewhere and takes up those of members here.
            load[switch] = load.get(switch, 0) + (max(n - here, here) / n if len(count) > 1 else 0)
    return max((n - 1) / n / PORT, max(load.values()) / fabric.trunk)


def point_to_point(fabric, strategy, placement="columns"):
    """It returns the time per byte when every stage but the last sends to the next one at the same time, or every stage
    but the first sends back to the one before. Sender and receiver have the same coordinates of MP and DP."""
    flows = [(a, b) for group in strategy.groups("pp") for a, b in zip(group, group[1:])]
    if not flows:
        return 0.0
    if fabric.mesh:
        at = PLACEMENTS[placement]
        # X first takes other links on the way back, and the slower direction stands for both.
        return max(busiest((at[a], at[b]) for a, b in flows), busiest((at[b], at[a]) for a, b in flows)) / LINK
    up, down = {}, {}  # The way back exchanges them.
    for a, b in flows:
        if a // GROUP != b // GROUP:
            up[a // GROUP] = up.get(a // GROUP, 0) + 1
            down[b // GROUP] = down.get(b // GROUP, 0) + 1
    return max(1 / PORT, max([*up.values(), *down.values(), 0]) / fabric.trunk)


def controllers():
    """Each controller is (NPU at the border, whether its stream goes X first); 5 + 5 are at top and bottom, 4 + 4 left and right."""
    return ([((x, y), False) for y in (0, ROWS - 1) for x in range(COLUMNS)]
            + [((x, y), True) for x in (0, COLUMNS - 1) for y in range(ROWS)])


def streams_on_busiest_link(sets, straight=True):
    """It counts the streams on the busiest link of the mesh when each controller multicasts to each set of NPUs for an
    equal part of the time, along the tree of its dimension-order routes. `straight` sends streams straight in from their
    edge before they spread, which gives the paper's 2N - 1 = 9 for one set of all NPUs; else all go X first, which gives 11."""
    load = {}
    for targets in sets:
        for source, x_first in controllers():
            for link in {link for target in targets for link in route(source, target, x_first or not straight)}:
                load[link] = load.get(link, 0) + 1 / len(sets)
    return max(load.values())


@functools.lru_cache(None)
def stream_share(fabric, sets, routing="straight", placement="columns"):
    """It returns the share of their line rate that all streams get when they go to each of the `sets` of ranks for an
    equal part of the time, evenly mixed. The paper's hot spot has one set of all ranks."""
    if fabric.mesh:
        at = PLACEMENTS[placement]
        streams = streams_on_busiest_link([[at[rank] for rank in ranks] for ranks in sets], routing == "straight")
        return min(1.0, LINK / streams / LINE)  # Each of the streams on the busiest link gets an equal part of it.
    share = 1.0
    for switch, own in enumerate(CONTROLLERS_OF_L1):
        # The trunk of an L1 switch brings the streams of all other controllers while they go to a set with members there.
        reached = sum(any(rank // GROUP == switch for rank in ranks) for ranks in sets) / len(sets)
        share = min(share, fabric.trunk / max(1.0, (CONTROLLERS - own) * reached * LINE))
    return share


def everyone():
    """Every stream goes to all NPUs."""
    return (tuple(range(NPUS)),)


def replicas(strategy):
    """Every DP group holds other weights, and a stream goes to the one that needs it."""
    return tuple(tuple(group) for group in strategy.groups("dp"))


def each_alone(ranks):
    """Every NPU gets data of its own."""
    return tuple((rank,) for rank in range(ranks))


def controllers_time(share):
    """It returns the time per byte when each byte crosses one of the 18 controllers once."""
    return 1 / (CONTROLLERS * LINE * share)


def shares_on_trunk(fabric):
    """It returns the time of the busiest trunk, per byte of all shares, when each NPU gets an equal share over all controllers, or sends it. One
    direction carries the shares of the NPUs of an L1 switch over controllers elsewhere, the other one those of NPUs elsewhere over its controllers."""
    ways = [((CONTROLLERS - own) * GROUP, own * (NPUS - GROUP)) for own in CONTROLLERS_OF_L1]
    return max(map(max, ways)) / (CONTROLLERS * NPUS) / fabric.trunk


def shards_out(fabric, strategy, routing="straight", placement="columns"):
    """It returns the time per byte of gradients that endpoints reduce. The reduce-scatter over the replicas and the way of
    each NPU's shard over the controllers go on at the same time, and the slower one decides. Each of the MP x PP groups
    reduces its own part of the bytes. Links that both use are not counted twice, so that this is a lower bound."""
    scattered = reduce_scatter(fabric, strategy, "dp", placement) / (strategy.mp * strategy.pp)
    return max(scattered, controllers_time(stream_share(fabric, each_alone(strategy.ranks), routing, placement)))
