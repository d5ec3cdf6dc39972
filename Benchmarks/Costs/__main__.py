"""Counts what the server does for one submission, one job, one read. See README.md, "Costs".

usage: python3 -m Costs [--check | --column NAME] [--because TEXT] [--plant INSTRUCTIONS] [--only WORDS]
"""
import argparse
import collections
import os
import statistics
import sys
import tempfile
import time

from .parts import PARTS, Parts
from .scenes import NOOP, Client, Upstream, id_of, scenes
from .server import COUNTS, Callgrind, Counted, Server, system_calls
from .table import NOW, PART, Table

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.append(f"{ROOT}/Tests/Scale")
from postgres import Postgres  # noqa: E402

ROUNDS = 3
#: What a server does by itself is measured for this long, and taken off.
IDLE_SECONDS = 3
#: Without callgrind everything is fast, and done so many times as often.
MORE = 5
#: The share from which on a part is shown.
PART_LEAST = 0.005
SHOWN = ["allocations", "bytes allocated", "bytes copied", "bytes written to files", "bytes sent"]


class Instructions:
    """Counts instructions, by part."""

    more = 1

    def __init__(self, binary, folder, store, options):
        self.parts = options.parts
        os.environ.pop("COSTS_PLANT", None)
        if options.plant:
            os.environ["COSTS_PLANT"], os.environ["LD_PRELOAD"] = str(options.plant), f"{options.tools}/planted.so"
        try:
            self.target = Callgrind(binary, folder, store)
        finally:
            os.environ.pop("LD_PRELOAD", None)
        self.server = self.target.server

    def count(self, act):
        self.target.begin()
        act()
        found = self.parts.of(self.target.end())
        return {"instructions": sum(found.values()), **{PART + part: found[part] for part in PARTS}}

    def stop(self):
        self.target.stop()


class Bytes:
    """Counts allocations, copies and writes."""

    more = MORE

    def __init__(self, binary, folder, store, options):
        self.target = Counted(binary, f"{options.tools}/copied.so", folder, store)
        self.server = self.target.server

    def count(self, act):
        before = self.target.numbers()
        act()
        after = self.target.numbers()
        return {name: after[name] - before[name] for name in COUNTS if name in SHOWN}

    def stop(self):
        self.target.stop()


class Calls:
    """Counts system calls."""

    more = MORE

    def __init__(self, binary, folder, store, _):
        self.server = Server(binary, folder, store)

    def count(self, act):
        return {"system calls": system_calls(self.server.process, act)}

    def stop(self):
        self.server.stop()


def measure(probe, engine, upstream, wanted):
    """The figures by row: medians of rounds, for one time."""
    client = Client(probe.server.port)
    first_job = id_of(client.run(NOOP))
    possible = [scene for scene in scenes(upstream, first_job) if engine == "SQLite" or scene.on_postgres]
    idle = None
    series = collections.defaultdict(list)
    # What a scene prepares, such as a secret, which is looked for in all that is captured, costs the others nothing.
    for prepared in (False, True):
        group = [scene for scene in possible if bool(scene.prepare) == prepared]
        for scene in group:
            if scene.prepare:
                scene.prepare(client)
            scene.play(client, max(3, scene.times // 4))
        chosen = [scene for scene in group if wanted(f"{engine}: {scene.name}")]
        idle = idle or probe.count(lambda: time.sleep(IDLE_SECONDS))
        for scene in chosen * ROUNDS:
            began = time.monotonic()
            times = scene.times * probe.more
            counts = probe.count(lambda: scene.play(client, times))
            seconds = time.monotonic() - began
            for name, number in counts.items():
                series[f"{engine}: {scene.name}", name].append(
                    max(number - idle[name] * seconds / IDLE_SECONDS, 0) / times)
    client.close()
    medians = {row: statistics.median(figures) for row, figures in series.items()}
    # Parts that are next to nothing are left out.
    return {row: figure for row, figure in medians.items() if not row[1].startswith(PART)
            or figure >= PART_LEAST * medians[row[0], "instructions"]}


def measure_all(options):
    upstream, found = Upstream(), {}
    with tempfile.TemporaryDirectory(prefix="jobserver-costs.", dir=os.environ.get("BENCH_DIR")) as folder:
        for engine in ("SQLite", "PostgreSQL"):
            if not options.wanted(engine):
                continue
            database = Postgres() if engine == "PostgreSQL" else None
            try:
                if database:
                    database.start()
                for kind in (Instructions,) if options.plant else (Instructions, Bytes, Calls):
                    print(f"counting on {engine}: {kind.__doc__}", file=sys.stderr, flush=True)
                    probe = kind(options.binary, folder, database and database.address, options)
                    try:
                        found.update(measure(probe, engine, upstream, options.wanted))
                    finally:
                        probe.stop()
            finally:
                if database:
                    database.clean_up()
    order = {row[0]: index for index, row in enumerate(found)}
    return dict(sorted(found.items(), key=lambda item: order[item[0][0]]))


def main():
    options = argparse.ArgumentParser(prog="Benchmarks/costs", description=__doc__.splitlines()[0])
    options.add_argument("--check", action="store_true", help="compare with the column `now`, and write nothing")
    options.add_argument("--column", default=NOW, help="the column to write, such as a commit; default now")
    options.add_argument("--because", help="why rows grew; recorded below the table")
    options.add_argument("--plant", type=int, default=0, help="spend so many instructions more at each answer")
    options.add_argument("--only", default="", help="count only what has this in its name, such as 'SQLite: no-op'")
    options = options.parse_args()
    options.binary = os.environ.get("JOBSERVER") or f"{ROOT}/.build/release/jobserver"
    options.tools = f"{ROOT}/.build/benchmarks"
    options.wanted = lambda name: options.only in name or name in options.only
    options.parts = Parts()
    table = Table(f"{HERE}/../COSTS.md")
    began = time.monotonic()
    measured = measure_all(options)
    complaints = table.complaints(measured) if options.check or options.column == NOW else []
    if not options.check and not options.plant and (not complaints or options.because):
        table.put(options.column, measured)
        table.save(options.because if complaints else None)
    else:
        table.put(NOW, measured)
    print("\n".join(line for line in table.lines() if "| What" in line or "|--" in line or any(
        f"| {what} |" in line for what, _ in measured)))
    print(f"{time.monotonic() - began:.0f} s")
    for complaint in complaints:
        print(f"{'FAILED: ' if options.check or not options.because else ''}{complaint}")
    if complaints and (options.check or not options.because):
        raise SystemExit("More work than recorded in COSTS.md. If it is worth it, record it: "
                         'Benchmarks/costs --because "REASON"')


main()
