"""The processes beside the server: the upstreams, the attacker, the other tenant, and the one who asks for its health.

What measures has real-time priority where that is permitted, so that its own wait for a processor is not the server's.
"""
import collections
import json
import multiprocessing
import os
import socketserver
import threading
import time

from .kinds import Kind, all_kinds, encode, prepare_all
from .wire import Wire, quantile, timed

FIELDS = "".join(f"X-{i}: {'a' * 1_000}\r\n" for i in range(250))


class Upstream(socketserver.ThreadingTCPServer):
    daemon_threads, allow_reuse_address, request_queue_size = True, True, 1_024
    small = {"/ok": b'{"status":"ok"}', "/text": b"a" * 100_000, "/heads": b"{}"}
    large = {}

    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            try:
                while first := self.rfile.readline():
                    for line in iter(self.rfile.readline, b"\r\n"):
                        if not line:
                            return
                    self.reply(first.split()[1].decode())
            except OSError:
                pass

        def reply(self, path):
            content = self.server.small.get(path)
            if content is None:
                content = self.server.large[path]
            fields, status = ("", "200 OK") if path != "/heads" else (FIELDS, "404 Not Found")
            kind = "application/octet-stream" if path in ("/bytes", "/endless") else "text/plain" if path == "/text" else "application/json"
            length = 10 ** 13 if path == "/endless" else len(content)
            self.wfile.write(f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{fields}Content-Length: {length}\r\n\r\n".encode())
            self.wfile.write(content)


def first_in_line():
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except OSError:
        pass


def upstream(pipe, is_heavy):
    if is_heavy:
        os.nice(5)
        piece = json.dumps([{"id": i, "name": "a" * 80} for i in range(1_000)]).encode()[1:-1] + b","
        Upstream.large = {"/json": b"[" + piece * (128_000_000 // len(piece)) + b"1]", "/bytes": os.urandom(1 << 20) * 191,
                          "/endless": b"a" * (1 << 20)}
    else:
        first_in_line()
    server = Upstream(("127.0.0.1", 0), Upstream.Handler)
    pipe.send(f"http://127.0.0.1:{server.server_address[1]}")
    server.serve_forever()


class Tally:
    def __init__(self):
        self.statuses, self.times, self.errors = collections.Counter(), [], collections.Counter()


def attack(pipe, ports, token, url, heavy, wanted, rate, end):
    """Each kind at its rate, by a few threads; what finds them all busy is late, and counted when it is sent."""
    os.nice(5)
    kinds = [kind for kind in all_kinds(url, heavy) if not wanted or any(word in kind.name for word in wanted)]
    prepare_all(Wire(ports[0]), token)
    for kind in kinds:
        if kind.prepare:
            kind.prepare(kind, Wire(ports[0], timeout=120), token)
    pipe.send([(kind.name, kind.about, kind.largest) for kind in kinds])
    pipe.recv()
    tallies, threads = {}, []
    begin = time.monotonic()
    for kind in kinds:
        tally = tallies[kind.name] = Tally()
        turns = iter(range(1 << 60))
        lock = threading.Lock()
        for _ in range(6):
            threads.append(threading.Thread(target=send_all, daemon=True, args=(
                kind, tally, turns, lock, ports, token, rate, begin, begin + end)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(begin + end + 20 - time.monotonic(), 0.01))
    pipe.send({name: (dict(tally.statuses), dict(tally.errors), max(tally.times, default=0)) for name, tally in tallies.items()})


def send_all(kind, tally, turns, lock, ports, token, rate, begin, end):
    wires = {}
    while True:
        with lock:
            turn = next(turns)
        due = begin + turn / rate
        if due > end:
            return
        time.sleep(max(due - time.monotonic(), 0))
        if time.monotonic() > end:
            return
        port = ports[turn % len(ports)]
        began = time.monotonic()
        try:
            if kind.send:
                status = kind.send(kind, port, token)
            else:
                wire = wires.setdefault(port, Wire(port, timeout=60))
                status, _ = wire.ask(kind.method, kind.path, token=token, body=kind.body or None, kind=kind.kind)
            tally.statuses[status] += 1
        except (OSError, ValueError, IndexError) as error:
            tally.errors[type(error).__name__] += 1
            time.sleep(0.2)
        tally.times.append(time.monotonic() - began)


def other_tenant(pipe, ports, token, url, rate, end):
    """Jobs of one call, submitted on schedule, each on its own connection, until their result is there."""
    first_in_line()
    body = encode({"type": "network", "request": url + "/ok", "retention": {"succeeded": "1m"}})
    found, failures, lateness, lock = [], [], [], threading.Lock()
    begin = time.monotonic()

    def work(number, threads):
        wires = {port: Wire(port, timeout=60, stamps=True) for port in ports}
        turn = number
        while begin + turn / rate < begin + end:
            due = begin + turn / rate
            # A job that could not be submitted in time, since all clients waited for the server, has waited, too.
            waited = max(time.monotonic() - due, 0)
            time.sleep(max(due - time.monotonic(), 0))
            late = 0 if waited else time.monotonic() - due
            try:
                status, content, seconds, looked = timed(wires[ports[turn % len(ports)]], "POST", "/v1/jobs", token=token, body=body,
                                                         fields="Prefer: wait=50\r\n")
                with lock:
                    lateness.append(late + looked)
                    found.append((time.monotonic() - begin, waited + seconds))
                    if status not in (200, 202) or b'"state":"succeeded"' not in content:
                        failures.append(f"{status} {content[:300]!r}")
            except (OSError, ValueError, IndexError) as error:
                with lock:
                    failures.append(repr(error))
                    found.append((time.monotonic() - begin, time.monotonic() - due))
                time.sleep(0.1)
            turn += threads

    threads = [threading.Thread(target=work, args=(number, 32), daemon=True) for number in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(begin + end + 60 - time.monotonic(), 0.01))
    with lock:
        pipe.send((list(found), list(failures), list(lateness)))


def prober(pipe, ports, token, end, every=0.05):
    """`/healthz` of each server in turn, and now and then an event stream of the other tenant."""
    first_in_line()
    found, failures, lateness, streams = [], [], [], []
    wires = {port: Wire(port, timeout=30, stamps=True) for port in ports}
    begin, turn = time.monotonic(), 0
    while (due := begin + turn * every) < begin + end:
        # While one answer is waited for, those that would have been asked meanwhile wait, too.
        waited = max(time.monotonic() - due, 0)
        time.sleep(max(due - time.monotonic(), 0))
        late = 0 if waited else time.monotonic() - due
        if waited > every:
            found.append((time.monotonic() - begin, waited))
            turn += 1
            continue
        turn += 1
        port = ports[turn % len(ports)]
        try:
            status, _, seconds, looked = timed(wires[port], "GET", "/healthz")
            found.append((time.monotonic() - begin, seconds))
            lateness.append(late + looked)
            if status != 200:
                failures.append(f"healthz {status}")
            if turn % 200 == 0:
                streams.append(stream_status(port, token))
        except (OSError, ValueError, IndexError) as error:
            failures.append(repr(error))
            found.append((time.monotonic() - begin, 30.0))
            time.sleep(0.5)
    pipe.send((found, failures, lateness, streams))


def stream_status(port, token):
    wire = Wire(port, timeout=10)
    wire.send("GET", "/v1/events", token=token)
    status = int(wire.line().split()[1])
    wire.close()
    return status


class Part:
    """A process that does one of these, with a pipe to it."""

    def __init__(self, target, *words):
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=target, args=(other, *words), daemon=True)
        self.process.start()
        other.close()

    def get(self, seconds):
        if not self.pipe.poll(seconds):
            return None
        try:
            return self.pipe.recv()
        except EOFError:
            return None

    def stop(self):
        if self.process.is_alive():
            self.process.kill()
        self.process.join()


__all__ = ["Kind", "Part", "attack", "other_tenant", "prober", "quantile", "upstream"]
