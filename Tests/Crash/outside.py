"""The load of requests from outside, to a hook and to callback URLs, and whether each has its effect, once."""
import collections
import hashlib
import hmac
import json
import os
import random
import re
import time

from load import Load
from stay import FLAGS
from workload import CALLS_PER_JOB, Job, Request, Workload, post

HOOK, SECRET = "door", "door-key"
MIX = {"value": 25, "get": 10, "called": 65}
#: How many of all jobs are made by a hook.
HOOKED_SHARE = 0.4
BASE = "https://callbacks.example"
DELIVERED = re.compile(rb'"job_id":"(job_[0-9a-z]{26})"')

#: What came of all stays.
counts = collections.Counter()


class DoorJob(Job):
    """A job that a hook makes, or that waits for a request to its callback URL."""

    __slots__ = ("url", "accepted", "refused", "taken")

    def __init__(self, number, kind):
        super().__init__(number, kind)
        # The bodies that were answered 2xx and 409, and that of the result, by their numbers.
        self.url, self.accepted, self.refused, self.taken = None, set(), set(), None


class Call(Request):
    """A request to a callback URL, with one of several bodies."""

    __slots__ = ("number",)

    def __init__(self, job, number, delay):
        super().__init__("callback", [job], post(job.url, body_of(job, number)))
        self.number, self.not_before = number, time.monotonic() + delay


def body_of(job, number):
    return json.dumps({"of": job.number, "body": number}).encode()


class DoorsWorkload(Workload):
    def __init__(self, seed, target_port, mix=None):
        super().__init__(seed, target_port, mix or MIX)

    def next(self):
        if self.dice.random() >= HOOKED_SHARE:
            return super().next()
        job = DoorJob(len(self.jobs), "hooked")
        self.jobs.append(job)
        body = json.dumps(self.result(job)).encode()
        signature = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        head = (f"POST /hooks/{HOOK} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-GitHub-Delivery: {self.seed}-{job.number}\r\n"
                f"X-GitHub-Event: push\r\nX-Hub-Signature-256: sha256={signature}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n")
        return Request("deliver", [job], head.encode() + body)

    def draw(self):
        job = super().draw()
        if job.kind == "called":
            self.jobs[-1] = job = DoorJob(job.number, job.kind)
        return job

    def spec(self, job):
        if job.kind != "called":
            return super().spec(job)
        # With a pause, most requests come before the wait.
        pause = '{"type":"delay","name":"pause","for":"300ms"},' if job.number & 1 else ""
        return (f'{{"name":"{job.name}","type":"group","ordered":true,"operations":['
                f'{{"type":"network","name":"order","request":{{"url":"{self.url}{job.number * CALLS_PER_JOB}",'
                f'"query":{{"notify":{{"$callback":"printed"}}}}}}}},{pause}'
                f'{{"type":"await","name":"printed","callback":{{}}}}]}}')

    def names(self):
        return super().names() - {job.name for job in self.jobs if job.kind == "hooked"}

    def calls(self, job):
        first = job.number * CALLS_PER_JOB
        return range(first, first + 1) if job.kind == "called" else super().calls(job)

    def complaint(self, job, found):
        if job.kind not in ("called", "hooked"):
            return super().complaint(job, found)
        inline = found.get("result", {}).get("inline")
        if found["state"] != "succeeded":
            return f"is {found['state']}: {json.dumps(found.get('error'))[:500]}"
        if job.kind == "hooked":
            is_right = inline == self.result(job)
        else:
            printed = (inline or {}).get("printed") or {}
            job.taken = printed.get("body")
            is_right = printed.get("of") == job.number
        return None if is_right else f"has the wrong result {json.dumps(inline)[:300]}"


class DoorsLoad(Load):
    def called_at(self, job, url, dice):
        """The target was told a callback URL: it is called with one body, or two at once."""
        if job.url is not None:
            if job.url != url:
                self.failures.append(f"CHANGED: the callback URL of {job} was {job.url} and is {url}")
            return
        job.url = url
        delay = dice.uniform(0, 0.3)
        self.again.extend(Call(job, number, delay) for number in range(dice.choice([1, 1, 2])))

    def take_answer(self, request, status, head, content):
        if request.verb not in ("deliver", "callback") or status in (429, 503, 507):
            super().take_answer(request, status, head, content)
        elif request.verb == "callback":
            self.take_end(request, status, content)
        elif status == 202 and (found := DELIVERED.search(content)):
            job = request.jobs[0]
            counts["deliveries" if job.id is None else "repeated deliveries"] += 1
            if job.id is None and job.number % 4 == 0:
                self.again.append(request)
            self.acknowledge(request, [found[1].decode()])
        else:
            self.failures.append(f"LOST: the delivery of {request.jobs[0]} was answered with {status} {content[:300]}")

    def take_end(self, request, status, content):
        job, number = request.jobs[0], request.number
        counts[f"callback URLs answered {status}"] += 1
        if status not in (200, 202, 409):
            self.failures.append(f"LOST: a request to the callback URL of {job} was answered with {status} {content[:300]}")
            return
        is_first = not job.accepted and status != 409
        (job.refused if status == 409 else job.accepted).add(number)
        if len(job.accepted) > 1 or job.accepted & job.refused:
            self.failures.append(f"TWO JOBS: {job} took the bodies {job.accepted}, and refused {job.refused}")
        if is_first and job.number % 4 < 2:
            # The same once more, and another one.
            self.again.extend([Call(job, number, 0.05), Call(job, 7, 0.1)])


class Doors:
    """What all stays have whose load comes through a hook and callback URLs."""

    make_workload, make_load = DoorsWorkload, DoorsLoad

    def make_servers(self, binary, folder):
        key = f"{folder}/key"
        with open(key, "w") as file:
            file.write(random.Random(folder).randbytes(32).hex())
        os.chmod(key, 0o600)
        self.flags = (*FLAGS, "--public-url", BASE, "--secret-key-file", key)
        self.urls_read = None
        return super().make_servers(binary, folder)

    def begin_schedules(self):
        super().begin_schedules()
        self.server.asked("PUT", f"/v1/secrets/{SECRET}", {"text": SECRET})
        self.server.asked("PUT", f"/v1/hooks/{HOOK}", {
            "verify": {"scheme": "github", "key": {"$secret": SECRET}},
            "job": {"name": "hooked", "type": "value", "value": {"$hook": "", "at": "/body"}}})

    def turn(self, seconds):
        if self.urls_read is None:
            self.urls_read = self.target.urls_before(self.calls_begin)
        urls, self.urls_read = self.target.urls(self.urls_read)
        for number, url in urls:
            self.load.called_at(self.workload.jobs[number // CALLS_PER_JOB], url, self.dice)
        super().turn(seconds)

    def check_schedules(self):
        super().check_schedules()
        self.check_doors()

    def check_doors(self):
        """Looks whether each delivery has its job, and no other, and each wait the body that was answered 2xx."""
        made = collections.Counter(job["id"] for job in self.server.pages(f"/v1/jobs?label.hook={HOOK}&page_size=1000"))
        wanted = {job.id: job for job in self.workload.jobs if job.kind == "hooked"}
        self.failures += [f"LOST: {wanted[id]} of a delivery is in no list" for id in wanted.keys() - made.keys()]
        self.failures += [f"TWO JOBS: {id} belongs to no delivery that was answered" for id in made.keys() - wanted.keys()]
        if len(wanted) != (count := sum(job.kind == "hooked" for job in self.workload.jobs)):
            self.failures.append(f"TWO JOBS: {count} deliveries have {len(wanted)} jobs")
        for job in self.workload.jobs:
            if job.kind != "called":
                continue
            counts["waits"] += 1
            if job.accepted != {job.taken}:
                self.failures.append(f"LOST: {job} took the body {job.taken}; {job.accepted} were answered 2xx")


def report():
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))

