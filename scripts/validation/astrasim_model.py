# SPDX-License-Identifier: Apache-2.0
"""A small model of collectives over links that serve one thing after the other, event by event. With whole messages it is ASTRA-sim's
congestion-aware backend, with links that are never busy its congestion-unaware one, with packets and flits a fabric like Weft's. All
of its numbers come from the parameters of the network, none from a run of Weft."""
import collections
import dataclasses
import functools
import heapq
import itertools
import random

BYTES_PER_NS = 50 * 1.073741824  # 50 GiB/s
LATENCY = 500  # ns per hop
ENDPOINT = 10  # ns at the start of a chunk and after each message
MANY = 64  # ranks, all of whose chunks last as long as the first one if one is active and all ranks do the same
MEMORY = 1600  # bytes per ns; a reduction reads two operands and writes one


@dataclasses.dataclass(frozen=True)
class Rules:
    """What a model assumes: `packet` 0 = links take whole messages, each stored before it goes on."""
    packet: int = 0  # bytes; packets of a node's messages take turns
    flit: int = 0  # bytes; a packet goes on after its first flit
    lanes: int = 0  # queues of a node, as VCs are, in which packets for different links hold up each other; 0 = they do not
    waits: bool = True  # a link carries one thing at a time
    coin: int = 0  # seed: a coin sends each packet for the opposite node of a ring in one of its directions; 0 = clockwise
    first_reduced: bool = False  # halving and doubling reduces what its first step brings
    far_first: bool = False  # halving and doubling exchanges the largest messages with the farthest partner


UNAWARE, AWARE = Rules(waits=False), Rules()


def reduction(size):
    return 3 * (size // MEMORY)


@dataclasses.dataclass(frozen=True)
class Phase:
    """Every rank sends `size` bytes to each of its peers; `reduce` ns pass after the last of as many has come."""
    peers: tuple  # steps forward, or one number to xor with
    size: int
    reduce: int
    xor: bool = False

    def targets(self, rank, ranks):
        return [rank ^ peer if self.xor else (rank + peer) % ranks for peer in self.peers]


def halving(kind, ranks, data, rules):
    steps = ranks.bit_length() - 1
    down, up = [], []
    for i in range(steps):
        mask = ranks >> (i + 1) if rules.far_first and kind != "all_reduce" else 1 << i
        size = data * ranks >> (i + 1) if kind == "all_gather" else data >> (i + 1)
        down.append(Phase((mask,), size, reduction(size) if i > 0 or rules.first_reduced else 0, True))
        up.insert(0, Phase((mask,), size, 0, True))
    return (down if kind != "all_gather" else []) + (up if kind != "reduce_scatter" else [])


def phases(algorithm, kind, ranks, data, rules):
    """The phases of one chunk of `data` bytes."""
    part = data if kind == "all_gather" else data // ranks
    if algorithm == "halvingDoubling":
        return halving(kind, ranks, data, rules)
    peers, count = ((1,), ranks - 1) if algorithm == "ring" else (tuple(range(1, ranks)), 1)
    if kind == "all_to_all" and algorithm == "ring":
        count = ranks * (ranks - 1) // 2  # what goes k nodes far goes k times to a neighbour
    reduced = [Phase(peers, part, reduction(part))] * count
    moved = [Phase(peers, part, 0)] * count
    return {"all_reduce": reduced + moved, "reduce_scatter": reduced}.get(kind, moved)


def ways(topology, ranks, source, target, rules):
    """The ways of a message, each a list of links."""
    if topology == "FullyConnected":
        return [[(source, target)]]
    if topology == "Switch":
        return [[("up", source), ("down", target)]]
    ahead = (target - source) % ranks
    clockwise = [("clockwise", (source + i) % ranks) for i in range(ahead)]
    back = [("back", (source - i) % ranks) for i in range(ranks - ahead)]
    if 2 * ahead == ranks and rules.coin:
        return [clockwise, back]
    return [clockwise if 2 * ahead <= ranks else back]


class Link:
    def __init__(self):
        self.busy = False
        self.own = collections.deque()  # [packets left, packet] of messages that begin here
        self.through = collections.deque()
        self.own_next = True  # own packets and those that come through take turns
        self.lane = 0  # the lane that is asked first

    def take_own(self):
        """The next packet; messages take turns."""
        entry = self.own.popleft()
        entry[0] -= 1
        if entry[0] > 0:
            self.own.append(entry)
        return entry[1]


class Lanes:
    """The queues of a node."""

    def __init__(self, count):
        self.queues = [collections.deque() for _ in range(count)]
        self.filled = 0

    def fill(self, messages):
        """Packets of the messages by turns, lane by lane; `messages`: lists of packets."""
        for turn in itertools.zip_longest(*messages):
            for packet in turn:
                if packet is not None:
                    self.queues[self.filled % len(self.queues)].append(packet)
                    self.filled += 1

    def first_for(self, name, start):
        """The lane whose first packet wants link `name`, or none."""
        for i in range(len(self.queues)):
            lane = (start + i) % len(self.queues)
            if self.queues[lane] and self.queues[lane][0][0][0] == name:
                return lane
        return None


class Model:
    def __init__(self, topology, algorithm, ranks, kind, size, splits, active, rules):
        self.topology, self.ranks, self.splits, self.active, self.rules = topology, ranks, splits, active, rules
        self.steps = phases(algorithm, kind, ranks, size // splits, rules)
        self.most_packets = 256 if ranks < MANY else 64  # of a message: longer packets where there would be more
        self.random = random.Random(rules.coin)
        self.links = collections.defaultdict(Link)
        self.lanes = collections.defaultdict(lambda: Lanes(rules.lanes))
        self.events, self.count = [], 0
        self.now = 0
        self.phase = {}  # (rank, chunk): the phase it is in
        self.came = collections.defaultdict(int)  # (rank, chunk, phase): messages
        self.started = [0] * ranks
        self.end = 0

    def at(self, time, call, *values):
        self.count += 1
        heapq.heappush(self.events, (time, self.count, call, values))

    def run(self):
        """The time of the last rank's end."""
        for rank in range(self.ranks):
            for _ in range(min(self.active, self.splits)):
                self.start_chunk(rank)
        while self.events:
            self.now, _, call, values = heapq.heappop(self.events)
            call(*values)
        return self.end

    def start_chunk(self, rank):
        if self.started[rank] < self.splits:
            self.at(self.now + ENDPOINT, self.enter, rank, self.started[rank], 0)
            self.started[rank] += 1

    def enter(self, rank, chunk, step):
        if step == len(self.steps):
            self.end = max(self.end, self.now)
            self.start_chunk(rank)
            return
        self.phase[rank, chunk] = step
        targets = self.steps[step].targets(rank, self.ranks)
        messages = [self.send(rank, target, self.steps[step].size, (target, chunk, step)) for target in targets]
        if self.rules.lanes:
            self.lanes[rank].fill(messages)
            for name in dict.fromkeys(packet[0][0] for packets in messages for packet in packets):
                self.go(name)
        self.leave_if_done(rank, chunk, step)

    def receive(self, key):
        rank, chunk, step = key
        self.at(self.now + ENDPOINT + self.steps[step].reduce, self.received, rank, chunk, step)

    def received(self, rank, chunk, step):
        self.came[rank, chunk, step] += 1
        self.leave_if_done(rank, chunk, step)

    def leave_if_done(self, rank, chunk, step):
        if self.phase.get((rank, chunk)) == step and self.came[rank, chunk, step] == len(self.steps[step].peers):
            self.phase[rank, chunk] = None
            self.enter(rank, chunk, step + 1)

    def send(self, source, target, size, key):
        """Hands a message to the links, or returns its packets for the lanes."""
        rules = self.rules
        routes = ways(self.topology, self.ranks, source, target, rules)
        if not rules.waits:
            self.at(self.now + int(len(routes[0]) * LATENCY + size / BYTES_PER_NS), self.receive, key)
            return []
        packet = min(rules.packet or size, size)
        packet = max(packet, size // self.most_packets) if rules.packet else size
        total = -(-size // packet)
        left = [total]
        first = sum(self.random.getrandbits(1) for _ in range(total)) if len(routes) == 2 else total
        if rules.lanes:
            ways_taken = [0] * first + [1] * (total - first)
            self.random.shuffle(ways_taken)
            return [(routes[way], 0, packet, left, key) for way in ways_taken]
        for route, share in zip(routes, (first, total - first)):
            if share:
                entry = (route, 0, packet, left, key)
                if rules.packet:
                    self.links[route[0]].own.append([share, entry])
                else:
                    self.links[route[0]].through.append(entry)
                self.go(route[0])
        return []

    def take(self, name, link):
        """The next packet of a link, or none; the other link of a node whose packet stands first in its lane now."""
        lanes = self.lanes[name[1]] if self.rules.lanes else None
        lane = lanes.first_for(name, link.lane) if lanes else None
        own = bool(link.own) or lane is not None
        if not own or link.through and not link.own_next:
            link.own_next = True
            return (link.through.popleft() if link.through else None), None
        link.own_next = False
        if lane is None:
            return link.take_own(), None
        link.lane = lane + 1
        packet = lanes.queues[lane].popleft()
        return packet, lanes.queues[lane][0][0][0] if lanes.queues[lane] else None

    def go(self, name):
        link = self.links[name]
        if link.busy:
            return
        packet, other = self.take(name, link)
        if packet is None:
            return
        link.busy = True
        route, hop, size, left, key = packet
        time = size / BYTES_PER_NS
        head = min(self.rules.flit / BYTES_PER_NS, time)
        if not self.rules.packet:
            head = int(LATENCY + time) - LATENCY
            time = int(time)
        self.at(self.now + time, self.free, name)
        if hop + 1 < len(route):
            self.at(self.now + LATENCY + head, self.pass_on, (route, hop + 1, size, left, key))
        else:
            self.at(self.now + LATENCY + (time if self.rules.packet else head), self.arrive, left, key)
        if other and other != name:
            self.go(other)

    def free(self, name):
        self.links[name].busy = False
        self.go(name)

    def pass_on(self, packet):
        name = packet[0][packet[1]]
        self.links[name].through.append(packet)
        self.go(name)

    def arrive(self, left, key):
        left[0] -= 1
        if left[0] == 0:
            self.receive(key)


@functools.lru_cache(maxsize=None)
def time_of(topology, algorithm, ranks, kind, size, splits, active, rules):
    """The time of a collective in ns; where coins decide, the mean over three seeds."""
    if rules.packet and ranks >= MANY and active == 1 and algorithm != "halvingDoubling":
        return splits * Model(topology, algorithm, ranks, kind, size // splits, 1, 1, rules).run()
    seeds = (1, 2, 3) if rules.coin and ranks < MANY else (rules.coin,)
    times = [Model(topology, algorithm, ranks, kind, size, splits, active, dataclasses.replace(rules, coin=seed)).run()
             for seed in seeds]
    return sum(times) / len(times)
