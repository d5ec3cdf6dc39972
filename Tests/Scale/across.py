"""Asks one server of two about jobs that the other one runs, and measures how late the answers are.

usage: across.py BINARY TIMES LIMIT_MS
"""
import datetime
import http.client
import sys
import threading
import time

import parts  # noqa: F401
from asking import Client, Upstream, neighbours
from takeovers import share

AT_ONCE = 4


def seconds_of(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


# What is asked: each returns how many seconds went by. `here` runs the job, `there` is asked.

def wait(here, there, upstream, number):
    id = here.submit(upstream.call(50 + number * 37 % 200))
    job = there.end(id)
    return time.time() - seconds_of(job["finished_at"])


def cancel(here, there, upstream, number):
    id = here.submit(upstream.call(20000))
    there.wait(id, "running")
    began = time.time()
    there.ask("POST", f"/v1/jobs/{id}:cancel")
    job = here.end(id)
    if job["state"] != "cancelled":
        raise OSError(f"a cancelled job is {job['state']}")
    return seconds_of(job["finished_at"]) - began


def signal(here, there, upstream, number):
    id = here.submit({"type": "await", "signal": "go"})
    there.wait(id, "waiting", "pending")
    began = time.time()
    there.ask("POST", f"/v1/jobs/{id}/signals/go", number)
    return seconds_of(there.end(id)["finished_at"]) - began


def approve(here, there, upstream, number):
    id = here.submit({"type": "value", "value": 1, "conditions": [{"type": "approval", "prompt": "?", "timeout": "1h"}]})
    while not (open_ones := there.ask("GET", f"/v1/approvals?state=open&job_id={id}")["items"]):
        time.sleep(0.002)
    began = time.time()
    there.ask("POST", f"/v1/approvals/{open_ones[0]['id']}:approve", {"digest": open_ones[0]["digest"]})
    return seconds_of(there.end(id)["finished_at"]) - began


def release(here, there, upstream, number):
    id = here.submit({"type": "group", "ordered": True, "operations": [
        {**upstream.call(150), "name": "a"}, {"type": "value", "name": "b", "value": 1}]})
    there.wait(id, "running")
    there.ask("POST", f"/v1/jobs/{id}:hold")
    there.wait(id, "held")
    began = time.time()
    there.ask("POST", f"/v1/jobs/{id}:release")
    return seconds_of(there.end(id)["finished_at"]) - began


# Those whose effect must be there in time; the others must have it.
QUICK = ("Prefer: wait", "cancel")
QUESTIONS = {"Prefer: wait": wait, "cancel": cancel, "signal": signal, "approval": approve, "hold and release": release}


def measure(question, clients, upstream, times):
    seconds, failures = [], []

    def work(lane):
        for number in range(lane, times, AT_ONCE):
            here, there = clients if number % 2 else reversed(clients)
            try:
                seconds.append(question(here, there, upstream, number))
            except (OSError, http.client.HTTPException) as error:
                failures.append(str(error))
                return

    lanes = [threading.Thread(target=work, args=(lane,)) for lane in range(AT_ONCE)]
    for lane in lanes:
        lane.start()
    for lane in lanes:
        lane.join()
    return seconds, failures


def run(servers, times, limit):
    for server in servers:
        server.start()
    clients, upstream, bad = [Client(server) for server in servers], Upstream(), 0
    for name, question in QUESTIONS.items():
        seconds, failures = measure(question, clients, upstream, times)
        for failure in failures:
            print(f"FAILED: {name}: {failure}")
        is_late = name in QUICK and (not seconds or share(seconds, 0.99) * 1000 > limit)
        bad += len(failures) + is_late
        if seconds:
            half, most, all_of = (share(seconds, part) * 1000 for part in (0.5, 0.99, 1))
            print(f"{'LATE: ' if is_late else ''}{name}: {len(seconds)} times, half within {half:.0f} ms, "
                  f"p99 {most:.0f} ms, all within {all_of:.0f} ms", flush=True)
    return bad


def main():
    binary, times, limit = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    with neighbours(binary, 2, "across") as servers:
        bad = run(servers, times, limit)
    if bad:
        sys.exit(f"FAILED: {bad} questions were answered wrongly, or more than one in a hundred later than {limit:.0f} ms")


if __name__ == "__main__":
    main()
