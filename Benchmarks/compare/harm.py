"""Jobs on PostgreSQL at a fixed rate, while something holds back what its vacuum may remove.

The phases follow a public harness for job queues on PostgreSQL (hardbyte/postgresql-job-queue-benchmarking:
`idle_in_tx_saturation`, `active_readers`), and one is three overlapping readers of two minutes. Each phase has a
generator and a sink of its own: jobs carry the time at which they were planned, and the sink compares.
"""
import os
import signal
import subprocess
import sys
import time

from .frameworks import Procrastinate
from .machine import Bench, Failed, Missing, ROOT, free_port, program
from .ours import PAYLOAD
from .postgresql import BINARIES, FINISH, PostgreSQL, TAKE
from .shared import Shared

RATE = float(os.environ.get("RATE", "800"))
PHASE = float(os.environ.get("PHASE", "600"))
#: For so long a phase may take to do what was left at its end.
DRAIN = 60
READ_SECONDS = 120
SNAPSHOT = "begin isolation level repeatable read"
CONNECTIONS = 32


class Query:
    """A session of psql that reads its commands from a file until it is stopped."""

    def __init__(self, bench, database, *commands):
        script = os.path.join(bench.new_folder("psql"), "script")
        with open(script, "w") as file:
            file.write(";\n".join(commands) + ";\n")
        words = [program("psql", *BINARIES), "-h", "127.0.0.1", "-p", database.port, "-U", "postgres", "-Atqf", script]
        self.bench, self.process = bench, bench.start(words)

    def stop(self):
        self.bench.stop(self.process, signal.SIGINT)


class Harm:
    """What is done to the database during a phase."""

    def __init__(self, bench, database, table):
        self.bench, self.database, self.table, self.queries = bench, database, table, []

    def begin(self, kind):
        if kind == "idle transaction":
            self.run("begin", "select txid_current()", "select pg_sleep(86400)")
        elif kind == "4 readers in one transaction":
            for _ in range(4):
                self.run(SNAPSHOT, self.reading(86400))
        elif kind == "3 readers of 120 s":
            turns = int(PHASE / READ_SECONDS) + 3
            for third in range(3):
                self.run(f"select pg_sleep({third * READ_SECONDS / 3})", *[SNAPSHOT, self.reading(READ_SECONDS), "commit"] * turns)

    def reading(self, seconds):
        """Counts the rows of the busiest table ten times a second, with the snapshot of the transaction around it."""
        return (f"do $$ declare n bigint; ends timestamptz = clock_timestamp() + interval '{seconds} s'; begin while "
                f"clock_timestamp() < ends loop select count(*) into n from {self.table}; perform pg_sleep(0.1); "
                f"end loop; end $$")

    def run(self, *commands):
        self.queries.append(Query(self.bench, self.database, *commands))

    def end(self):
        for query in self.queries:
            if query.process.poll() is not None:
                raise Failed(f"a query that does harm ended by itself: {self.bench.log_tail()[-300:]}")
            query.stop()
        self.queries = []


class System:
    """One of those that are compared; `table` is the one that changes most."""

    def times(self):
        """When jobs were begun, where the sink cannot tell."""


class Ours(System):
    name, schema = "jobserver", "harm"

    def __init__(self, bench):
        self.server = Shared(bench)
        self.server.flags = ("--schema", self.schema)
        self.database, self.table = self.server.database, f"{self.schema}.ticket"

    def start(self):
        self.server.start()

    def begin(self, sink_port, seconds):
        body = '{"type":"network","request":"http://127.0.0.1:%d/?due={t}",%s' % (sink_port, PAYLOAD)
        return self.server.bench.load_later("http", "submit", self.server.port, rate=RATE, seconds=seconds,
                                            connections=CONNECTIONS, body=body)

    def left(self):
        counts = self.server.counts()
        return sum(counts.get(state, 0) for state in ("queued", "running", "waiting", "retrying", "pending"))

    def stop(self):
        self.server.stop()


class SkipLocked(System):
    """A table, and a worker in C that takes up to 16 jobs each 2 ms and calls the sink for each."""
    name = "skip-locked"

    def __init__(self, bench):
        self.database, self.table, self.bench, self.worker = PostgreSQL(bench), "jobs", bench, None

    def start(self):
        self.database.start()

    def begin(self, sink_port, seconds):
        self.worker = self.bench.load_later("postgresql", "work", self.database.port, connections=16, batch=16,
                                            target_port=sink_port, patience=seconds + DRAIN, select=TAKE, finish=FINISH)
        return self.bench.load_later("postgresql", "submit", self.database.port, rate=RATE, seconds=seconds,
                                     connections=CONNECTIONS, body='{"n":"{n}","t":"{t}","due":"{t}","pad":"{pad}"}',
                                     **self.database.submit_options())

    def times(self):
        """The worker notes when it takes a job: its calls do not carry the job's time."""
        self.worker.terminate()
        return self.bench.result(self.worker)

    def left(self):
        return int(self.database.sql("select count(*) from jobs where state <> 'd'"))

    def stop(self):
        self.database.stop()


class Python(System):
    """Procrastinate with one worker process of 32 jobs at once."""
    name, table = "procrastinate", "procrastinate_jobs"

    def __init__(self, bench):
        self.framework, self.bench = Procrastinate(bench), bench

    def start(self):
        self.framework.start_server()
        self.database = self.framework.server
        self.framework.run(0, "prepare")
        self.worker = None

    def words(self, *words):
        script = os.path.join(ROOT, "Benchmarks", "frameworks", "paced.py")
        return [self.framework.python, script, *[str(word) for word in words]]

    def begin(self, sink_port, seconds):
        if not self.worker:
            self.worker = self.bench.start(self.words("worker"), env=self.framework.environment(0))
            time.sleep(2)
        process = subprocess.Popen(self.words("submit", sink_port, RATE, seconds), env=self.framework.environment(0),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.bench.running.append(process)
        return process

    def left(self):
        return int(self.database.sql("select count(*) from procrastinate_jobs where status in ('todo', 'doing')"))

    def stop(self):
        if self.worker:
            self.bench.stop(self.worker, signal.SIGKILL)
        self.framework.stop()


SYSTEMS = {kind.name: kind for kind in (Ours, SkipLocked, Python)}
PHASES = ("clean", "idle transaction", "4 readers in one transaction", "3 readers of 120 s", "clean again")


def dead_rows(system):
    found = system.database.sql(f"select n_dead_tup from pg_stat_all_tables where relid = '{system.table}'::regclass")
    return int(found or 0)


def phase(bench, system, kind, seconds):
    """One phase; a row of the table."""
    port = free_port()
    sink = bench.load_later("http", "sink", port, patience=seconds + 3 * DRAIN)
    time.sleep(0.2)
    harm = Harm(bench, system.database, system.table)
    harm.begin(kind)
    generator = system.begin(port, seconds)
    sent = bench.result(generator, seconds + 2 * DRAIN)
    left, dead = system.left(), dead_rows(system)
    ended = time.monotonic()
    while (rest := system.left()) and time.monotonic() < ended + DRAIN:
        time.sleep(0.1)
    drained = time.monotonic() - ended
    harm.end()
    noted = system.times()
    sink.terminate()
    called = bench.result(sink)
    times = noted or called
    return {"sent": sent["done"], "begun": called["done"], "p50": times.get("late_p50_ms"), "p99": times.get("late_p99_ms"),
            "p999": times.get("late_p999_ms"), "max": times.get("late_max_ms"), "left": left, "rest": rest,
            "drained": drained, "dead": dead, "submit_p99": sent.get("p99_ms"), "errors": sent.get("errors", 0)}


def row(name, kind, found, clean):
    ratio = f"{found['p99'] / clean:.2f} ×" if clean and found["p99"] else ""
    shown = [f"{found[key]:.1f}" if found[key] is not None else "" for key in ("p50", "p99", "p999", "max")]
    after = f"{found['rest']:,} after {DRAIN} s" if found["rest"] else f"none after {found['drained']:.1f} s"
    return (f"| {name} | {kind} | {found['sent'] / PHASE:.0f} | {' | '.join(shown)} | {ratio} | {found['left']:,}, {after} "
            f"| {found['dead']:,} |")


def main():
    print(f"{RATE:.0f} jobs/s, phases of {PHASE:.0f} s; times in ms from the planned submission until the job has begun\n")
    print("| System | Phase | jobs/s | p50 | p99 | p99.9 | longest | p99 / clean | left at the end | dead rows |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|", flush=True)
    failures = []
    for name in os.environ.get("SYSTEMS", " ".join(SYSTEMS)).split():
        with Bench() as bench:
            try:
                system = SYSTEMS[name](bench)
                system.start()
                clean = None
                for kind in PHASES:
                    found = phase(bench, system, kind, PHASE)
                    print(row(name, kind, found, clean), flush=True)
                    clean = clean or found["p99"]
                    if name == Ours.name and (found["rest"] or found["errors"] or found["p99"] > 2 * clean):
                        failures.append(kind)
                system.stop()
            except Missing as error:
                print(f"| {name} | left out: {error} |")
    if failures:
        sys.exit(f"FAILED: p99 above 2 × that of the clean phase, refusals, or jobs left: {', '.join(failures)}")


if __name__ == "__main__":
    main()
