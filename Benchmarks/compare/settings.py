"""The settings of a run, from its environment."""
import os

from .machine import PREFIX

MEASURES = ["submit", "batch", "noop", "call", "latency", "read", "delayed", "timers", "restart", "idle", "finished",
            "noop_cpu", "call_cpu", "steady", "overload", "overload_shared", "overload_steps", "frameworks"]
#: Those that take long and are run only when they are named.
LONG = {"finished", "noop_cpu", "call_cpu", "steady", "overload", "overload_shared", "overload_steps"}
PEERS = ["shared", "redis", "postgresql", "rabbitmq", "beanstalkd", "nginx"]
FRAMEWORKS = ["saq", "celery", "rq", "arq", "procrastinate", "dbos", "temporal"]


def number(name, default):
    return type(default)(os.environ.get(name) or default)


class Settings:
    def __init__(self, with_peers):
        self.seconds = number("TIME", 5.0)
        self.repetitions = number("REPS", 3)
        self.connections = number("CONNECTIONS", 64)
        self.jobs = number("JOBS", int(self.seconds * 8000))
        self.rate = number("RATE", 200.0)
        self.delayed = number("DELAYED", 1_000_000)
        self.timers = number("TIMERS", 2000)
        self.finished = number("FINISHED", 5_000_000)
        self.steady_seconds = number("STEADY", 600.0)
        self.overload_seconds = number("OVERLOAD", 30.0)
        self.framework_jobs = number("FRAMEWORK_JOBS", 2000)
        self.pending = [int(word) for word in os.environ.get("PENDING", "100000 1000000").split()]
        self.measures = os.environ.get("MEASURES", "").split() or [name for name in MEASURES if name not in LONG]
        self.peers = (os.environ.get("PEERS", "").split() or PEERS + FRAMEWORKS) if with_peers else ["nginx"]
        unknown = [name for name in self.measures if name not in MEASURES]
        unknown += [name for name in self.peers if name not in PEERS + FRAMEWORKS]
        if unknown:
            raise SystemExit(f"unknown: {' '.join(unknown)}; MEASURES are {' '.join(MEASURES)}, "
                             f"PEERS are {' '.join(PEERS + FRAMEWORKS)}")

    def described(self):
        return (f"{self.repetitions} × {self.seconds:g} s or {self.jobs:,} jobs, {self.connections} connections, jobs of 300 bytes "
                "of JSON" + (f", everything started with `{' '.join(PREFIX)}`" if PREFIX else ""))
