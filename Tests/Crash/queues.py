"""Looks whether the limits of queues hold over kills, by the log of the called server.

usage: queues.py BINARY JOBS KILLS RATE_SECONDS CROWD SEED [CHECK...]

That a violation is found is shown first, with a queue that lets one job more run.
"""
import collections
import datetime
import os
import random
import shutil
import signal
import statistics
import sys
import tempfile
import time

from serving import Server, ServerFailure
from verdict import conclude
from watched import WatchedTarget

CONCURRENCY, KEYS, HOLD_MS = 5, 50, 25
RATE, BURST, RATE_WITHIN, SECOND = 50, 5, 0.02, 1_000_000_000
CROWD_CONCURRENCY, CROWD_HOLD_MS, FEW, TURNS_MORE = 4, 5, 10, 15
CONTROL_JOBS = 100
#: A free place that no waiting job takes for so long is lost, whatever the machine does meanwhile.
STUCK_SECONDS = 2
FINAL_WITHIN = 120
FLAGS = ("--concurrency", "256")
UNFINISHED = "queue={}&state=queued,running,retrying,waiting,scheduled"


class Bench:
    """A server with one queue, and the target of the calls of its jobs."""

    def __init__(self, binary, folder, seed, queue):
        os.mkdir(folder)
        self.dice = random.Random(seed)
        self.server = Server(binary, folder, FLAGS)
        self.target = WatchedTarget(folder)
        self.kills, self.starts, self.submitted = [], [], 0
        self.server.start()
        self.server.asked("PUT", "/v1/queues/q", queue)

    def clean_up(self):
        self.server.clean_up()
        self.target.clean_up()

    def submit(self, count, hold_ms, key=lambda number: None):
        """Submits jobs that each make one call, with numbers that go on."""
        numbers = range(self.submitted, self.submitted + count)
        self.submitted += count
        for start in range(0, count, 1_000):
            jobs = [{"type": "network", "queue": "q", "name": f"n{number}", "queue_key": key(number),
                     "request": f"http://127.0.0.1:{self.target.port}/call/{number}/{hold_ms}"}
                    for number in numbers[start:start + 1_000]]
            self.server.asked("POST", "/v1/jobs:batch", [{m: v for m, v in job.items() if v} for job in jobs])
        return numbers

    def starts_of_jobs(self):
        """When the jobs began as the server says, by number, on the clock of the target."""
        shift = time.time_ns() - time.monotonic_ns()
        return {int(job["name"][1:]): int(datetime.datetime.fromisoformat(job["started_at"]).timestamp() * SECOND) - shift
                for job in self.server.pages("/v1/jobs?queue=q&page_size=500")}

    def kill(self):
        self.server.kill()
        self.kills.append(time.monotonic_ns())
        self.starts.append(self.server.start())

    def kill_often(self, kills, seconds):
        """Kills the server at random moments in a period."""
        for _ in range(kills):
            time.sleep(self.dice.uniform(0.2, 1.8) * seconds / kills)
            self.kill()

    def wait_until_idle(self):
        deadline = time.monotonic() + FINAL_WITHIN
        while self.server.has_jobs(UNFINISHED.format("q")):
            self.server.check_alive()
            if time.monotonic() > deadline:
                raise ServerFailure(f"not all jobs were final within {FINAL_WITHIN} s")
            time.sleep(0.05)
        count = self.server.asked("GET", "/v1/jobs:count?queue=q&state=succeeded")["count"]
        if count != self.submitted:
            raise ServerFailure(f"{count} of {self.submitted} jobs succeeded")


# Reading the log

def most_at_once(events):
    """The largest number of calls in flight at the same time."""
    running = most = 0
    for event in events:
        running += event.step
        most = max(most, running)
    return most


def overlaps(events, key):
    """The number of calls that began while another with the same key was in flight."""
    running, found = collections.Counter(), 0
    for event in events:
        found += event.step > 0 and running[key(event.number)] > 0
        running[key(event.number)] += event.step
    return found


class Occupancy:
    """The use of the places of a queue while at least as many jobs wait: from the first time in each life of the server
    at which all are taken, to its end."""

    def __init__(self, events, places, jobs, kills):
        #: The seconds from each end of a call to the beginning of the one that took its place.
        self.gaps = []
        self.used = self.had = 0
        begun, before = set(), 0
        for kill in [*kills, events[-1].time]:
            self.add([event for event in events if before < event.time <= kill], places, jobs, begun, kill)
            before = kill

    def add(self, life, places, jobs, begun, kill):
        running, ends, full_since, last = 0, collections.deque(), None, 0
        for event in life:
            if full_since is not None:
                self.used += running * (event.time - last)
                self.had += places * (event.time - last)
            last = event.time
            running += event.step
            if event.step > 0:
                begun.add(event.number)
                if ends:
                    self.gaps.append((event.time - ends.popleft()) / 1e9)
                elif running == places:
                    full_since = event.time
            elif full_since is not None:
                ends.append(event.time)
            if jobs - len(begun) < places:
                return
        # The places that were free when the server was killed.
        self.gaps += [(kill - end) / 1e9 for end in ends if kill - end > STUCK_SECONDS * 1e9]

    def __str__(self):
        gaps = sorted(self.gaps)
        return (f"{self.used / self.had:.1%} of the places were taken while jobs waited; a free one was taken after "
                f"{statistics.median(gaps) * 1000:.1f} ms (p99 {gaps[len(gaps) * 99 // 100] * 1000:.1f} ms, longest "
                f"{gaps[-1] * 1000:.0f} ms)")


def windows(times):
    """The places in sorted times that are less than a second before each one, with its own."""
    first = 0
    for place, moment in enumerate(times):
        while times[first] <= moment - SECOND:
            first += 1
        yield range(first, place + 1)


class Pace:
    """The calls of jobs with a rate: as the target received them, and as the server says that their jobs began.

    What arrives later than the interval of the rate after that was held up by the machine, as was everything while nothing
    arrived for longer than the burst makes up for.
    """

    def __init__(self, calls, starts):
        self.times = [call.time for call in calls]
        self.late = [call.number in starts and call.time - starts.pop(call.number) > SECOND / RATE for call in calls]
        self.most = max(map(len, windows(self.times)))
        self.whole = self.rate(self.times[-1] - self.times[0])
        stalls = sum(max(0, gap - SECOND * BURST / RATE) for gap in (b - a for a, b in zip(self.times, self.times[1:])))
        self.stalls, self.kept = stalls / SECOND, self.rate(self.times[-1] - self.times[0] - stalls)

    def rate(self, nanoseconds):
        return (len(self.times) - 1) / nanoseconds * SECOND

    def excess(self):
        """The largest number of calls in a second beyond those permitted, without those that came late."""
        return max(len(window) - sum(self.late[place] for place in window) for window in windows(self.times)) - RATE - BURST


# Checks: each yields what is wrong.

def check_concurrency(bench, settings):
    bench.submit(settings.jobs, HOLD_MS)
    bench.kill_often(settings.kills, 0.9 * settings.jobs * HOLD_MS / 1000 / CONCURRENCY)
    bench.wait_until_idle()
    events = bench.target.events()
    most, occupancy = most_at_once(events), Occupancy(events, CONCURRENCY, settings.jobs, bench.kills)
    print(f"concurrency {CONCURRENCY}: {settings.jobs} jobs, {len(bench.kills)} times kill -9: at most {most} at once; "
          f"{occupancy}", flush=True)
    if most > CONCURRENCY:
        yield f"MANY: {most} calls at once with a concurrency of {CONCURRENCY}"
    if max(occupancy.gaps) > STUCK_SECONDS:
        yield f"IDLE: a place was free for {max(occupancy.gaps):.1f} s while jobs waited"


def check_keys(bench, settings):
    key = lambda number: f"k{number % KEYS}"
    bench.submit(settings.jobs, HOLD_MS, key)
    bench.kill_often(settings.kills, 0.9 * settings.jobs * HOLD_MS / 1000 / KEYS)
    bench.wait_until_idle()
    events = bench.target.events()
    found = overlaps(events, key)
    print(f"{KEYS} keys with a concurrency of 1: {settings.jobs} jobs, {len(bench.kills)} times kill -9: {found} times two "
          f"of one key at once, at most {most_at_once(events)} of all", flush=True)
    if found:
        yield f"MANY: {found} calls began while another of their key was in flight"


def check_rate(bench, settings):
    count = RATE * settings.rate_seconds
    bench.submit(count, 0)
    time.sleep(settings.rate_seconds * 0.4)
    bench.kill()
    bench.wait_until_idle()
    starts = bench.starts_of_jobs()
    begun = max(map(len, windows(sorted(starts.values()))))
    pace = Pace([event for event in bench.target.events() if event.step > 0], starts)
    print(f"rate {RATE}/s: {count} jobs, one kill -9 and {bench.starts[0] * 1000:.0f} ms until the server was there again: "
          f"at most {begun} began in a second and {pace.most} arrived, {sum(pace.late)} of all late; {pace.whole:.2f}/s on "
          f"the whole, {pace.kept:.2f}/s without {pace.stalls:.1f} s in which nothing was done", flush=True)
    if begun > RATE + BURST or pace.excess() > 0:
        yield f"MANY: {begun} jobs began and {pace.most} calls arrived in a second, rate {RATE}, burst {BURST}"
    if abs(pace.kept / RATE - 1) > max(RATE_WITHIN, 2 / settings.rate_seconds):
        yield f"PACE: {pace.kept:.2f} calls a second with a rate of {RATE}"


def check_turns(bench, settings):
    """The second time the server is killed as soon as the few jobs are accepted."""
    bench.submit(settings.crowd, CROWD_HOLD_MS, lambda number: "crowd")
    for name, is_killed in (("few", False), ("others", True)):
        few = bench.submit(FEW, CROWD_HOLD_MS, lambda number: name)
        accepted = time.monotonic_ns()
        if is_killed:
            bench.kill()
        while bench.server.has_jobs(f"queue_key={name}&state=queued,running"):
            time.sleep(0.02)
        events = [event for event in bench.target.events() if event.time > accepted]
        last = max(event.time for event in events if event.number in few)
        crowd = sum(event.step > 0 and event.number not in few and event.time < last for event in events)
        print(f"turns: {settings.crowd} jobs with one key, then {FEW} with another{' and a kill -9' * is_killed}: done after "
              f"{crowd} jobs of the first key", flush=True)
        if crowd > FEW + TURNS_MORE:
            yield f"UNFAIR: {crowd} jobs of another key ran before the last of {FEW}"
        is_left = any(event.number < settings.crowd for event in events if event.time > last)
        if not is_left and not bench.server.has_jobs("queue_key=crowd&state=queued,running"):
            yield "CONTROL: the first key had no jobs left, so that turns were not needed"


def check_control(bench, settings):
    bench.submit(CONTROL_JOBS, HOLD_MS)
    bench.wait_until_idle()
    if most_at_once(bench.target.events()) != CONCURRENCY + 1:
        yield "CONTROL: one job more than permitted ran, and it was not noticed"


CHECKS = {
    "control": (check_control, {"concurrency": CONCURRENCY + 1}),
    "concurrency": (check_concurrency, {"concurrency": CONCURRENCY}),
    "keys": (check_keys, {"per_key": {"concurrency": 1}}),
    "rate": (check_rate, {"rate": {"count": RATE, "per": "1s", "burst": BURST}}),
    "turns": (check_turns, {"concurrency": CROWD_CONCURRENCY}),
}
Settings = collections.namedtuple("Settings", "jobs kills rate_seconds crowd")


def run(binary, folder, settings, seed, names):
    for name in names:
        check, queue = CHECKS[name]
        bench = Bench(binary, f"{folder}/{name}", seed, queue)
        try:
            failures = list(check(bench, settings))
        except (ServerFailure, OSError) as error:
            failures = [f"SERVER: {error}"]
        finally:
            bench.clean_up()
        if failures:
            return failures
        shutil.rmtree(f"{folder}/{name}")
    return []


def main():
    binary, settings, seed = sys.argv[1], Settings(*map(int, sys.argv[2:6])), int(sys.argv[6])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    folder = tempfile.mkdtemp(prefix="jobserver-queues-")
    failures = run(binary, folder, settings, seed, sys.argv[7:] or list(CHECKS))
    conclude(failures, seed, folder, "0 limits exceeded, 0 places lost, 0 turns missed")


if __name__ == "__main__":
    main()
