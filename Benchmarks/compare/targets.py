"""Limits and goals. A figure is compared with a peer's of the same run, or with a number."""
from collections import namedtuple

#: `figure` is compared with `factor` times that of `peer`, or with `factor` alone when there is no peer. When `most` is
#: set, it must not be more than that. `beside` is a peer with its time when a limit in milliseconds was set: the
#: limit is also evaluated as a ratio to that peer in the same run. `server` is the one whose figure it is.
Target = namedtuple("Target", "measure figure factor peer aim most beside server", defaults=(False, None, "jobserver"))
#: Our server with its jobs in PostgreSQL.
SHARED = "jobserver on postgresql"


def at_least(measure, factor, peer, aim=False, server="jobserver"):
    return Target(measure, "value", factor, peer, aim, server=server)


def at_most(measure, figure, most, aim=False, beside=None):
    return Target(measure, figure, most, None, aim, True, beside)


TARGETS = [
    at_least("submit", 1.0, "postgresql"),
    at_least("submit", 1.0, "redis", aim=True),
    at_least("batch", 1.0, "postgresql"),
    at_least("batch", 1.0, "redis", aim=True),
    at_least("noop", 1.0, "rabbitmq"),
    at_least("noop", 1.0, "redis", aim=True),
    at_least("call", 1.0, "postgresql"),
    at_least("call", 2.0, "postgresql", aim=True),
    at_least("call", 5.0, "frameworks"),
    at_least("call", 10.0, "frameworks", aim=True),
    at_least("submit", 1.5, "postgresql", server=SHARED),
    at_least("noop", 1.0, "postgresql", server=SHARED),
    at_least("call", 0.8, "postgresql", server=SHARED),
    at_least("call", 5.0, "frameworks", server=SHARED),
    at_most("latency", "p50_ms", 1.5, beside=("redis", 0.65)),
    at_most("latency", "p99_ms", 4.0, beside=("redis", 1.2)),
    at_least("read", 0.6, "nginx"),
    at_least("read", 0.9, "nginx", aim=True),
    at_most("delayed", "value", 80),
    at_most("delayed", "value", 40, aim=True),
    at_most("timers", "p50_ms", 1.0, beside=("postgresql", 1.4)),
    at_most("timers", "p99_ms", 3.0, beside=("postgresql", 2.7)),
    at_most("timers", "p99_ms", 1.0, aim=True),
    at_most("restart 100,000", "value", 0.3),
    at_most("restart 100,000", "value", 0.1, aim=True),
    at_most("restart 1,000,000", "value", 1.0),
    at_most("idle", "value", 30),
    at_most("submit", "load_mb", 80),
    Target("finished", "value", 0.9, None, False),
    at_most("steady", "aged_p99_ratio", 1.1),
    Target("overload", "value", 0.8, None, True),
    at_most("overload", "refusal_p99_ms", 20),
    Target("overload_shared", "value", 0.8, None, False),
    at_most("overload_shared", "refusal_p99_ms", 20),
    Target("overload_steps", "value", 0.8, None, False),
    at_most("overload_steps", "refusal_p99_ms", 20),
]

TITLES = {
    "submit": ("submit, flushed, one job a request, 64 connections", "jobs/s"),
    "batch": ("submit, flushed, 100 jobs a request, one client", "jobs/s"),
    "noop": ("no-op job, end to end until the result is stored", "jobs/s"),
    "call": ("job with an HTTP call to nginx, end to end", "jobs/s"),
    "noop_cpu": ("processor time of a no-op job", "µs"),
    "call_cpu": ("processor time of a job with an HTTP call", "µs"),
    "latency": ("submission to result at a fixed rate, job with a call", "p50 ms"),
    "read": ("status reads of one job, 64 connections", "reads/s"),
    "delayed": ("memory with jobs that are due in an hour", "MB"),
    "timers": ("lateness of 2,000 timers in ten seconds", "p50 ms"),
    "restart 100,000": ("start after kill -9 with 100,000 jobs pending", "s"),
    "restart 1,000,000": ("start after kill -9 with 1,000,000 jobs pending", "s"),
    "idle": ("memory when idle", "MB"),
    "finished": ("submit rate with finished jobs in the store, of that of an empty one", "share"),
    "overload": ("jobs done at five times the load that can be carried, of the most", "share"),
    "overload_shared": ("jobs done at five times the load, requests share 64 connections, of the most", "share"),
    "overload_steps": ("the same, jobs of three calls, a connection for each request, of the most", "share"),
    "steady": ("half load for a long time, job with a call", "jobs/s"),
}


def title(measure):
    return TITLES.get(measure, (measure, ""))
