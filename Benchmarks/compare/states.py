"""Measures of stored state: delayed jobs, timers, a restart after a crash, memory, a store that is full."""
import glob
import socket
import subprocess
import time

from .machine import Failed, free_port, processor_seconds
from .ours import NOOP, Ours, call_body, timer_body
from .rates import BATCH, figures

FILL = {"connections": 8, "batch": BATCH}
HOUR_MS = 3_600_000
FINISHED_SLICE = 500_000
#: The request of the steady load: the result is the answer.
WAITING = {"connections": 128, "header": "Prefer: wait=30", "expect": '"done":true'}
#: For so long it is measured how much of that can be done.
PEAK_SECONDS = 10
#: A server that has served long and a fresh one are asked in turn: so often, for so many seconds each.
AGED_TURNS, AGED_SECONDS = 15, 8


def fill(server, count, **options):
    """Sends so many jobs in batches, all of which must be taken."""
    found = server.submit(**FILL, count=count, limit=120 + count / 1000, **options)
    if found["errors"] or found["done"] != count:
        raise Failed(f"{found['done']} of {count} jobs were taken: {found['stderr']}")
    return found


def delayed(run, server):
    """Memory with many jobs that are due in an hour; the rate is that of submitting them in batches."""
    before = server.memory()
    options = {} if isinstance(server, Ours) else {"delay_ms": HOUR_MS}
    found = fill(server, run.delayed, **server.submit_options(delayed=True), **options)
    time.sleep(1)
    return {"value": server.memory(), "before_mb": before, "per_s": found["per_s"]}


def timers(run, server):
    """Milliseconds between the time a job was due and the time it ran, for jobs spread over ten seconds."""
    shape = {"count": run.timers, "spread": 10, "delay_ms": 3000, "connections": 16}
    if isinstance(server, Ours):
        port = free_port()
        sink = run.bench.load_later("http", "sink", port, count=run.timers, patience=30)
        server.submit(**shape, body=timer_body(port))
        found = run.bench.result(sink, 60)
    else:
        worker = run.bench.load_later(server.protocol, "work", server.port, count=run.timers, patience=30, connections=8,
                                      **server.work_options())
        time.sleep(0.3)
        server.submit(**shape, **server.submit_options(delayed=True))
        found = run.bench.result(worker, 60)
    return {"value": found["late_p50_ms"], "p50_ms": found["late_p50_ms"], "p99_ms": found["late_p99_ms"],
            "min_ms": found["late_min_ms"], "max_ms": found["late_max_ms"], "errors": found["errors"]}


def first_read(server, job):
    """Waits until a stored job can be read; asks each millisecond."""
    request = f"GET /v1/jobs/{job} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
    while True:
        try:
            with socket.create_connection(("127.0.0.1", server.port), 10) as connection:
                connection.sendall(request)
                if connection.recv(4096).startswith(b"HTTP/1.1 200"):
                    return
        except OSError:
            pass
        if server.process.poll() is not None:
            raise Failed("the server ended at its start: " + server.bench.log_tail()[-300:])
        time.sleep(0.001)


def first_taken(server, limit=60):
    """Waits until a worker gets a job."""
    words = server.bench.load_words(server.protocol, "work", server.port, connections=1, count=1, patience=5,
                                    **server.work_options())
    end = time.monotonic() + limit
    while time.monotonic() < end:
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode == 0 and '"done":1,' in done.stdout:
            return
        time.sleep(0.002)
    raise Failed(f"no job within {limit} s: {done.stderr[-200:]}")


def restart(run, server, pending):
    """Seconds from the start of a server that was killed with many jobs pending until one of them can be had."""
    own = 2 if isinstance(server, Ours) else 0  # the one that is looked for, and the one that is run
    fill(server, pending - own)
    if not isinstance(server, Ours):
        server.kill()
        began = time.monotonic()
        server.spawn()
        first_taken(server)
        return {"value": time.monotonic() - began, "memory_mb": server.memory()}
    job = server.submit_one({"type": "value", "value": 1, "run_at": "1h"})["id"]
    server.kill()
    began = time.monotonic()
    server.spawn()
    first_read(server, job)
    readable = time.monotonic() - began
    server.submit_one({"type": "value", "value": 1}, wait=True)
    return {"value": readable, "job_done_s": time.monotonic() - began, "memory_mb": server.memory()}


def switches(pid):
    """How often its threads were woken."""
    total = 0
    for path in glob.glob(f"/proc/{pid}/task/*/status"):
        with open(path) as file:
            total += sum(int(line.split()[1]) for line in file if line.startswith("voluntary"))
    return total


def idle(run, server):
    """Memory of a server that has nothing to do but one delayed job, and how often it wakes up."""
    if isinstance(server, Ours):
        server.submit_one({"type": "value", "value": 1, "run_at": "1h"})
    time.sleep(2)
    seconds, woken = processor_seconds(server.process.pid), switches(server.process.pid)
    time.sleep(run.seconds)
    return {"value": server.memory(), "wakes_per_s": (switches(server.process.pid) - woken) / run.seconds,
            "cpu_percent": (processor_seconds(server.process.pid) - seconds) / run.seconds * 100}


def finished(run, server):
    """The submit rate of a server with many finished jobs beside that of one with an empty store, in turn."""
    # In slices, since a server takes at most a million jobs that are not finished.
    for first in range(0, run.finished, FINISHED_SLICE):
        fill(server, min(FINISHED_SLICE, run.finished - first), body=NOOP)
        server.wait_idle(600)
    empty_rates, full_rates = [], []
    memory = server.memory()
    for _ in range(run.repetitions):
        empty = Ours(run.bench)
        try:
            empty.start()
            empty_rates.append(empty.submit(connections=run.connections, seconds=run.seconds)["per_s"])
        finally:
            empty.stop()
        full_rates.append(server.submit(connections=run.connections, seconds=run.seconds)["per_s"])
    empty_rates.sort()
    full_rates.sort()
    full, empty = full_rates[len(full_rates) // 2], empty_rates[len(empty_rates) // 2]
    return {"value": full / empty, "full_per_s": full, "empty_per_s": empty, "memory_mb": memory}


def aged(run, server, rate, body):
    """The 99th percentile of a server that has served long beside that of a fresh one, at the same rate and in turn:
    what the machine does from minute to minute, both suffer. The median of the ratios."""
    fresh = Ours(run.bench)
    ratios = []
    try:
        fresh.start()
        for turn in range(AGED_TURNS):
            p99 = {}
            for one in ((fresh, server) if turn % 2 == 0 else (server, fresh)):
                found = run.bench.load("http", "submit", one.port, rate=rate, seconds=AGED_SECONDS, body=body,
                                       **WAITING)
                p99[one] = found["p99_ms"]
            ratios.append(p99[server] / p99[fresh])
    finally:
        fresh.stop()
    return sorted(ratios)


def steady(run, server):
    """Ten minutes of jobs with a call at half of the maximum rate: latency, memory and descriptors over time; then a
    comparison with a new server."""
    probe = Ours(run.bench)
    try:
        probe.start()
        body = call_body(run.target.port)
        peak = run.bench.load("http", "submit", probe.port, seconds=PEAK_SECONDS, body=body, **WAITING)
    finally:
        probe.stop()
    rate = peak["per_s"] / 2
    every = run.steady_seconds / 10
    load = run.bench.load_later("http", "submit", server.port, rate=rate, seconds=run.steady_seconds,
                                report_every=every, body=body, **WAITING)
    series = []
    for sample in range(10):
        time.sleep(every if sample else every / 2)  # in the middle of each stretch
        series.append({"memory_mb": server.memory(), "descriptors": server.descriptors()})
    found = run.bench.result(load, 120)
    samples = [{**sample, **{key: counted[key] for key in ("p50_ms", "p99_ms", "second")}}
               for sample, counted in zip(series, found["series"])]
    ratios = aged(run, server, rate, body)
    return figures(found, value=rate, samples=samples, aged_p99_ratio=ratios[len(ratios) // 2],
                   aged_least=ratios[0], aged_most=ratios[-1])
