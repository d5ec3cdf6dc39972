"""Counts what arrives at the upstream of POST jobs whose connections and whose server are cut at random.

usage: once.py BINARY FOLDER JOBS KILLS SEED
"""
import asyncio
import atexit
import collections
import json
import os
import random
import re
import socket
import struct
import sys
import time
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../Crash"))
from serving import Server

# How a request may be treated, and how often.
PLACES = [
    ("whole answer", 30), ("whole answer, then closed", 10), ("declined with 503", 6),
    ("cut before reading", 8), ("cut in the request", 10), ("cut after the request", 14),
    ("cut in the head of the answer", 8), ("cut in the content of the answer", 8), ("answered late", 6),
]
KINDS = [("plain", 70), ("keyed", 20), ("unsafe", 10)]


def chosen(table, dice):
    return dice.choices([name for name, _ in table], [weight for _, weight in table])[0]


class Target:
    """An HTTP server that notes what it saw of each job and then does what the dice say."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        # Requests of a job of which at least the head was seen and which were not declined.
        self.seen = collections.Counter()
        self.declined = collections.Counter()
        # Those of them of whose answer the whole status line was sent.
        self.answered = collections.Counter()
        self.keys = collections.defaultdict(set)
        self.places = collections.Counter()

    async def start(self):
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0, limit=1 << 20)
        return server.sockets[0].getsockname()[1]

    @staticmethod
    def cut(writer, hard):
        if hard:
            peer = writer.get_extra_info("socket")
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort() if hard else writer.close()

    async def serve(self, reader, writer):
        try:
            while await self.request(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def note(self, head):
        job = int(re.search(rb"/once/(\d+)", head).group(1))
        key = re.search(rb"(?i)\r\nidempotency-key: ([^\r\n]+)", head)
        if key:
            self.keys[job].add(key.group(1))
        return job

    async def request(self, reader, writer):
        place, hard = chosen(PLACES, self.dice), self.dice.random() < 0.5
        if place == "cut before reading":
            # What has arrived all the same counts as seen: the upstream cannot tell.
            await asyncio.sleep(self.dice.random() * 0.02)
            held = bytes(reader._buffer)
            if not held and not reader.at_eof():
                held = await asyncio.wait_for(reader.read(1), 5)
                held += bytes(reader._buffer)
            if not held:
                return False
            self.places[place] += 1
            if b"/once/" in held and b" HTTP/1.1" in held:
                self.seen[self.note(held)] += 1
            self.cut(writer, hard)
            return False
        head = await reader.readuntil(b"\r\n\r\n")
        job = self.note(head)
        self.places[place] += 1
        length = int(re.search(rb"(?i)content-length: (\d+)", head).group(1))
        if place == "cut in the request":
            self.seen[job] += 1
            await reader.readexactly(self.dice.randrange(length))
            self.cut(writer, hard)
            return False
        await reader.readexactly(length)
        if place == "declined with 503":
            self.declined[job] += 1
            writer.write(b"HTTP/1.1 503 Busy\r\nContent-Length: 2\r\n\r\n{}")
            await writer.drain()
            return True
        self.seen[job] += 1
        if place == "cut after the request":
            self.cut(writer, hard)
            return False
        if place == "answered late":
            await asyncio.sleep(self.dice.uniform(0.3, 2))
        answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 400\r\n\r\n"
        status_line = len(b"HTTP/1.1 200 OK\r\n")
        content = b'"' + b"x" * 398 + b'"'
        if place == "cut in the head of the answer":
            end = self.dice.randrange(1, len(answer) - 1)
            writer.write(answer[:end])
            await writer.drain()
            self.answered[job] += end >= status_line
            await asyncio.sleep(0.01)
            self.cut(writer, False)
            return False
        self.answered[job] += 1
        if place == "cut in the content of the answer":
            writer.write(answer + content[:self.dice.randrange(399)])
            await writer.drain()
            await asyncio.sleep(0.01)
            self.cut(writer, False)
            return False
        writer.write(answer + content)
        await writer.drain()
        return place != "whole answer, then closed"


def ask(server, method, path, body=None, headers=None):
    """One request; again and again while the server is down."""
    while True:
        request = urllib.request.Request(server.url + path, body, headers or {}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            if error.code not in (409, 503):
                sys.exit(f"FAILED: {method} {path}: {error.code} {error.read()[:300]}")
        except (OSError, urllib.error.URLError):
            pass
        time.sleep(0.05)


def spec(number, kind, dice, port):
    request = {
        "method": dice.choice(["POST", "POST", "POST", "PATCH"]), "url": f"http://127.0.0.1:{port}/once/{number}",
        "text": "x" * (100_000 if dice.random() < 0.05 else dice.randrange(1, 2_000)),
    }
    retry = {"max_attempts": 8, "backoff": "40ms"}
    if kind == "keyed":
        request["idempotency_key"] = "auto"
    if kind == "unsafe":
        retry["unsafe"] = True
    return {"type": "network", "name": kind, "request": request, "retry": retry,
            "timeouts": {"first_byte": "20s"}}


def submit(server, jobs, numbers, dice, port):
    for number in numbers:
        kind = chosen(KINDS, dice)
        body = json.dumps(spec(number, kind, dice, port)).encode()
        headers = {"Content-Type": "application/json", "Idempotency-Key": f'"once-{number}"'}
        jobs[number] = (kind, ask(server, "POST", "/v1/jobs", body, headers)["id"])


async def run(binary, folder, count, kills, seed):
    dice = random.Random(seed)
    target = Target(seed + 1)
    port = await target.start()
    server, jobs = Server(binary, folder, ("--origin-guards", "none", "--concurrency", "64")), {}
    atexit.register(server.clean_up)
    await asyncio.to_thread(server.start)
    began = time.monotonic()
    halves = [range(count // 2), range(count // 2, count)]
    work = [asyncio.create_task(asyncio.to_thread(submit, server, jobs, numbers, random.Random(seed + index), port))
            for index, numbers in enumerate(halves)]
    # The kills come while there is work: each after another share of the requests has been seen.
    total = int(count * 1.3)
    for kill in range(kills):
        share = total * (kill + 1) / (kills + 1) * 0.8
        while sum(target.places.values()) < share and not all(task.done() for task in work):
            await asyncio.sleep(0.005)
        await asyncio.sleep(dice.uniform(0.02, 0.4))
        await asyncio.to_thread(server.kill)
        await asyncio.sleep(dice.uniform(0, 0.2))
        await asyncio.to_thread(server.start)
    await asyncio.gather(*work)
    found = {}
    for number, (kind, job) in sorted(jobs.items()):
        while True:
            found[number] = await asyncio.to_thread(ask, server, "GET", f"/v1/jobs/{job}", None, {"Prefer": "wait=20"})
            if found[number]["done"]:
                break
    took = time.monotonic() - began
    await asyncio.to_thread(server.kill)
    return target, jobs, found, took


def judge(target, jobs, found):
    """Everything that is not as promised."""
    bad = []
    for number, (kind, job) in sorted(jobs.items()):
        state, error = found[number]["state"], found[number].get("error") or {}
        seen, delivery = target.seen[number], error.get("delivery")
        told = f"{job} ({kind}, {number}): seen {seen}, {state}, {error.get('code')}, {delivery}"
        if kind == "plain" and seen > 1:
            bad.append(told + ": DELIVERED TWICE")
        if state == "succeeded" and seen < 1:
            bad.append(told + ": succeeded and never seen")
        if kind == "plain" and state == "failed":
            if seen == 1 and target.answered[number] == 0 and delivery != "sent_unknown":
                bad.append(told + ": ambiguous and not reported so")
            if seen == 0 and delivery == "answered" and not target.declined[number]:
                bad.append(told + ": said to be answered and was not")
            if delivery == "sent_unknown" and error.get("retry_stopped_by") != "unsafe_method":
                bad.append(told + f": stopped by {error.get('retry_stopped_by')}")
        if kind == "keyed" and len(target.keys[number]) > 1:
            bad.append(told + ": several idempotency keys")
    keys = [key for keys in target.keys.values() for key in keys]
    if len(keys) != len(set(keys)):
        bad.append("two jobs have one idempotency key")
    return bad


def report(target, jobs, found, took, kills):
    print(f"{len(jobs)} jobs, {sum(target.places.values())} requests seen, {kills} times kill -9, {took:.1f} s")
    for place, _ in PLACES:
        print(f"  {target.places[place]:5} {place}")
    for kind, _ in KINDS:
        numbers = [number for number, (its, _) in jobs.items() if its == kind]
        states = collections.Counter(found[n]["state"] for n in numbers)
        words = collections.Counter((found[n].get("error") or {}).get("delivery") for n in numbers
                                    if found[n]["state"] == "failed")
        crashed = sum((found[n].get("error") or {}).get("code") == "internal.interrupted" for n in numbers)
        twice = sum(target.seen[n] > 1 for n in numbers)
        print(f"{kind}: {len(numbers)} jobs, {dict(states)}, failed ones by delivery {dict(words)}, "
              f"{crashed} were in flight at a kill, {twice} were seen more than once")


binary, folder, count, kills, seed = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
target, jobs, found, took = asyncio.run(run(binary, folder, count, kills, seed))
report(target, jobs, found, took, kills)
bad = judge(target, jobs, found)
duplicates = sum("TWICE" in line for line in bad)
print(f"duplicates without permission: {duplicates}")
for line in bad[:20]:
    print("FAILED:", line)
sys.exit(1 if bad else 0)
