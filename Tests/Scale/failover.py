"""Kills the primary under three servers and promotes its standby, again and again, and looks whether anything is lost.

usage: failover.py BINARY FAILOVERS SEED sync|async [EXPECTED]

The standby hears of the primary through a proxy, which sometimes hangs for a while before the primary is killed. With
an asynchronous standby jobs are lost then, which must be found: EXPECTED is the beginning of the complaint.
"""
import shutil
import sys
import tempfile
import threading
import time

import parts  # noqa: F401
from cutter import Proxy
from fleet import Fleet
from postgres import STANDBY, Postgres, free_port
from proof import Proof
from takeovers import describe

FAILOVERS_PER_FLEET = 5


class Pair:
    """A primary and its standby, which change places."""

    def __init__(self, is_synchronous):
        self.folder, self.count = tempfile.mkdtemp(prefix="jobserver-pair-"), 0
        # Strict: without a standby nothing is durable, and nothing is acknowledged.
        self.settings = (f"synchronous_standby_names={STANDBY if is_synchronous else ''}",)
        self.state = "sync" if is_synchronous else "async"
        self.primary, self.standby, self.link = Postgres(self.settings), None, None
        self.ports = (self.primary.port, free_port())

    @property
    def address(self):
        """As libpq finds the one that takes writes."""
        ports = ",".join(map(str, self.ports))
        return f"host=127.0.0.1,127.0.0.1 port={ports} user=jobs dbname=postgres target_session_attrs=read-write"

    def start(self):
        self.primary.start()
        self.add_standby()

    def add_standby(self):
        """Makes a standby where none is, and waits until it follows."""
        port = next(port for port in self.ports if port != self.primary.port)
        self.count += 1
        self.link = Proxy(self.folder, f"link-{self.count}", self.primary.port)
        self.standby = Postgres(self.settings, self.primary, port)
        self.standby.follow(self.link.port)
        self.standby.start(waits=False)

    def is_followed(self):
        rows = self.ask("SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'")
        return rows == [[self.state]]

    def fail_over(self):
        """After the death of the primary."""
        self.link.do("drop")
        self.standby.promote()
        self.link.clean_up()
        self.primary.clean_up()
        self.primary, self.standby = self.standby, None

    def ask(self, sql):
        return self.primary.ask(sql)

    def clean_up(self):
        for server in (self.primary, self.standby, self.link):
            if server:
                server.clean_up()
        shutil.rmtree(self.folder)


class FailingFleet(Fleet):
    """Servers whose database fails over."""

    def __init__(self, *arguments, **settings):
        super().__init__(*arguments, **settings)
        self.recoveries = []

    def start(self):
        while not self.database.is_followed():
            time.sleep(0.01)
        super().start()

    def fail_over(self):
        pair = self.database
        # What an asynchronous standby does not hear meanwhile is lost.
        lag = self.dice.choice([0, self.dice.uniform(0.2, 1)]) if pair.state == "sync" else 1
        self.run_for(self.dice.uniform(0.5, 1.5))
        held = self.schema.held()
        if lag:
            pair.link.do("hang")
            self.run_for(lag)
        pair.primary.kill()
        self.begin_life(held)
        killed = time.monotonic()
        if self.dice.random() < 0.5:
            self.run_for(self.dice.uniform(0, 1))
        pair.fail_over()
        maker = threading.Thread(target=pair.add_standby)
        maker.start()
        while maker.is_alive() or not pair.is_followed():
            self.turn(0.005)
            if time.monotonic() > killed + 60:
                raise OSError("the new standby does not follow")
        self.begin_life(held)
        answered = self.load.answered
        self.run_until(time.monotonic() + 30, lambda: self.load.answered > answered)
        if self.load.answered == answered:
            self.failures.append("STUCK: no job is accepted after the failover")
        self.recoveries.append(time.monotonic() - killed)
        self.run_for(0.5)

    def note_lost_lease(self, server):
        # Without a standby no lease can be extended.
        pass


def run(proof, failovers, is_synchronous):
    recoveries = []
    for fleet, done in proof.fleets(FailingFleet, failovers, FAILOVERS_PER_FLEET, FailingFleet.fail_over):
        recoveries += fleet.recoveries
        proof.say(f"{done} failovers to {'a synchronous' if is_synchronous else 'an asynchronous'} standby; jobs accepted "
                  f"again after the kill, with a new standby: {describe(recoveries)}")


def main():
    is_synchronous = sys.argv[4] == "sync"
    pair = Pair(is_synchronous)
    pair.start()
    with Proof(sys.argv[1], int(sys.argv[3]), pair, sys.argv[5:]) as proof:
        run(proof, int(sys.argv[2]), is_synchronous)


if __name__ == "__main__":
    main()
