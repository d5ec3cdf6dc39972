"""Measures the server of this repository, alone or beside its peers, and prints one table.

usage: python3 -m compare alone|peers      settings by environment, see settings.py
"""
import os
import signal
import sys
import time

from . import overload, rates, states
from .beanstalkd import Beanstalkd
from .frameworks import FRAMEWORKS, framework_call
from .machine import Bench, Failed, Missing, ROOT, answers, facts, free_port, wait_until
from .nginx import Nginx
from .ours import Ours
from .postgresql import PostgreSQL
from .rabbitmq import RabbitMQ
from .redis import Redis
from .report import Results, page, shown
from .settings import LONG, Settings
from .shared import Shared
from .targets import title

BARE = {"shared": Shared, "redis": Redis, "postgresql": PostgreSQL, "rabbitmq": RabbitMQ, "beanstalkd": Beanstalkd, "nginx": Nginx}
END_TO_END = ["shared", "redis", "postgresql", "rabbitmq", "beanstalkd"]
#: Which peers a measure makes sense for.
MEASURES = {
    "submit": (rates.submit, END_TO_END),
    "batch": (rates.batch, END_TO_END),
    "noop": (rates.noop, END_TO_END),
    "call": (rates.call, END_TO_END),
    "noop_cpu": (rates.noop_cpu, []),
    "call_cpu": (rates.call_cpu, []),
    "latency": (rates.latency, END_TO_END),
    "read": (rates.read, ["shared", "nginx", "redis", "postgresql"]),
    "delayed": (states.delayed, ["redis", "postgresql"]),
    "timers": (states.timers, ["postgresql", "beanstalkd"]),
    "restart": (states.restart, ["redis", "postgresql", "rabbitmq", "beanstalkd"]),
    "idle": (states.idle, END_TO_END),
    "finished": (states.finished, []),
    "steady": (states.steady, []),
    "overload": (overload.overload, []),
    "overload_shared": (overload.overload_shared, []),
    "overload_steps": (overload.overload_steps, []),
}
#: More jobs than this take a server that syncs at each of them minutes to store.
SLOW_TO_FILL = 200_000
#: A peer that takes longer than this to start, as RabbitMQ does on a busy machine, is measured once.
SLOW_START_SECONDS = 15
#: Those that fill a store or take long are done once.
ONCE = LONG - {"noop_cpu", "call_cpu"} | {"delayed"}


class Run:
    """The context of all measures: the settings, the bench, and nginx for calls."""

    def __init__(self, settings, bench):
        self.__dict__.update(vars(settings))
        self.bench, self.results, self.servers = bench, Results(), {}
        self.target = None

    def once(self, name, kind, measure, server_type, *more):
        """One figure of one server, which starts with an empty store; whether another one is worth the time."""
        server = None
        try:
            server = server_type(self.bench)
            began = time.monotonic()
            server.start()
            took = time.monotonic() - began
            figures = measure(self, server, *more)
            self.results.add(name, server.name, figures)
            self.servers.setdefault(server.name, [server.version(), server.durability, server.result])
            print(f"{time.strftime('%H:%M:%S')}  {name:18} {server.name:12} {shown(figures['value']):>10} "
                  f"{title(name)[1]:8} p50 {shown(figures.get('p50_ms')):>6}  p99 {shown(figures.get('p99_ms')):>6}  "
                  f"{figures.get('errors') or 0} errors  {figures.get('stderr') or ''}", flush=True)
            return took < SLOW_START_SECONDS
        except Missing as reason:
            self.skip(f"{kind}: {reason}")
        except (Failed, OSError, KeyError) as reason:
            self.skip(f"{name} of {kind}: {type(reason).__name__}: {reason}")
        finally:
            if server:
                server.stop()
        return False

    def skip(self, note):
        if note not in self.results.notes:
            self.results.notes.append(note)
            print(f"skipped: {note}", flush=True)

    def measure(self, name):
        function, peers = MEASURES[name]
        kinds = [("jobserver", Ours), *[(peer, BARE[peer]) for peer in peers if peer in self.peers]]
        variants = [(f"restart {count:,}", [count]) for count in self.pending] if name == "restart" else [(name, [])]
        for label, more in variants:
            gone = {"beanstalkd"} if name == "restart" and more[0] > SLOW_TO_FILL else set()
            for _ in range(1 if name in ONCE else self.repetitions):
                for kind, server_type in kinds:
                    if kind not in gone and not self.once(label, kind, function, server_type, *more):
                        gone.add(kind)

    def measure_frameworks(self):
        for name in [peer for peer in self.peers if peer in FRAMEWORKS]:
            for _ in range(self.repetitions):
                if not self.once("call", name, framework_call, FRAMEWORKS[name]):
                    break

    def measure_limits(self):
        folder = self.bench.new_folder("limits")
        seconds = min(2, self.seconds)
        rows = [("4 KiB appended and flushed, one after the other", ("fsync", "append")),
                ("4 KiB over written blocks and flushed", ("fsync", "overwrite")),
                ("SQLite, rows, one in a transaction", ("sqlite", "1")),
                ("SQLite, rows, 100 in a transaction", ("sqlite", "100"))]
        for text, (tool, how) in rows:
            file = os.path.join(folder, f"{tool}-{how}")
            self.results.limits.append([text, shown(self.bench.limit(tool, file, seconds, how))])
            print(f"{text}: {self.results.limits[-1][1]}", flush=True)
        self.measure_listener(seconds)

    def measure_listener(self, seconds):
        """The HTTP listener of our server alone, which answers everything with the same few bytes."""
        binary, port = os.path.join(ROOT, ".build", "release", "BareListener"), free_port()
        if not os.access(binary, os.X_OK):
            return
        process = self.bench.start([binary, port])
        try:
            wait_until(lambda: answers(port), 10, "the start of the bare listener")
            found = self.bench.load("http", "read", port, path="/", connections=self.connections, seconds=seconds)
            self.results.limits.append(["our HTTP listener with nothing behind it, requests", shown(found["per_s"])])
        except Failed as reason:
            self.skip(f"bare listener: {reason}")
        finally:
            self.bench.stop(process)


def results_path(with_peers):
    """Where the page goes; a run without peers leaves the one that is there alone."""
    return os.environ.get("RESULTS") or (os.path.join(ROOT, "Benchmarks", "RESULTS.md") if with_peers else None)


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in ("alone", "peers"):
        raise SystemExit(__doc__)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    with_peers = sys.argv[1] == "peers"
    settings = Settings(with_peers)
    machine, path = facts(), results_path(with_peers)
    command = "make bench-peers" if with_peers else "make bench"
    with Bench() as bench:
        run = Run(settings, bench)
        run.measure_limits()
        if ({"call", "latency", "frameworks"} | LONG - {"finished"}) & set(settings.measures):
            run.target = Nginx(bench)
            run.target.start()
        for name in settings.measures:
            if name == "frameworks":
                run.measure_frameworks()
            else:
                run.measure(name)
            if path:  # after each, so that what was measured is kept when the run is cut short
                with open(path, "w") as file:
                    file.write(page(run.results, machine, settings, run.servers, command))
    print("\n" + run.results.text())
    if path:
        print(f"\nwritten: {path}")


main()
