"""Measures what a snapshot that is held open costs: claims under half of the load that one server takes.

usage: snapshot.py BINARY MINUTES HELD RATE LIMIT_MS

RATE is in jobs a second; 0 is half of what the server takes, measured for ten seconds after jobs began to be erased at
the end of their retention. With a limit above 0 the tool fails when p99 of claims is above it in any phase. The first
phase begins when PostgreSQL has made two checkpoints: until then it fills new WAL files with zeros, 16 MiB in a commit.
"""
import http.client
import json
import re
import shutil
import sys
import tempfile
import threading
import time
import urllib.request

import parts  # noqa: F401
from postgres import Postgres, Session
from serving import Server

CLIENTS = 4
BATCH = 25
SCHEMA = "snapshot"
RETENTION = 20
KEPT = {"retention": {"succeeded": f"{RETENTION}s", "failed": "1h"}}
# Half of the jobs may begin at once, the others fall due later.
BODY = "\n".join(
    json.dumps({"type": "value", "value": number, **KEPT, **({"run_at": f"{50 + 130 * number}ms"} if number % 2 else {})})
    for number in range(BATCH)).encode()


class Load:
    """Clients that submit batches: as fast as they can, or at a rate of jobs a second."""

    def __init__(self, port):
        self.port, self.rate, self.count, self.is_over, self.failure = port, None, 0, False, None
        self.refused = 0
        self.lock, self.next = threading.Lock(), time.monotonic()
        self.threads = [threading.Thread(target=self.run, daemon=True) for _ in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def run(self):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            while not self.is_over:
                self.wait()
                connection.request("POST", "/v1/jobs:batch", BODY, {"Content-Type": "application/x-ndjson"})
                answer = connection.getresponse()
                content = answer.read()
                if answer.status == 503:
                    # The disk stood still for longer than writes may wait.
                    with self.lock:
                        self.refused += 1
                    time.sleep(float(answer.headers["Retry-After"]))
                    continue
                if answer.status >= 300:
                    raise OSError(f"a batch is answered with {answer.status} {content[:300]}")
                with self.lock:
                    self.count += BATCH
        except Exception as error:
            self.failure = self.failure or error

    def wait(self):
        if self.rate is None:
            return
        with self.lock:
            at = max(self.next, time.monotonic() - 1)
            self.next = at + BATCH / self.rate
        time.sleep(max(0, at - time.monotonic()))

    def check(self):
        if self.failure:
            raise self.failure

    def limit(self, rate):
        with self.lock:
            self.rate, self.next = rate, time.monotonic()

    def end(self):
        self.is_over = True
        for thread in self.threads:
            thread.join(timeout=60)


def claims(server):
    """The numbers of claims up to each limit in seconds, and of all."""
    with urllib.request.urlopen(f"{server.url}/metrics", timeout=30) as answer:
        text = answer.read().decode()
    found = re.findall(r'^jobserver_claim_seconds_bucket\{le="([^"]+)"\} (\d+)', text, re.MULTILINE)
    return [(float(limit), int(count)) for limit, count in found]


def quantile(part, before, after):
    """The limit in milliseconds under which this part of the claims between two readings stayed."""
    counts = [(limit, count - former) for (limit, count), (_, former) in zip(after, before)]
    wanted = part * counts[-1][1]
    return next(limit for limit, count in counts if count >= wanted) * 1000


def ticket(database):
    """The dead rows of the table of unfinished jobs, its size and that of its indexes in KiB."""
    return [int(value) for value in database.ask(
        f"SELECT n_dead_tup, pg_relation_size(relid) / 1024, pg_indexes_size(relid) / 1024 "
        f"FROM pg_stat_all_tables WHERE relid = '{SCHEMA}.ticket'::regclass")[0]]


def checkpoints(database):
    """The number of checkpoints since the database started that the amount of WAL caused."""
    return int(database.ask("SELECT checkpoints_req FROM pg_stat_bgwriter")[0][0])


class Measuring:
    def __init__(self, server, database, load):
        self.server, self.database, self.load = server, database, load
        self.worst = 0

    def phase(self, name, seconds):
        """Lets a time go by. Prints what claims took in each part of it and in all."""
        began, count, first = time.monotonic(), self.load.count, claims(self.server)
        step, left = first, seconds
        while left > 0:
            time.sleep(min(60, left))
            left = seconds - (time.monotonic() - began)
            self.load.check()
            now = claims(self.server)
            self.say(f"  {time.monotonic() - began:5.0f} s", step, now)
            step = now
        rate = (self.load.count - count) / (time.monotonic() - began)
        self.say(f"{name}: {rate:.0f} jobs/s", first, step)
        self.worst = max(self.worst, quantile(0.99, first, step))

    def say(self, name, before, after):
        dead, size, indexes = ticket(self.database)
        number = after[-1][1] - before[-1][1]
        if not number:
            return print(f"{name}, no claims", flush=True)
        print(f"{name}, {number} claims: p50 ≤ {quantile(0.5, before, after):g} ms, "
              f"p99 ≤ {quantile(0.99, before, after):g} ms, max ≤ {quantile(1, before, after):g} ms; ticket: {dead} dead rows, "
              f"{size} KiB, indexes {indexes} KiB", flush=True)


def main():
    binary, minutes, held, rate, limit = sys.argv[1], *map(float, sys.argv[2:])
    if held >= minutes:
        raise SystemExit("FAILED: HELD must be less than MINUTES")
    folder, database = tempfile.mkdtemp(prefix="jobserver-snapshot-"), Postgres(("shared_buffers=512MB",))
    server = None
    try:
        database.start()
        server = Server(binary, folder, (
            "--store", database.address, "--schema", SCHEMA, "--artifacts", f"{folder}/artifacts"))
        server.start()
        load = Load(server.port)
        if not rate:
            time.sleep(RETENTION + 5)
            before = load.count
            time.sleep(10)
            load.check()
            rate = (load.count - before) / 20
        load.limit(rate)
        print(f"{rate:.0f} jobs/s, half of what one server takes" if sys.argv[4] == "0" else f"{rate:.0f} jobs/s", flush=True)
        # The jobs of the full load are erased meanwhile.
        time.sleep(RETENTION + 10)
        deadline = time.monotonic() + 600
        while checkpoints(database) < 2 and time.monotonic() < deadline:
            time.sleep(1)
        measuring = Measuring(server, database, load)
        rest = (minutes - held) * 60
        measuring.phase("before", rest / 2)
        snapshot = Session(database)
        snapshot.ask("BEGIN ISOLATION LEVEL REPEATABLE READ")
        snapshot.ask(f"SELECT count(*) FROM {SCHEMA}.lease")
        measuring.phase("with the snapshot", held * 60)
        snapshot.ask("COMMIT")
        snapshot.close()
        measuring.phase("after", rest / 2)
        load.end()
        load.check()
        if load.refused:
            print(f"{load.refused} batches were refused and sent again, since writes had waited for too long", flush=True)
        server.ask_to_stop()
        server.process.wait(timeout=60)
    finally:
        if server:
            server.clean_up()
        database.clean_up()
        shutil.rmtree(folder)
    if limit and measuring.worst > limit:
        raise SystemExit(f"FAILED: p99 of claims was up to {measuring.worst:g} ms in a phase; it may be {limit:g} ms")


main()
