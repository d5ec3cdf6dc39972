"""Measures of how much goes through: submissions, jobs from end to end, status reads."""
import threading
import time

from .machine import processor_seconds, wait_until
from .nginx import PATH
from .ours import NOOP, Ours, call_body

WORKER_CONNECTIONS, WORKER_BATCH = 16, 16
BATCH = 100


class MemoryWatch:
    """The most memory that a server had while something went on."""

    def __init__(self, server):
        self.server, self.most, self.ended = server, server.memory(), threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def watch(self):
        while not self.ended.wait(0.25):
            self.most = max(self.most, self.server.memory())

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()
        self.most = max(self.most, self.server.memory())


def figures(found, **more):
    """The generator's counts as a row of a table."""
    kept = {key: found[key] for key in ("p50_ms", "p99_ms", "p999_ms", "errors") if key in found}
    if found.get("errors"):
        kept["stderr"] = found.get("stderr")
    return {"value": found["per_s"], **kept, **more}


def submit(run, server):
    """Jobs that are stored and flushed before the answer, one a request."""
    time.sleep(0.5)
    idle = server.memory()
    with MemoryWatch(server) as memory:
        found = server.submit(connections=run.connections, seconds=run.seconds)
    return figures(found, idle_mb=idle, load_mb=memory.most)


def batch(run, server):
    """The same with 100 jobs in a request, from one client that waits for each answer."""
    return figures(server.submit(connections=1, batch=BATCH, seconds=run.seconds))


def peer_end_to_end(run, server, target=None, rate=None):
    """A worker in C beside the submissions; a job is done when its result is stored and it is acknowledged."""
    jobs = int(rate * run.seconds) if rate else int(run.jobs * server.share_of_jobs)
    shape = {"connections": 8, "batch": 1} if rate else {"connections": WORKER_CONNECTIONS, "batch": WORKER_BATCH}
    worker = server.bench.load_later(server.protocol, "work", server.port, count=jobs, patience=30,
                                     target_port=target.port if target else None, **shape, **server.work_options())
    time.sleep(0.5)
    server.submit(connections=run.connections, count=jobs, rate=rate)
    return figures(server.bench.result(worker))


def ours_end_to_end(run, server, body):
    """The time until the server reports that all are done; reading every result back afterwards is timed too."""
    found = server.bench.load("http", "collect", server.port, connections=run.connections, count=run.jobs, body=body,
                              patience=30)
    return {"value": found["stored_per_s"], "read_per_s": found["read_per_s"], "errors": found["errors"],
            "stderr": found["stderr"], "submitted_per_s": found["submitted_per_s"], "memory_mb": server.memory()}


def noop(run, server):
    """Jobs that do nothing, from the first submission to the last stored result."""
    if isinstance(server, Ours):
        return ours_end_to_end(run, server, NOOP)
    return peer_end_to_end(run, server)


def call(run, server):
    """Jobs that make an HTTP call to nginx on this machine and store the answer."""
    if isinstance(server, Ours):
        return ours_end_to_end(run, server, call_body(run.target.port))
    return peer_end_to_end(run, server, run.target)


def noop_cpu(run, server):
    """Processor time that the server spends on a job that does nothing, until it has ended."""
    return processor_time(run, server, NOOP)


def call_cpu(run, server):
    """The same for one with a call."""
    return processor_time(run, server, call_body(run.target.port))


def processor_time(run, server, body):
    before = processor_seconds(server.process.pid)
    found = server.submit(connections=run.connections, count=run.jobs, body=body)
    wait_until(lambda: server.succeeded() >= run.jobs, 300, "the end of all jobs")
    return figures(found, value=(processor_seconds(server.process.pid) - before) / run.jobs * 1e6)


def latency(run, server):
    """Milliseconds from the planned submission of a job with a call to its result, at a fixed rate (open loop)."""
    if isinstance(server, Ours):
        found = server.submit(connections=run.connections, rate=run.rate, seconds=run.seconds, expect='"done":true',
                              header="Prefer: wait=30", body=call_body(run.target.port))
        found = figures(found)
    else:
        found = peer_end_to_end(run, server, run.target, run.rate)
    return {**found, "value": found["p50_ms"]}


def read(run, server):
    """Reads of the state of one finished job."""
    options = {"connections": run.connections, "seconds": run.seconds}
    if isinstance(server, Ours):
        job = server.submit_one({"type": "value", "value": {"text": "x" * 120}}, wait=True)
        options.update(path=f"/v1/jobs/{job['id']}", expect='"done":true')
    elif server.protocol == "http":
        options.update(path=PATH)
    else:
        options.update(server.prepare_read())
    return figures(server.bench.load(server.protocol, "read", server.port, **options))
