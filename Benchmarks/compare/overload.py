"""The behaviour of a server under overload."""
import contextlib
import threading
import time
from typing import NamedTuple

from .machine import Failed
from .nginx import Nginx
from .ours import Ours, call_body, steps_body

OVERLOAD, REST_SECONDS = 5, 2
#: A load counts when so much of it was sent: 512 requests can be on their way, and then the next ones wait.
OFFERED_MIN = 0.9
#: For this long the load generator waits for an answer.
PATIENCE_MS = 20_000
BACKLOG = "1s"
#: The seconds until a load has filled the backlog, and for which it goes on after the measurement.
SETTLE_SECONDS, SPARE_SECONDS = 2, 0.5
#: The range of the search for the maximum, as shares of the throughput of a burst: up to 1.2 times at least.
LOWEST, ENOUGH, HIGHEST, STEP = 0.8, 1.1, 2.0, 0.2
#: The duration of each measurement: the best of shorter ones is a matter of luck.
LOOK_SECONDS = 10


class Shape(NamedTuple):
    """How many connections a load comes on, and how many requests may be on their way on each."""
    connections: int
    pipeline: int


SHARED, APART = Shape(64, 8), Shape(512, 1)


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


def at_rest(run, server, body):
    """The 99th percentile of such a job when little comes."""
    found = server.submit(connections=32, rate=run.rate, seconds=2, expect='"done":true', header="Prefer: wait=30",
                          body=body)
    return found.get("p99_ms", PATIENCE_MS)


@contextlib.contextmanager
def fresh(run):
    """A server with an empty store and a backlog of a second: by default it accepts jobs that must wait."""
    server = Ours(run.bench)
    server.flags = ("--backlog", BACKLOG)
    try:
        server.start()
        yield server
    finally:
        server.stop()


def burst(run, body):
    """How many jobs a second are done of those that were sent at once, when nothing is refused."""
    server = Ours(run.bench)
    try:
        server.start()
        return server.bench.load("http", "collect", server.port, connections=run.connections, count=run.jobs,
                                 body=body)["stored_per_s"]
    finally:
        server.stop()


def begin_load(bench, port, body, shape, rate, seconds):
    """An open loop at this rate, which goes on a little longer than the measurement."""
    return bench.load_later("http", "submit", port, rate=rate, seconds=SETTLE_SECONDS + seconds + SPARE_SECONDS,
                            refusals=1, tick_ms=1, body=body, **shape._asdict())


def counted(bench, loader):
    """The counts of a load generator, with answers and refusals per second."""
    found = bench.result(loader)
    if found["errors"]:
        raise Failed(f"{found['errors']} answers were errors: {found['stderr']}")
    return {"offered": (found["done"] + found["refused"]) / found["seconds"],
            "refused": found["refused"] / found["seconds"], "refusal_p99_ms": found.get("refusal_p99_ms"),
            "refusal_read_p99_ms": found.get("refusal_read_p99_ms")}


def goodput(server, body, shape, rate, seconds):
    """Jobs done per second under such a load, once it has settled; and the counts of the load generator."""
    loader = begin_load(server.bench, server.port, body, shape, rate, seconds)
    time.sleep(SETTLE_SECONDS)
    first, began = server.succeeded(), time.monotonic()
    time.sleep(seconds)
    done = (server.succeeded() - first) / (time.monotonic() - began)
    return done, counted(server.bench, loader)


def peak(run, body, shape, scale):
    """The maximum throughput. Tries higher loads as long as throughput grows."""
    most, share, seconds = 0, LOWEST, min(LOOK_SECONDS, run.overload_seconds)
    with fresh(run) as server:
        while share <= HIGHEST:
            done, _ = goodput(server, body, shape, scale * share, seconds)
            server.wait_idle(30)
            if share > ENOUGH and done < most:
                break
            most, share = max(most, done), share + STEP
    if not most:
        raise Failed("no job was done of a load that can be carried")
    return most


def beside_nginx(run, body, shape, rate):
    """Jobs done each second when one part of the load comes to our server and an nginx refuses the other four."""
    other = Nginx(run.bench)
    with fresh(run) as server:
        try:
            other.start()
            seconds = min(LOOK_SECONDS, run.overload_seconds)
            refusing = begin_load(run.bench, other.port, body, shape, (OVERLOAD - 1) * rate, seconds)
            done, _ = goodput(server, body, shape, rate, seconds)
            return done, counted(run.bench, refusing)
        finally:
            other.stop()


def overload(run, server):
    """Each request has a connection for itself: a packet each way for every refusal."""
    return overloaded(run, server, APART, call_body(run.target.port))


def overload_shared(run, server):
    """Requests share connections, and those of one moment packets."""
    return overloaded(run, server, SHARED, call_body(run.target.port))


def overload_steps(run, server):
    """Each request has a connection for itself, and each job three calls to make, one after the other."""
    return overloaded(run, server, APART, steps_body(run.target.port))


def overloaded(run, server, shape, body):
    """Such jobs at five times the maximum load: the throughput, the latency of refusals, and whether the server has
    recovered two seconds later."""
    server.stop()
    scale = burst(run, body)
    peak_before = peak(run, body, shape, scale)
    with fresh(run) as loaded:
        before = at_rest(run, loaded, body)
        with HealthWatch(loaded) as health:
            done, found = goodput(loaded, body, shape, OVERLOAD * peak_before, run.overload_seconds)
        if found["offered"] < OFFERED_MIN * OVERLOAD * peak_before:
            raise Failed(f"the load generator sent no more than {found['offered']:.0f} jobs/s")
        memory = loaded.memory()
        time.sleep(REST_SECONDS)
        after = at_rest(run, loaded, body)
    there, refused_there = beside_nginx(run, body, shape, peak_before)
    # The machine drifts: its maximum is measured before and after the overload.
    peak_after = peak(run, body, shape, scale)
    most = (peak_before + peak_after) / 2
    return {"value": done / most, "burst_share": done / scale, "nginx_share": there / most,
            "nginx_refused_per_s": refused_there["refused"], "nginx_ms": refused_there["refusal_p99_ms"],
            "peak_before": peak_before, "peak_after": peak_after, "burst_per_s": scale,
            "offered_per_s": found["offered"], "refused_per_s": found["refused"],
            "refusal_p99_ms": found["refusal_p99_ms"], "refusal_read_p99_ms": found["refusal_read_p99_ms"],
            "health_ms": health.longest * 1000, "before_ms": before, "after_ms": after, "memory_mb": memory}
