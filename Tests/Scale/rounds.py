"""Kills one server of three again and again under load, and looks whether everything that they promised is kept.

usage: rounds.py BINARY ROUNDS SEED LEASE
"""
import os
import sys
import time

import parts  # noqa: F401
from fleet import Fleet
from proof import Proof
from serving import ServerFailure
from stay import STOP_WITHIN
from takeovers import describe, late

ROUNDS_PER_FLEET = 30
# How a round ends, and how often.
ENDS = {"load": 40, "acknowledgement": 28, "drain": 12, "stop": 10, "start-up": 10}


class KilledFleet(Fleet):
    def round(self):
        """Load on all servers, then one is killed, sometimes a second one at once."""
        self.start()
        self.load.repeat(3, self.dice)
        self.run_for(self.dice.uniform(0.05, 0.6))
        for _ in range(self.dice.choices([1, 2, 3], [85, 12, 3])[0]):
            self.server = self.dice.choice(self.servers)
            self.kill(self.dice.choices(list(ENDS), list(ENDS.values()))[0])
        # Sometimes the others are alone until they have taken the jobs.
        is_long = self.dice.random() < 0.05
        self.run_for(self.dice.uniform(0.5, 1.2) * self.lease if is_long else self.dice.uniform(0, 0.8))

    def kill(self, moment):
        if self.server.process.poll() is not None:
            # It was killed in this round.
            moment = "start-up"
        if moment == "start-up":
            if self.server.process.poll() is None:
                self.end_by_kill("load")
            self.spawn(self.server)
            self.run_for(self.dice.uniform(0, 1.2) * min(1, self.starts[-1]))
        else:
            getattr(self, f"until_{moment}")()
        self.end_by_kill(moment)

    def until_stop(self):
        """No kill: a clean end, after which it holds nothing."""
        self.server.ask_to_stop()
        self.run_until(time.monotonic() + STOP_WITHIN, lambda: self.server.process.poll() is not None)
        if self.server.process.poll() is None:
            raise ServerFailure(f"no end {STOP_WITHIN} s after SIGTERM: {self.server.last_words()}")


def run(proof, rounds, lease, kind=KilledFleet):
    seconds = []
    for fleet, done in proof.fleets(kind, rounds, ROUNDS_PER_FLEET, kind.round, lease=lease):
        seconds += fleet.takeovers.seconds
        proof.say(f"{done} rounds; jobs of dead servers were taken by others: {describe(seconds)}")
    if complaint := late(seconds, lease + 5):
        proof.failures.append(complaint)


def main():
    with Proof(sys.argv[1], int(sys.argv[3])) as proof:
        run(proof, int(sys.argv[2]), int(sys.argv[4]))


if __name__ == "__main__":
    main()
