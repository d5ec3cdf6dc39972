"""What a server does when more comes than it can carry."""
import threading
import time

from .ours import Ours, call_body

OVERLOAD, CONNECTIONS, REST_SECONDS = 5, 512, 2
#: For this long the load generator waits for an answer.
PATIENCE_MS = 20_000
BACKLOG = "1s"


class HealthWatch:
    """The longest time that the server took to say how it is."""

    def __init__(self, server):
        self.server, self.longest, self.ended = server, 0.0, threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def watch(self):
        while not self.ended.wait(0.1):
            began = time.monotonic()
            try:
                self.server.ask("GET", "/healthz")
                self.longest = max(self.longest, time.monotonic() - began)
            except OSError:
                self.longest = float("inf")

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


def at_rest(run, server):
    """The 99th percentile of a job with a call when little comes."""
    found = server.submit(connections=32, rate=run.rate, seconds=2, expect='"done":true', header="Prefer: wait=30",
                          body=call_body(run.target.port))
    return found.get("p99_ms", PATIENCE_MS)


def carry(run, body):
    """How many jobs a second a fresh server does when nothing is refused."""
    probe = Ours(run.bench)
    try:
        probe.start()
        found = probe.bench.load("http", "collect", probe.port, connections=run.connections, count=run.jobs, body=body)
    finally:
        probe.stop()
    return found["stored_per_s"]


def overload(run, server):
    """Jobs with a call at five times the rate that can be carried: how many are done all the same, how soon the others
    are refused, and whether all is as before two seconds later."""
    body = call_body(run.target.port)
    server.stop()
    # Unless told so, a server takes jobs that must wait.
    server.flags = ("--backlog", BACKLOG)
    server.start()
    before_load = carry(run, body)
    before = at_rest(run, server)
    first = server.succeeded()
    began = time.monotonic()
    with HealthWatch(server) as health:
        found = server.submit(connections=CONNECTIONS, rate=OVERLOAD * before_load, seconds=run.overload_seconds,
                              refusals=1, tick_ms=1, body=body)
    done = (server.succeeded() - first) / (time.monotonic() - began)
    memory = server.memory()
    time.sleep(REST_SECONDS)
    after = at_rest(run, server)
    # The machine drifts: what it can do is measured on both sides of what is compared with it.
    after_load = carry(run, body)
    return {"value": done / ((before_load + after_load) / 2), "carried_before": before_load, "carried_after": after_load,
            "offered_per_s": (found["done"] + found["refused"]) / found["seconds"],
            "refused_per_s": found["refused"] / found["seconds"], "refusal_p99_ms": found.get("refusal_p99_ms"),
            "health_ms": health.longest * 1000, "before_ms": before, "after_ms": after,
            "memory_mb": memory, "errors": found["errors"], "stderr": found["stderr"]}
