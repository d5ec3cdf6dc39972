"""Looks whether each planned time of schedules has one job or a reason, over kills.

usage: schedules.py BINARY SCHEDULES KILLS STOP_SECONDS SEED

In the middle the server is away for STOP_SECONDS, so that the rules for missed times apply. That a missing planned time
and a job too many are found is shown first.
"""
import collections
import random
import signal
import sys
import tempfile
import time

from occurrences import Report, text
from serving import Server, ServerFailure
from verdict import conclude

OVERLAPS, MISSED = ("allow", "skip", "wait"), ("latest", "all", "none")
#: One of so many schedules has jobs that take longer than its step.
SLOW_SHARE = 4
JOBS = {"fast": {"type": "value", "value": {"for": {"$job": "scheduled_for"}}}, "slow": {"type": "delay", "for": "1500ms"}}
DECIDED_WITHIN = 60


def kind(number):
    return "slow" if number % SLOW_SHARE == 0 else "fast"


def spec(number, begin):
    return {"every": "1s", "starts_at": text(begin), "overlap": OVERLAPS[number % 3], "missed": MISSED[number // 3 % 3],
            "job": JOBS[kind(number)]}


def live(server, schedules, kills, stop_seconds, dice):
    """Starts the schedules and kills the server; returns the first and the last planned time."""
    server.start()
    begin = int(time.time()) + 2
    for number in range(schedules):
        server.asked("PUT", f"/v1/schedules/s{number}", spec(number, begin))
    for number in range(kills):
        time.sleep(dice.uniform(0.05, 1.6))
        server.kill()
        if number == kills // 2:
            time.sleep(stop_seconds)
        server.start()
    time.sleep(2)
    return begin, int(time.time())


def wait_until_decided(server, schedules, end):
    deadline = time.monotonic() + DECIDED_WITHIN
    for number in range(schedules):
        while not server.asked("GET", f"/v1/schedules/s{number}/occurrences?from={text(end)}&page_size=1")["items"]:
            server.check_alive()
            if time.monotonic() > deadline:
                raise ServerFailure(f"schedule s{number} decided nothing about {text(end)} within {DECIDED_WITHIN} s")
            time.sleep(0.05)


def check(server, schedules, begin, end):
    failures, reasons, made = [], collections.Counter(), 0
    for number in range(schedules):
        report = Report(server, f"s{number}", begin, end)
        failures += report.complaints()
        reasons.update(item["skipped"] for item in report.occurrences if "skipped" in item)
        made += sum("job_id" in item for item in report.occurrences)
    if not failures and not report.has_control():
        failures.append("CONTROL: a planned time was left out and a job added, and it was not noticed")
    return failures, made, reasons


def run(server, schedules, kills, stop_seconds, seed):
    try:
        begin, end = live(server, schedules, kills, stop_seconds, random.Random(seed))
        wait_until_decided(server, schedules, end)
        for number in range(schedules):
            server.asked("POST", f"/v1/schedules/s{number}:pause", {})
        failures, made, reasons = check(server, schedules, begin, end)
    except (ServerFailure, OSError) as error:
        return [f"SERVER: {error}"]
    finally:
        server.clean_up()
    skipped = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    print(f"{schedules} schedules every second for {end - begin + 1} s, {kills} times kill -9, once away for {stop_seconds} s: "
          f"{schedules * (end - begin + 1)} planned times, {made} with a job, {sum(reasons.values())} with a reason for none "
          f"({skipped})")
    return failures


def main():
    binary, (schedules, kills, stop_seconds, seed) = sys.argv[1], map(int, sys.argv[2:])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    folder = tempfile.mkdtemp(prefix="jobserver-schedules-")
    failures = run(Server(binary, folder), schedules, kills, stop_seconds, seed)
    conclude(failures, seed, folder, "0 planned times lost, 0 doubled, 0 without a reason")


if __name__ == "__main__":
    main()
