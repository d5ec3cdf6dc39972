"""One data directory, from the first start of the server on it to the last: some rounds, then everything is checked."""
import json
import os
import random
import re
import signal
import time

from lives import CallReport, Life
from load import Load
from occurrences import Report, text
from serving import Server, ServerFailure
from storecopy import complaints, copy_of, held
from workload import LINE, LINE_LIMITS, WAITING, Workload

FINAL_WITHIN = 60
STOP_WITHIN = 20
FLAGS = ("--concurrency", "64", "--drain-timeout", "10s")
# Schedules that run all the time, with what is done about overlaps and missed times.
SCHEDULES = {"tick": ("allow", "all"), "tock": ("wait", "latest")}
# How a round ends, and how often.
ENDS = {"load": 45, "acknowledgement": 30, "drain": 12, "checkpoint": 13}


class Stay:
    """The server, its load and what is known about both."""

    was_disk_sound = True
    mix, flags = None, FLAGS
    make_workload, make_load = Workload, Load

    def __init__(self, binary, folder, seed, target):
        self.dice = random.Random(seed)
        self.servers = self.make_servers(binary, folder)
        # The one that is killed next.
        self.server = self.servers[0]
        self.target, self.calls_begin = target, target.mark()
        mix = self.mix or self.dice.choice([None, None, WAITING])
        self.workload = self.make_workload(seed, target.port, mix)
        self.load = self.make_load(self.workload)
        self.lives, self.failures, self.starts = [], [], []
        self.kills, self.stops, self.refused = {}, 0, 0
        self.planned_from = None
        self.load.on_refusal = self.take_refusal

    def clean_up(self):
        for server in self.servers:
            server.clean_up()

    def make_servers(self, binary, folder):
        return [Server(binary, folder, self.flags)]

    def take_refusal(self, status, head, content):
        """Refusals are problems with a time after which to come again. Those of a batch stand in its items."""
        self.refused += 1
        if status == 200:
            return
        problem = json.loads(content)
        if b"application/problem+json" not in head or problem.get("status") != status or not problem.get("code"):
            self.failures.append(f"REFUSAL: no problem: {head} {content[:300]}")
        if not re.search(rb"\r\nRetry-After: \d+\r\n", head + b"\r\n"):
            self.failures.append(f"REFUSAL: no Retry-After: {status} {content[:300]}")

    # Lives of the server

    def round(self):
        """A start, load, and a kill; before it sometimes kills in the middle of starts, or clean stops."""
        if self.lives and self.dice.random() < 0.15:
            self.start()
            self.run_for(self.dice.uniform(0.05, 0.5))
            self.stop()
        for _ in range(self.dice.choices([0, 1, 2], [75, 13, 12])[0] if self.starts else 0):
            self.server.spawn()
            time.sleep(self.dice.uniform(0, 1.2) * min(1, self.starts[-1]))
            self.end_by_kill("start-up")
        was_killed = False
        while not was_killed:
            self.start()
            self.load.repeat(3, self.dice)
            end = self.dice.choices(list(ENDS), list(ENDS.values()))[0]
            was_killed = self.end_by_kill(getattr(self, f"until_{end}")() or end)

    def start(self):
        self.starts.append(self.server.start())
        if self.planned_from is None:
            self.limit_queue()
            self.begin_schedules()
        self.load.open(self.server.port)

    def limit_queue(self):
        """Limits the queue of the lined jobs."""
        self.server.asked("PUT", f"/v1/queues/{LINE}", LINE_LIMITS)

    def begin_schedules(self):
        self.planned_from = int(time.time()) + 2
        for name, (overlap, missed) in SCHEDULES.items():
            job = {"type": "value", "value": {"for": {"$job": "scheduled_for"}}, "queue": LINE}
            self.server.asked("PUT", f"/v1/schedules/{name}", {
                "every": "1s", "starts_at": text(self.planned_from), "overlap": overlap, "missed": missed, "job": job})

    def end_by_kill(self, moment):
        """Returns whether the server was killed; a drain may be over before."""
        if self.server.process.poll() is None:
            self.server.kill()
        code = self.server.process.returncode
        was_killed = code == -signal.SIGKILL
        if not was_killed and (code, moment) != (0, "drain"):
            self.server.check_alive()
        self.load.close()
        if was_killed:
            self.kills[moment] = self.kills.get(moment, 0) + 1
        else:
            self.stops += 1
        calls = self.target.mark()
        with copy_of(self.server.data, self.server.folder) as connection:
            self.lives.append(Life(was_killed, calls, held(connection)))
        return was_killed

    def stop(self):
        """A clean end, after which no call may be made."""
        for server in self.servers:
            server.ask_to_stop()
        deadline = time.monotonic() + STOP_WITHIN
        for server in self.servers:
            while server.process.poll() is None:
                if time.monotonic() > deadline:
                    raise ServerFailure(f"no end {STOP_WITHIN} s after SIGTERM: {server.last_words()}")
                self.turn(0.002)
            if server.process.returncode != 0:
                raise ServerFailure(f"exit code {server.process.returncode} after SIGTERM: {server.last_words()}")
        calls = self.target.mark()
        self.load.close()
        time.sleep(0.02)
        if self.target.mark() != calls:
            self.failures.append(f"REPEATED: {self.target.mark() - calls} calls after a clean stop")
        self.lives.append(Life(False, calls))
        self.stops += 1

    # Moments

    def turn(self, seconds):
        self.load.turn(seconds)

    def run_until(self, deadline, is_over=lambda: False):
        while time.monotonic() < deadline and not is_over():
            self.turn(0.002)
            if not self.load.lanes and self.server.process.poll() is not None:
                return

    def run_for(self, seconds):
        self.run_until(time.monotonic() + seconds)

    def until_load(self):
        self.run_for(self.dice.uniform(0.02, 0.8))

    def until_acknowledgement(self):
        """The kill comes when a client has the answer in its hands, before it does anything with it."""
        left = int(self.dice.uniform(1, 2500))

        def count(acknowledged):
            nonlocal left
            left -= acknowledged
            if left <= 0 and self.server.process.poll() is None:
                self.server.kill()

        self.load.on_acknowledgement = count
        self.run_until(time.monotonic() + 3, lambda: left <= 0)
        self.load.on_acknowledgement = lambda count: None
        if left > 0:
            self.server.check_alive()
            self.server.kill()

    def until_drain(self):
        self.run_for(self.dice.uniform(0.02, 0.5))
        self.server.ask_to_stop()
        self.run_for(self.dice.uniform(0, 0.12))

    def until_checkpoint(self):
        """The log is moved into the database when it is very long, or long and there are no writes: then the file changes.
        Not so long after a few jobs only; then this was a kill under load."""
        self.run_for(self.dice.uniform(0.2, 0.6))
        before = os.stat(f"{self.server.data}/jobs.db").st_mtime_ns
        self.load.is_submitting = self.dice.random() < 0.5
        has_changed = lambda: os.stat(f"{self.server.data}/jobs.db").st_mtime_ns != before
        self.run_until(time.monotonic() + 0.4, has_changed)
        self.load.is_submitting = True
        moment = "checkpoint" if has_changed() else "load"
        if self.dice.random() < 0.5:
            self.run_for(self.dice.uniform(0, 0.01))
        return moment

    # The end of the stay

    def finish(self):
        """Waits for all jobs, kills once more, reads every job again, stops, and looks into the store."""
        self.load.is_submitting = False
        self.start()
        self.until_all_seen("were final")
        self.end_by_kill("load")
        self.start()
        for job in self.workload.jobs:
            if job.id:
                self.load.read_later(job, 0)
        self.load.repeat(200, self.dice)
        self.until_all_seen("were read again")
        self.until_unsure_end()
        self.until_all_told()
        self.check_schedules()
        self.check_statistics()
        self.stop()
        self.failures += self.complaints_about_store(self.workload)
        calls = self.target.calls(self.calls_begin, self.lives[-1].calls_end)
        report = self.make_report(self.workload, self.lives, calls, self.calls_begin, self.was_disk_sound)
        self.failures += self.load.failures + list(report.complaints())
        return report

    make_report = CallReport

    def complaints_about_store(self, workload):
        with copy_of(self.server.data, self.server.folder) as connection:
            return complaints(connection, workload.names(), workload.unsure_names())

    def check_schedules(self):
        """Ends the schedules, and looks at each planned time until then."""
        for name in SCHEDULES:
            self.server.asked("POST", f"/v1/schedules/{name}:pause", {})
        end, deadline = int(time.time()) - 1, time.monotonic() + FINAL_WITHIN
        while self.server.has_jobs(f"queue={LINE}&state=queued,running,pending"):
            if time.monotonic() > deadline:
                self.failures.append(f"STUCK: jobs of schedules are not final within {FINAL_WITHIN} s")
                return
            time.sleep(0.02)
        for name in SCHEDULES:
            if end >= self.planned_from:
                self.failures += Report(self.server, name, self.planned_from, end).complaints()

    def check_statistics(self):
        """Each end is counted once, whatever was killed. Nothing is erased or tried again here."""
        deadline = time.monotonic() + FINAL_WITHIN
        while True:
            ended = self.server.asked("GET", "/v1/jobs:count?state=succeeded,failed,cancelled,expired")["count"]
            counted = self.server.asked("GET", "/v1/stats")["total"]["count"]
            if ended == counted:
                return
            if time.monotonic() > deadline:
                self.failures.append(f"STATISTICS: {counted} ends are counted, and {ended} jobs have ended")
                return
            time.sleep(0.2)

    def is_open(self):
        load = self.load
        return load.again or load.to_read or any(lane.asked for lane in load.lanes.values())

    def until_all_seen(self, what):
        """Until every request has its answer and every job was read as final."""
        least, deadline = None, 0.0
        while self.is_open() and not self.load.failures:
            self.turn(0.01)
            if not self.load.lanes:
                self.server.check_alive()
            left = len(self.load.again) + len(self.load.to_read)
            if least is None or left < least:
                least, deadline = left, time.monotonic() + FINAL_WITHIN
            if time.monotonic() > deadline:
                open_jobs = [job for _, _, job in self.load.to_read]
                self.failures.append(
                    f"STUCK: not all jobs {what}, and no more for {FINAL_WITHIN} s; {len(self.load.again)} requests without an "
                    f"answer, {len(open_jobs)} jobs: {', '.join(str(job) for job in open_jobs[:10])}")
                return

    def until_unsure_end(self):
        """Until the jobs have ended, too, whose clients had no answer."""
        deadline = time.monotonic() + FINAL_WITHIN
        while self.server.has_jobs("queue=default&state=queued,running,retrying,waiting"):
            if time.monotonic() > deadline:
                self.failures.append(f"STUCK: jobs without an answer are not final within {FINAL_WITHIN} s")
                return
            self.run_for(0.05)

    def until_all_told(self):
        """Until the target was told of every end, and knows it from jobs that are over."""
        deadline = time.monotonic() + FINAL_WITHIN
        untold = {self.workload.telling_call(job) for job in self.workload.jobs} - {None}
        place = self.calls_begin
        while untold or self.server.has_jobs("queue=callbacks&state=queued,running,retrying,waiting,scheduled"):
            end = self.target.mark()
            untold.difference_update(self.target.calls(place, end))
            place = end
            if self.load.failures:
                return
            if time.monotonic() > deadline:
                self.failures.append(f"STUCK: {len(untold)} ends were not reported within {FINAL_WITHIN} s")
                return
            self.run_for(0.02)
