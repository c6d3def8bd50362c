# SPDX-License-Identifier: Apache-2.0
"""Command lines of the program: through a server that forks for each (tests/attack/served.cpp), or as own processes."""
import dataclasses
import json
import os
import signal
import subprocess
import time

# What the program may use before it is taken for hung or out of bounds.
WALL_S = 240
CPU_S = 80  # sanitizers take ten to twenty times as long
RSS_MIB = 1500


@dataclasses.dataclass
class Result:
    """How one command line ended. `killed` names the limit that it passed: wall, cpu or memory."""
    args: list
    status: int
    signal: int
    killed: str
    cpu_s: float
    wall_s: float
    rss_mib: float
    out: str
    err: str
    served: bool


def environment(extra=None):
    """The environment of every run: sanitizers stop at the first report and say so by status 99. They keep no stacks of allocations,
    which take longer than the rest of a `check`; a finding that needs them is played again without `malloc_context_size`."""
    values = dict(os.environ)
    values.update(ASAN_OPTIONS="exitcode=99:halt_on_error=1:detect_leaks=0:detect_stack_use_after_return=0:quarantine_size_mb=16:"
                               "allocator_release_to_os_interval_ms=-1:malloc_context_size=0",
                  UBSAN_OPTIONS="exitcode=99:halt_on_error=1:print_stacktrace=1", TZ="UTC", LC_ALL="C.UTF-8")
    values.update(extra or {})
    return values


def text_of(path, most=200_000):
    with open(path, "rb") as file:
        return file.read(most).decode("utf-8", "backslashreplace")


class Server:
    """One serving process; it is started anew when it has gone."""

    def __init__(self, program):
        self.program = program
        self.process = None

    def start(self):
        self.process = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(), text=True)

    def run(self, args, folder, wall_s=WALL_S, cpu_s=CPU_S, rss_mib=RSS_MIB):
        """Runs `weft ARGS` in `folder`."""
        if self.process is None or self.process.poll() is not None:
            self.start()
        out, err = os.path.join(folder, ".out"), os.path.join(folder, ".err")
        # Words that are no UTF-8 have no place in JSON: those go to a process of their own.
        job = {"args": args, "dir": folder, "out": out, "err": err, "wall_s": wall_s, "cpu_s": cpu_s, "rss_mib": rss_mib}
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the server {self.program} has ended with status {self.process.wait()}")
        reply = json.loads(line)
        return Result(args, reply["status"], reply["signal"], reply["killed"], reply["cpu_s"], reply["wall_s"],
                      reply["rss_mib"], text_of(out), text_of(err), True)

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait()


def as_from_a_terminal():
    """In the new process: the attack may run under nohup(1), and what it starts would ignore SIGHUP, too."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Running:
    """One process of the program that was started and may still run."""

    def __init__(self, program, args, folder, env=None, prefix=(), stdout=None, tag=""):
        self.args = args
        self.paths = [os.path.join(folder, f".{tag}out"), os.path.join(folder, f".{tag}err")]
        self.start = time.monotonic()
        with open(self.paths[0], "wb") as out, open(self.paths[1], "wb") as err:
            self.process = subprocess.Popen([*prefix, program, *args], cwd=folder, env=environment(env), stdin=subprocess.DEVNULL,
                                            stdout=out if stdout is None else stdout, stderr=err, start_new_session=True,
                                            preexec_fn=as_from_a_terminal)

    def send(self, number):
        self.process.send_signal(number)

    def wait(self, wall_s=WALL_S):
        killed = ""
        try:
            self.process.wait(wall_s)
        except subprocess.TimeoutExpired:
            killed = "wall"
        try:
            os.killpg(self.process.pid, signal.SIGKILL)  # all of it, and what it has left behind
        except ProcessLookupError:
            pass
        code = self.process.wait()
        return Result(self.args, max(code, -1), -code if code < 0 else 0, killed, 0.0, time.monotonic() - self.start, 0.0,
                      text_of(self.paths[0]), text_of(self.paths[1]), False)
