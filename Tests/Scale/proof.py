"""The frame of each proof: a folder, a target, a database; what was counted, what failed, and the end of all processes."""
import collections
import contextlib
import os
import random
import shutil
import signal
import sys
import tempfile
import time

import parts  # noqa: F401
from postgres import Postgres
from serving import ServerFailure
from target import Target


# How many fleets may meet a machine that pauses for longer than a lease.
SPOILED_MAX = 5
# Complaints that such a pause explains: calls were in flight that the harness does not know of.
EXPLAINED = ("REPEATED", "WRONG")


class Proof:
    """Exits with 1 when something failed, and keeps the folder then."""

    def __init__(self, binary, seed, database=None, expected=(), make_target=Target):
        """`expected`: the beginnings of complaints of which there must be one, since there is a fault on purpose."""
        self.binary, self.seed, self.database, self.expected = binary, seed, database, tuple(expected)
        self.began, self.make_target = time.monotonic(), make_target
        self.failures, self.starts, self.refused = [], [], 0
        self.kills, self.counts, self.states = collections.Counter(), collections.Counter(), collections.Counter()

    def __enter__(self):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        self.folder = tempfile.mkdtemp(prefix="jobserver-scale-")
        self.target = self.make_target(self.folder)
        if self.database is None:
            self.database = Postgres()
            self.database.start()
        return self

    def __exit__(self, kind, error, trace):
        self.target.clean_up()
        self.database.clean_up()
        if kind:
            return
        kinds = collections.Counter(failure.split(":")[0] for failure in self.failures)
        found = [failure for failure in self.failures if self.expected and failure.startswith(self.expected)]
        if found:
            shutil.rmtree(self.folder)
            print(f"control: the fault is found: {dict(kinds)}, such as {found[0]}")
            return
        if self.expected:
            self.failures.append("CONTROL: there is a fault on purpose, and it was not noticed")
        for failure in self.failures[:20]:
            print("FAILED:", failure)
        if self.failures:
            print(f"FAILED: {dict(kinds)} with SEED={self.seed}; everything is kept in {self.folder}")
            sys.exit(1)
        shutil.rmtree(self.folder)
        print("0 lost, 0 stuck, 0 keys with two jobs, 0 changed results, 0 wrong results, 0 calls without permission, "
              "0 unreported ends")

    def fleets(self, kind, count, each, harm, **settings):
        """Does some harm `count` times, up to `each` times to one fleet, unless something fails. Yields each fleet when it
        was looked over, with the number of times until then."""
        dice, done, spoiled = random.Random(self.seed), 0, 0
        while done < count and not self.failures:
            before = done
            with self.fleet(kind, dice.randrange(1 << 32), **settings) as fleet:
                fleet.start()
                for _ in range(min(each, count - done)):
                    harm(fleet)
                    done += 1
                    if fleet.load.failures or fleet.failures:
                        break
            if not fleet.is_spoiled:
                yield fleet, done
                continue
            done, spoiled = before, spoiled + 1
            print("the machine paused for longer than a lease: a fleet does not count, and is repeated", flush=True)
            if spoiled > SPOILED_MAX:
                self.failures.append(f"BUSY: {spoiled} fleets met pauses of the machine longer than their lease")

    @contextlib.contextmanager
    def fleet(self, kind, seed, **settings):
        """A fleet that is looked over when the body is done."""
        place = f"{self.folder}/{seed}"
        os.mkdir(place)
        fleet = kind(self.binary, place, seed, self.target, self.database, **settings)
        try:
            yield fleet
            self.add(fleet, fleet.finish())
        except (ServerFailure, OSError) as error:
            fleet.failures += [f"SERVER: {error}", *fleet.load.failures]
        finally:
            fleet.clean_up()
        if fleet.is_spoiled:
            fleet.failures = [failure for failure in fleet.failures if not failure.startswith(EXPLAINED)]
        self.failures += fleet.failures
        if not fleet.failures:
            fleet.schema.drop()
            shutil.rmtree(place)

    def add(self, fleet, report):
        load = fleet.load
        self.kills.update(fleet.kills)
        self.starts += fleet.starts
        self.refused += fleet.refused
        self.states.update(job.state for job in fleet.workload.jobs)
        self.counts.update(
            stops=fleet.stops, acknowledged=load.acknowledged, repeated=load.replayed, reads=load.reads,
            calls=report.calls, extra=report.extra, in_flight=report.in_flight)

    def say(self, what):
        kills = ", ".join(f"{moment} {count}" for moment, count in self.kills.most_common())
        states = ", ".join(f"{count} {state}" for state, count in self.states.most_common())
        starts, count = sorted(self.starts), self.counts
        start = f"start {starts[len(starts) // 2] * 1000:.0f} ms, slowest {starts[-1] * 1000:.0f} ms" if starts else ""
        print(
            f"{what}; {time.monotonic() - self.began:.0f} s: {sum(self.kills.values())} servers killed ({kills}), "
            f"{count['stops']} stopped in order, "
            f"{count['acknowledged']} jobs acknowledged ({states}), {count['repeated']} keys repeated, {self.refused} "
            f"refusals, {count['reads']} reads; {count['calls']} calls, {count['extra']} of them extra, "
            f"{count['in_flight']} jobs in flight at faults; {start}", flush=True)
