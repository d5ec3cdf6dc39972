"""What a server does when more comes than it can carry."""
import threading
import time

from .ours import Ours, call_body

OVERLOAD, CONNECTIONS, REST_SECONDS = 5, 512, 2
#: For this long the load generator waits for an answer.
PATIENCE_MS = 20_000
BACKLOG = "1s"
#: A load has filled the backlog after so many seconds, and goes on for a moment after it was looked at.
SETTLE_SECONDS, SPARE_SECONDS = 2, 0.5
#: Where the most is looked for, as shares of what is done of jobs that were sent at once.
AROUND = (0.8, 1.0, 1.2)


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


def burst(run, body):
    """How many jobs a second a fresh server does of those that were sent at once."""
    probe = Ours(run.bench)
    try:
        probe.start()
        found = probe.bench.load("http", "collect", probe.port, connections=run.connections, count=run.jobs, body=body)
    finally:
        probe.stop()
    return found["stored_per_s"]


def load(server, port, body, rate, seconds):
    """Begins a load that comes at this rate whatever becomes of it, and goes on a little longer than it is looked at."""
    return server.bench.load_later("http", "submit", port, connections=CONNECTIONS, rate=rate,
                                   seconds=SETTLE_SECONDS + seconds + SPARE_SECONDS, refusals=1, tick_ms=1, body=body)


def goodput(server, body, rate, seconds):
    """Jobs done each second of such a load, once it has settled; and what the load generator counted."""
    loader = load(server, server.port, body, rate, seconds)
    time.sleep(SETTLE_SECONDS)
    first, began = server.succeeded(), time.monotonic()
    time.sleep(seconds)
    done = (server.succeeded() - first) / (time.monotonic() - began)
    return done, server.bench.result(loader)


def peak(run, server, body, scale):
    """The most that is done of loads around what can be carried."""
    most = 0
    for share in AROUND:
        most = max(most, goodput(server, body, scale * share, run.seconds)[0])
        server.wait_idle(30)
    return most


def beside_nginx(run, server, body, rate):
    """Jobs done each second when one part of the load comes to our server and nginx refuses the other four: what the
    machine leaves for jobs that carries generator, server, and refusals as cheap as they are anywhere."""
    refusing = load(server, run.target.port, body, (OVERLOAD - 1) * rate, run.seconds)
    done, _ = goodput(server, body, rate, run.seconds)
    found = server.bench.result(refusing)
    server.wait_idle(30)
    return done, found


def overload(run, server):
    """Jobs with a call at five times the rate that can be carried: how many are done all the same, how soon the others
    are refused, and whether all is as before two seconds later."""
    body = call_body(run.target.port)
    server.stop()
    # Unless told so, a server takes jobs that must wait.
    server.flags = ("--backlog", BACKLOG)
    server.start()
    scale = burst(run, body)
    peak_before = peak(run, server, body, scale)
    before = at_rest(run, server)
    with HealthWatch(server) as health:
        done, found = goodput(server, body, OVERLOAD * peak_before, run.overload_seconds)
    memory = server.memory()
    time.sleep(REST_SECONDS)
    after = at_rest(run, server)
    limit, refused_there = beside_nginx(run, server, body, peak_before)
    # The machine drifts: what it can do is measured on both sides of what is compared with it.
    peak_after = peak(run, server, body, scale)
    most = (peak_before + peak_after) / 2
    return {"value": done / most, "limit_share": limit / most, "limit_ms": refused_there.get("refusal_p99_ms"),
            "peak_before": peak_before, "peak_after": peak_after, "burst_per_s": scale,
            "offered_per_s": (found["done"] + found["refused"]) / found["seconds"],
            "refused_per_s": found["refused"] / found["seconds"], "refusal_p99_ms": found.get("refusal_p99_ms"),
            "health_ms": health.longest * 1000, "before_ms": before, "after_ms": after,
            "memory_mb": memory, "errors": found["errors"], "stderr": found["stderr"]}
