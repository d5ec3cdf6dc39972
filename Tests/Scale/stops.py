"""Stops a server of three for longer than its lease and lets it go on, again and again, and looks whether it writes
anything that is out of date, or sends a request a second time.

usage: stops.py BINARY STOPS SEED LEASE [EXPECTED]

With EXPECTED, the beginning of a complaint, the server is one that has a fault, which must be found.
"""
import signal
import sys
import time

import parts  # noqa: F401
from fleet import Fleet
from proof import Proof
from takeovers import describe, late
from workload import MIX

STOPS_PER_FLEET = 10


class StoppedFleet(Fleet):
    """Servers that are stopped for a while."""

    # Many requests that may not be sent twice.
    mix = MIX | {"post": 40}

    def __init__(self, *arguments, **settings):
        super().__init__(*arguments, **settings)
        self.lost = {server: 0 for server in self.servers}

    def stop_and_go_on(self):
        self.run_for(self.dice.uniform(0.3, 1.5))
        server = self.dice.choice(self.servers)
        server.process.send_signal(signal.SIGSTOP)
        # What it had sent to the database before.
        time.sleep(0.05)
        held, known = self.schema.held(self.owners[server]), self.schema.owners()
        self.begin_life(held)
        self.takeovers.begin(held, self.owners[server])
        if self.dice.random() < 0.7:
            self.load.give_up(server.port)
        self.run_for(self.dice.uniform(1.5, 3) * self.lease)
        self.load.give_up(server.port)
        # Its calls that go on now were begun before.
        self.begin_life(held)
        server.process.send_signal(signal.SIGCONT)
        self.load.open(server.port)
        deadline = time.monotonic() + 2 * self.lease
        self.run_until(deadline, lambda: self.schema.owners() - known)
        self.owners[server] = self.schema.owners() - known
        self.lost[server] += 1
        if not self.owners[server]:
            self.failures.append("STUCK: a server that went on has no lease")
        server.check_alive()

    def note_lost_lease(self, server):
        if server.words().count("lease of this server was lost") > self.lost[server]:
            super().note_lost_lease(server)


def run(proof, stops, lease):
    seconds = []
    for fleet, done in proof.fleets(StoppedFleet, stops, STOPS_PER_FLEET, StoppedFleet.stop_and_go_on, lease=lease):
        seconds += fleet.takeovers.seconds
        proof.say(f"{done} times a server was stopped for 1.5 to 3 leases of {lease} s; its jobs were taken by others: "
                  f"{describe(seconds)}")
    if complaint := late(seconds, lease + 5):
        proof.failures.append(complaint)


def main():
    with Proof(sys.argv[1], int(sys.argv[3]), expected=sys.argv[5:]) as proof:
        run(proof, int(sys.argv[2]), int(sys.argv[4]))


if __name__ == "__main__":
    main()
