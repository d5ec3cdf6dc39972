"""Follows the changes of all jobs at several servers while these make, run and cancel jobs.

usage: feed.py BINARY SECONDS RATE SEED
"""
import collections
import http.client
import json
import os
import random
import sys
import threading
import time
import urllib.parse

import parts  # noqa: F401
from asking import Client, Upstream, neighbours

COUNT, LANES = 3, 6
FINAL = ("succeeded", "failed", "cancelled")


class Reader(threading.Thread):
    """A client of the stream. `stay` is the longest time that it stays at once; None is for ever."""

    def __init__(self, servers, number, dice, stay=None, moves=False):
        super().__init__(daemon=True)
        self.servers, self.number, self.dice, self.stay, self.moves = servers, number, dice, stay, moves
        self.name = f"reader {number}" + (" that moves" if moves else " that leaves" if stay else "")
        self.revisions, self.ends = {}, {}
        self.counts, self.failures = collections.Counter(), []
        self.last, self.connection, self.is_stopping = None, None, False
        self.is_following = threading.Event()

    def run(self):
        try:
            while not self.is_stopping:
                self.follow(self.servers[self.number % len(self.servers)])
                if self.is_stopping:
                    return
                time.sleep(self.dice.uniform(0, 2))
                if self.moves:
                    self.number += 1
        except (OSError, http.client.HTTPException, ValueError) as error:
            if not self.is_stopping:
                self.failures.append(f"STREAM: {self.name}: {error!r}")

    def follow(self, server):
        """One connection, from where the last one ended."""
        until = time.monotonic() + self.dice.uniform(0.5, self.stay) if self.stay else None
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=40)
        try:
            self.connection.request("GET", "/v1/events", headers={"Last-Event-ID": self.last} if self.last else {})
            answer = self.connection.getresponse()
            if answer.status != 200:
                raise OSError(f"the stream is answered with {answer.status}")
            event = {}
            while line := answer.readline():
                line = line.decode().rstrip("\n")
                if line:
                    name, _, value = line.partition(": ")
                    event[name] = value
                    continue
                self.take(server, event)
                event = {}
                if self.is_stopping or until and time.monotonic() > until:
                    return
            if not self.is_stopping:
                raise OSError("the stream ended")
        finally:
            self.connection.close()

    def take(self, server, event):
        kind = event.get("event", "message")
        self.counts[kind] += 1
        if kind == "message":
            self.see(json.loads(event["data"]))
        elif kind == "reset":
            # What follows may be older than what was seen elsewhere.
            self.revisions.clear()
            self.list(server)
        elif kind == "refused":
            raise OSError(f"refused: {event}")
        # A connection may end after any event, and is continued after this one.
        self.last = event.get("id", self.last)
        self.is_following.set()

    def see(self, job):
        id, revision = job["id"], job["revision"]
        if revision < self.revisions.get(id, 0):
            self.failures.append(f"OLDER: {self.name}: revision {revision} of {id} after {self.revisions[id]}")
        self.revisions[id] = revision
        if job["done"]:
            self.ends[id] = job["state"]

    def list(self, server):
        client, token = Client(server), None
        while True:
            query = {"page_size": 500, "state": ",".join(FINAL), **({"page_token": token} if token else {})}
            page = client.ask("GET", f"/v1/jobs?{urllib.parse.urlencode(query)}")
            self.counts["listed"] += len(page["items"])
            for job in page["items"]:
                self.ends.setdefault(job["id"], job["state"])
            token = page.get("next_page_token")
            if not token:
                return

    def stop(self):
        self.is_stopping = True
        self.join(45)


class Load:
    """Submits jobs to all servers at a rate, and cancels some at another one."""

    def __init__(self, servers, upstream, seed):
        self.clients, self.upstream, self.seed = [Client(server) for server in servers], upstream, seed
        self.ids, self.failures, self.cancelled = [], [], 0

    def spec(self, dice):
        kind = dice.randrange(4)
        if kind == 0:
            return {"type": "value", "value": 1}
        if kind == 1:
            return {"type": "delay", "for": f"{dice.randrange(1, 800)}ms"}
        call = self.upstream.call(dice.randrange(1, 300))
        if kind == 2:
            return call
        return {"type": "group", "ordered": True, "operations": [
            {"type": "delay", "for": f"{dice.randrange(1, 300)}ms"}, {"type": "value", "value": 2}, call]}

    def work(self, lane, until, pause):
        dice = random.Random(self.seed * 1000 + lane)
        try:
            while time.monotonic() < until:
                id = dice.choice(self.clients).submit(self.spec(dice))
                self.ids.append(id)
                if dice.random() < 0.25:
                    time.sleep(dice.uniform(0, 0.1))
                    # One that has ended is left as it is.
                    try:
                        dice.choice(self.clients).ask("POST", f"/v1/jobs/{id}:cancel")
                        self.cancelled += 1
                    except OSError as error:
                        if " 409 " not in str(error):
                            raise
                time.sleep(dice.expovariate(1 / pause))
        except (OSError, http.client.HTTPException) as error:
            self.failures.append(f"LOAD: {error}")

    def run(self, seconds, rate):
        until = time.monotonic() + seconds
        lanes = [threading.Thread(target=self.work, args=(lane, until, LANES / rate)) for lane in range(LANES)]
        for lane in lanes:
            lane.start()
        for lane in lanes:
            lane.join()

    def states(self):
        """The states of all jobs, once each has ended."""
        return {id: self.clients[0].end(id)["state"] for id in self.ids}


def complaints(reader, states):
    for id, state in states.items():
        found = reader.ends.get(id)
        if found != state:
            yield f"UNTOLD: {reader.name}: {id} is {state}, and the reader knows {found}"
    yield from reader.failures


def run(servers, upstream, seconds, rate, seed):
    for server in servers:
        server.start()
    readers = []
    for number in range(COUNT):
        for stay, moves in ((None, False), (8, False), (8, True)):
            readers.append(Reader(servers, number, random.Random(seed * 100 + len(readers)), stay, moves))
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.is_following.wait(30)
    load = Load(servers, upstream, seed)
    load.run(seconds, rate)
    states = load.states()
    # Streams tell within a second, and those who are away come back within two.
    time.sleep(6)
    for reader in readers:
        reader.stop()
    failures = list(load.failures)
    for reader in readers:
        failures += complaints(reader, states)
        print(f"{reader.name}: {dict(reader.counts)}", flush=True)
    kinds = collections.Counter(states.values())
    print(f"{len(states)} jobs ({', '.join(f'{count} {state}' for state, count in kinds.most_common())}), "
          f"{load.cancelled} cancellations, {len(readers)} readers at {len(servers)} servers, {seconds:.0f} s")
    return failures


def main():
    binary, seconds, rate, seed = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    with neighbours(binary, COUNT, "feed") as servers:
        failures = run(servers, Upstream(), seconds, rate, seed)
        for failure in failures[:20]:
            print("FAILED:", failure)
        if failures:
            sys.exit(f"FAILED: {len(failures)} with SEED={seed}; everything is kept in {os.path.dirname(servers[0].folder)}")
    print("every end was told or listed, no older revision after a newer one")


if __name__ == "__main__":
    main()
