"""Kills the database under three servers again and again, and looks whether everything that they promised is kept.

usage: database.py BINARY KILLS SEED LEASE
"""
import sys
import time

import parts  # noqa: F401
from fleet import Fleet
from proof import Proof
from takeovers import describe

KILLS_PER_FLEET = 10
# Work must go on so soon after the database is back.
BACK_WITHIN = 2


class BereftFleet(Fleet):
    """Servers whose database is killed."""

    def __init__(self, *arguments, **settings):
        super().__init__(*arguments, **settings)
        self.recoveries, self.away, self.losable = [], 0.0, False

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
        if self.recoveries[-1] > BACK_WITHIN:
            self.failures.append(f"LATE: no job was accepted until {self.recoveries[-1]:.1f} s after the database was back")
        # Those that came during the outage come again.
        self.run_for(self.dice.uniform(0.3, 1))

    def note_lost_lease(self, server):
        if not self.losable:
            super().note_lost_lease(server)


def run(proof, kills, lease):
    recoveries, away = [], 0
    for fleet, done in proof.fleets(BereftFleet, kills, KILLS_PER_FLEET, BereftFleet.crash, lease=lease):
        recoveries += fleet.recoveries
        away += fleet.away
        proof.say(f"{done} times the database was killed, away for {away:.0f} s; jobs accepted after it was back: "
                  f"{describe(recoveries)}")
    if not proof.refused:
        proof.failures.append("REFUSAL: no request was refused while the database was away")


def main():
    with Proof(sys.argv[1], int(sys.argv[3])) as proof:
        run(proof, int(sys.argv[2]), int(sys.argv[4]))


if __name__ == "__main__":
    main()
