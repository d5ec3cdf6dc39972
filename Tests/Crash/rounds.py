"""Kills the server again and again under load, and looks whether everything that it promised is kept.

usage: rounds.py BINARY ROUNDS SEED

That a loss is found is shown first, with a server that finds the end of its log torn off.
"""
import collections
import itertools
import os
import random
import shutil
import signal
import sys
import tempfile
import time

from serving import ServerFailure
from stay import Stay
from storecopy import copy_of, names
from target import Target

ROUNDS_PER_STAY = 20
CONTROL_TRIALS = 5
#: Bytes before the frames of a log, and of each frame with its page.
HEADER, FRAME_HEADER = 32, 24


class TornStay(Stay):
    """A life in which a kill loses the last unsynced writes, like a power cut."""

    def end_by_kill(self, moment):
        was_killed = super().end_by_kill(moment)
        acknowledged = {job.name for job in self.workload.jobs if job.id} & self.workload.names()
        tear(f"{self.server.data}/jobs.db-wal")
        self.torn = acknowledged - self.stored()
        return was_killed

    def stored(self):
        with copy_of(self.server.data, self.server.folder) as connection:
            return names(connection)


def tear(log):
    """Takes the last third of the frames out of a log that was written since it was begun anew; zeros and older frames
    may stand behind them. https://www.sqlite.org/fileformat2.html, section 4.1."""
    with open(log, "rb") as file:
        header = file.read(HEADER)
        salts, size = header[16:24], FRAME_HEADER + int.from_bytes(header[8:12], "big")
        frames = iter(lambda: file.read(size), b"")
        count = sum(1 for _ in itertools.takewhile(lambda frame: frame[8:16] == salts, frames))
    os.truncate(log, HEADER + count * 2 // 3 * size)


def check_control(binary, seed, folder, target, kind):
    """Loses jobs on purpose, and fails when that goes unnoticed. The end of a log that was begun anew right before a kill
    may hold no acknowledged job; then there is another trial."""
    for trial in range(CONTROL_TRIALS):
        place = f"{folder}/control-{trial}"
        os.mkdir(place)
        stay = kind(binary, place, seed + trial, target)
        try:
            stay.start()
            stay.run_for(0.4)
            stay.end_by_kill("load")
            stay.finish()
        except ServerFailure:
            # More than jobs was torn off.
            continue
        finally:
            stay.clean_up()
        if not stay.torn:
            continue
        if lost := sum("LOST" in failure or "TWO JOBS" in failure for failure in stay.failures):
            print(f"control: with the end of the log torn off, {lost} losses are found among "
                  f"{stay.load.acknowledged} jobs")
            return []
        return ["CONTROL: jobs were lost on purpose, and it was not noticed"]
    return [f"CONTROL: in {CONTROL_TRIALS} trials no acknowledged job could be lost"]


class Totals:
    """The report at the end."""

    def __init__(self):
        self.began = time.monotonic()
        self.rounds, self.stops = 0, 0
        self.kills, self.counts, self.states = collections.Counter(), collections.Counter(), collections.Counter()
        self.starts = []

    def add(self, stay, report):
        load = stay.load
        self.stops += stay.stops
        self.kills.update(stay.kills)
        self.starts += stay.starts
        self.states.update(job.state for job in stay.workload.jobs)
        self.counts.update(
            acknowledged=load.acknowledged, repeated=load.replayed, reads=load.reads,
            refused=sum(load.refusals.values()), calls=report.calls, extra=report.extra, in_flight=report.in_flight)

    def __str__(self):
        kills = ", ".join(f"{moment} {count}" for moment, count in self.kills.most_common())
        states = ", ".join(f"{count} {state}" for state, count in self.states.most_common())
        starts, count = sorted(self.starts), self.counts
        return (
            f"{self.rounds} rounds in {time.monotonic() - self.began:.0f} s: {sum(self.kills.values())} times kill -9 "
            f"({kills}), {self.stops} clean stops; {count['acknowledged']} jobs acknowledged ({states}), "
            f"{count['repeated']} keys repeated, {count['refused']} refusals, {count['reads']} reads; "
            f"{count['calls']} calls, {count['extra']} of them extra, {count['in_flight']} jobs in flight at kills; "
            f"start {starts[len(starts) // 2] * 1000:.0f} ms, slowest {starts[-1] * 1000:.0f} ms")


def run(binary, rounds, seed, folder, totals, kinds):
    """All rounds; returns the violations with their positions."""
    dice = random.Random(seed)
    make_target, make_stay, make_torn = kinds
    target = make_target(folder)
    try:
        if failures := check_control(binary, seed, folder, target, make_torn):
            return failures
        while totals.rounds < rounds:
            place = f"{folder}/from-{totals.rounds + 1}"
            os.mkdir(place)
            stay = make_stay(binary, place, dice.randrange(1 << 32), target)
            try:
                for _ in range(min(ROUNDS_PER_STAY, rounds - totals.rounds)):
                    stay.round()
                    totals.rounds += 1
                    if stay.load.failures or stay.failures:
                        break
                totals.add(stay, stay.finish())
            except (ServerFailure, OSError) as error:
                stay.failures += [f"SERVER: {error}", *stay.load.failures]
            finally:
                stay.clean_up()
            if stay.failures:
                return stay.failures
            shutil.rmtree(place)
            if totals.rounds < rounds:
                print(totals, flush=True)
    finally:
        target.clean_up()
    return []


def main(kinds=(Target, Stay, TornStay)):
    """`kinds` are those of the target, of a stay, and of one that loses jobs on purpose."""
    binary, rounds, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    folder, totals = tempfile.mkdtemp(prefix="jobserver-crash-"), Totals()
    failures = run(binary, rounds, seed, folder, totals, kinds)
    complaints = collections.Counter(failure.split(":")[0] for failure in failures)
    for failure in failures[:20]:
        print("FAILED:", failure)
    if failures:
        print(f"FAILED: {dict(complaints)} in round {totals.rounds} with SEED={seed}; everything is kept in {folder}")
        sys.exit(1)
    shutil.rmtree(folder)
    print(totals)
    print("0 lost, 0 stuck, 0 keys with two jobs, 0 changed results, 0 wrong results, 0 calls without permission, "
          "0 unreported ends")


if __name__ == "__main__":
    main()
