"""Asks servers every 50 ms, each time on a new connection, and measures until the answer is there; a separate process.

usage: prober.py PORT...

Sends POST of a job, GET of the first job and /readyz to each port, until standard input ends. Then it prints one line of
JSON: for each kind a list of [when it began, seconds, status]; status 0 is no answer. The prober's own lateness while it
waited is subtracted and comes in `late`: seconds, the largest first.
"""
import asyncio
import json
import sys
import time

EVERY = 0.05
TIMEOUT = 90
# The most connections to one server at a time, below its limit for one client.
OPEN_MAX = 900


class Prober:
    def __init__(self, ports):
        self.ports, self.open = ports, dict.fromkeys(ports, 0)
        self.found = {"POST": [], "GET": [], "/readyz": []}
        # The time that this process was late until now, and each lateness.
        self.lag, self.late, self.number, self.skipped, self.id = 0.0, [], 0, 0, None
        self.tasks = set()

    async def watch(self):
        while True:
            planned = time.monotonic() + 0.005
            await asyncio.sleep(0.005)
            late = time.monotonic() - planned
            self.lag += max(0, late - 0.001)
            if late > 0.01:
                self.late.append(late)

    async def run(self):
        asyncio.create_task(self.watch())
        ends = asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        turn = time.monotonic()
        while not ends.done():
            for port in self.ports:
                for kind in self.found:
                    if self.open[port] >= OPEN_MAX:
                        self.skipped += 1
                        continue
                    task = asyncio.create_task(self.probe(port, kind))
                    self.tasks.add(task)
                    task.add_done_callback(self.tasks.discard)
            turn += EVERY
            await asyncio.sleep(max(0, turn - time.monotonic()))
            turn = max(turn, time.monotonic() - EVERY)
        if self.tasks:
            await asyncio.wait(self.tasks, timeout=TIMEOUT)
        print(json.dumps({"found": self.found, "late": sorted(self.late, reverse=True)[:1000], "skipped": self.skipped}))

    def request(self, port, kind):
        if kind != "POST":
            path = f"/v1/jobs/{self.id}" if kind == "GET" and self.id else "/readyz" if kind == "/readyz" else "/v1/jobs?page_size=1"
            return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
        self.number += 1
        body = json.dumps({"type": "value", "value": 1, "name": f"probe-{self.number}"})
        return (f"POST /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}")

    async def probe(self, port, kind):
        self.open[port] += 1
        began, lag, status = time.monotonic(), self.lag, 0
        try:
            async with asyncio.timeout(TIMEOUT):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(self.request(port, kind).encode())
                answer = await reader.read(1 << 16)
                # Own lateness counts until the answer begins.
                if answer.startswith(b"HTTP/1.1 "):
                    status = int(answer[9:12])
                if status == 202 and self.id is None and (place := answer.find(b'"id":"')) > 0:
                    self.id = answer[place + 6:answer.index(b'"', place + 6)].decode()
                writer.close()
        except (OSError, asyncio.TimeoutError, ValueError):
            pass
        finally:
            self.open[port] -= 1
        took = time.monotonic() - began
        self.found[kind].append([began, max(0.0, took - (self.lag - lag)), status])


asyncio.run(Prober([int(port) for port in sys.argv[1:]]).run())
