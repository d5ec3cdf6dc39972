"""Kills the database under three servers again and again, and looks whether everything that they promised is kept.

usage: database.py BINARY KILLS SEED LEASE LOCKED PATIENCE
"""
import json
import os
import subprocess
import sys
import time

import parts  # noqa: F401
from fleet import Fleet
from proof import Proof
from takeovers import describe

KILLS_PER_FLEET = 10
# Work must go on so soon after the database is back.
BACK_WITHIN = 2
# Probes are answered so soon: all but one of a thousand, and each.
MOST_WITHIN, EACH_WITHIN = 2, 5
# All of these times are so many times as long.
PATIENCE = float(sys.argv[6])


class BereftFleet(Fleet):
    """Servers whose database is killed."""

    def __init__(self, *arguments, **settings):
        super().__init__(*arguments, **settings)
        self.recoveries, self.away, self.losable = [], 0.0, False
        self.prober, self.probes = None, None

    def start(self):
        super().start()
        # At the end of its stay the fleet is started again, and then nothing may be submitted beside the load.
        if self.prober:
            return
        path = f"{os.path.dirname(os.path.abspath(__file__))}/prober.py"
        self.prober = subprocess.Popen([sys.executable, path, *(str(server.port) for server in self.servers)],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def clean_up(self):
        if self.prober and self.prober.poll() is None:
            self.prober.kill()
        super().clean_up()

    def finish(self):
        output, _ = self.prober.communicate(timeout=120)
        self.probes = json.loads(output)
        return super().finish()

    def lock(self, seconds):
        """A table is locked, and the database answers: no server loses its lease."""
        words = [f"{self.database.programs}/psql", "-qc", f"BEGIN; LOCK TABLE {self.schema.name}.ticket IN ACCESS EXCLUSIVE "
                 f"MODE; SELECT pg_sleep({seconds}); ROLLBACK", "-h", self.database.folder, "-p", str(self.database.port),
                 "-U", "jobs", "postgres"]
        before = [server.words().count("lease of this server was lost") for server in self.servers]
        locker = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        began = time.monotonic()
        while locker.poll() is None:
            self.load.turn(0.002)
        after = [server.words().count("lease of this server was lost") for server in self.servers]
        lost = [number + 1 for number, (one, other) in enumerate(zip(before, after)) if one != other]
        if lost:
            self.losable = True
            self.failures.append(f"LEASE: servers {lost} lost their leases while a table was locked for "
                                 f"{time.monotonic() - began:.0f} s")
        self.come_back()

    def crash(self):
        self.run_for(self.dice.uniform(0.2, 0.8))
        # Mostly the servers keep their jobs; when it is away for longer than their leases others may take them.
        is_long = self.dice.random() < 0.1
        seconds = self.dice.uniform(1.1, 1.6) * self.lease if is_long else self.dice.choice([0, self.dice.uniform(0.3, 2)])
        held = self.schema.held()
        self.database.kill()
        if is_long:
            self.losable = True
            self.begin_life(held)
        began = time.monotonic()
        self.run_for(min(seconds, 0.2))
        answered = self.load.answered
        self.run_for(max(0, seconds - 0.2))
        if self.load.answered != answered:
            self.failures.append(f"LIE: {self.load.answered - answered} answers while the database was away")
        if is_long:
            self.begin_life(held)
        self.database.start(waits=False)
        while not self.database.is_ready():
            self.turn(0.002)
        self.away += time.monotonic() - began
        if is_long:
            self.lives[-1].held.update(name for _, name in self.schema.held())
        self.come_back()

    def come_back(self):
        back, answered = time.monotonic(), self.load.answered
        self.run_until(back + 20, lambda: self.load.answered > answered)
        for server in self.servers:
            server.check_alive()
        self.recoveries.append(time.monotonic() - back)
        if self.recoveries[-1] > BACK_WITHIN * PATIENCE:
            self.failures.append(f"LATE: no job was accepted until {self.recoveries[-1]:.1f} s after the database was back")
        # Those that came during the outage come again.
        self.run_for(self.dice.uniform(0.3, 1))

    def note_lost_lease(self, server):
        if not self.losable:
            super().note_lost_lease(server)


def part(values, share):
    return values[min(len(values) - 1, int(len(values) * share))]


def report_probes(proof, probes, where):
    """Prints how soon probes were answered, and notes what took too long."""
    for kind, found in probes["found"].items():
        took = sorted(seconds for _, seconds, status in found if status)
        silent = sum(1 for _, _, status in found if not status)
        statuses = {}
        for _, _, status in found:
            statuses[status] = statuses.get(status, 0) + 1
        if not took:
            continue
        print(f"  {kind}, {where}: {len(found)} probes {statuses}, half within {part(took, 0.5) * 1000:.0f} ms, p99 "
              f"{part(took, 0.99):.2f} s, p99.9 {part(took, 0.999):.2f} s, longest {took[-1]:.2f} s, {silent} without an "
              f"answer", flush=True)
        if part(took, 0.999) > MOST_WITHIN * PATIENCE or took[-1] > EACH_WITHIN * PATIENCE or silent:
            proof.failures.append(f"SLOW: {kind}, {where}: p99.9 {part(took, 0.999):.2f} s, longest {took[-1]:.2f} s, "
                                  f"{silent} without an answer")
    late = probes["late"]
    print(f"  the prober itself was late {len(late)} times by more than 10 ms, at most {max(late, default=0) * 1000:.0f} ms, "
          f"which is subtracted; {probes['skipped']} probes left out with too many open", flush=True)


def run(proof, kills, lease, locked):
    recoveries, away = [], 0
    for fleet, done in proof.fleets(BereftFleet, kills, KILLS_PER_FLEET, BereftFleet.crash, lease=lease):
        recoveries += fleet.recoveries
        away += fleet.away
        proof.say(f"{done} times the database was killed, away for {away:.0f} s; jobs accepted after it was back: "
                  f"{describe(recoveries)}")
        report_probes(proof, fleet.probes, "database killed")
    if locked:
        for fleet, done in proof.fleets(BereftFleet, 1, 1, lambda fleet: fleet.lock(locked), lease=lease):
            proof.say(f"a table was locked for {locked} s")
            report_probes(proof, fleet.probes, "table locked")
    if not proof.refused:
        proof.failures.append("REFUSAL: no request was refused while the database was away")


def main():
    with Proof(sys.argv[1], int(sys.argv[3])) as proof:
        run(proof, int(sys.argv[2]), int(sys.argv[4]), int(sys.argv[5]))


if __name__ == "__main__":
    main()
