"""Cuts and hangs the connections between three servers and their database, and looks whether anything is lost or doubled.

usage: proxy.py BINARY CUTS SEED LEASE [FAULT...]
"""
import collections
import select
import sys
import time

import parts  # noqa: F401
from cutter import Proxy
from fleet import COUNT, Fleet
from proof import Proof

CUTS_PER_FLEET = 25
# What is done to the connections of a server, and how often.
FAULTS = {"cut": 25, "commit": 30, "answer": 25, "hang": 12, "drop": 8}
SAID = {"cut": "cut at any time", "commit": "cut after COMMIT", "answer": "cut before the answer to COMMIT", "hang": "hung",
        "drop": "hung and cut"}


class CutFleet(Fleet):
    """Servers that reach the database through a proxy of each."""

    faults = list(FAULTS)

    def __init__(self, binary, folder, seed, target, database, **settings):
        self.proxies = [Proxy(folder, f"proxy-{number}", database.port) for number in range(COUNT)]
        self.cuts, self.losable, self.back = collections.Counter(), False, []
        super().__init__(binary, folder, seed, target, database, **settings)

    def make_servers(self, binary, folder):
        self.address = self.database.address.replace(str(self.database.port), "{port}")
        return super().make_servers(binary, folder)

    def place_of_store(self, number):
        return super().place_of_store(number).format(port=self.proxies[number].port)

    def cut(self):
        self.run_for(self.dice.uniform(0.1, 0.6))
        victim = self.dice.randrange(COUNT)
        fault = self.dice.choices(self.faults, [FAULTS[fault] for fault in self.faults])[0]
        proxy, server = self.proxies[victim], self.servers[victim]
        if fault in ("hang", "drop"):
            self.hang(proxy, server, fault)
        elif fault == "cut":
            proxy.do("cut")
        else:
            # The answer comes when a COMMIT has come by, which each server sends now and then.
            proxy.order("commit", "1" if fault == "answer" else "0")
            while not select.select([proxy.process.stdout], [], [], 0)[0]:
                self.turn(0.002)
            if proxy.answer() != "done":
                self.failures.append("STUCK: a server commits nothing any more")
                return
        self.cuts[fault] += 1
        ended, answered = time.monotonic(), self.load.answered
        self.run_until(ended + 20, lambda: self.load.answered > answered)
        server.check_alive()
        if self.load.answered == answered:
            self.failures.append("STUCK: no job is accepted any more")

    def hang(self, proxy, server, fault):
        """What lasts longer than a lease may have others take the jobs."""
        proxy.do("hang")
        # What had come by before.
        time.sleep(0.05)
        held, known = self.schema.held(self.owners[server]), self.schema.owners()
        self.begin_life(held)
        self.run_for(self.dice.uniform(0.2, 2) * self.lease)
        self.begin_life(held)
        self.losable = True
        proxy.do("go" if fault == "hang" else "drop")
        # It may have lost its lease, and claim jobs before it knows that.
        end = time.monotonic() + self.lease
        while time.monotonic() < end:
            self.run_for(0.2)
            self.begin_life(self.schema.held(self.owners[server] | self.schema.owners() - known))
        self.owners[server] |= self.schema.owners() - known

    def note_lost_lease(self, server):
        if not self.losable:
            super().note_lost_lease(server)

    def clean_up(self):
        super().clean_up()
        for proxy in self.proxies:
            proxy.clean_up()


def run(proof, cuts, lease):
    kinds = collections.Counter()
    for fleet, _ in proof.fleets(CutFleet, cuts, CUTS_PER_FLEET, CutFleet.cut, lease=lease):
        kinds.update(fleet.cuts)
        proof.say("; ".join(f"{count} {SAID[kind]}" for kind, count in kinds.most_common()))


def main():
    CutFleet.faults = sys.argv[5:] or CutFleet.faults
    with Proof(sys.argv[1], int(sys.argv[3])) as proof:
        run(proof, int(sys.argv[2]), int(sys.argv[4]))


if __name__ == "__main__":
    main()
