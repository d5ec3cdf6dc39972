"""The jobs that are submitted, and what has to become of each."""
import json
import random

from target import answer_to

CALLS_PER_JOB = 4
# How often each kind of job comes, unless told otherwise.
MIX = {"value": 40, "get": 16, "post": 6, "keyed": 6, "group": 8, "delayed": 8, "cancelled": 5, "stopped": 3, "told": 8,
       "lined": 8, "waited": 8}
# Nearly all clients wait for the ends of jobs that only read.
WAITING = {"waited": 90, "value": 5, "get": 5}
# The kinds that are asked to stop as soon as they are accepted; the first long before they would begin.
STOPPED = ("cancelled", "stopped")
# The queue of the lined jobs, and the keys that take turns in it.
LINE, LINE_LIMITS, LINE_KEYS = "narrow", {"concurrency": 12, "per_key": {"concurrency": 3}}, 7
# The kinds of which the target is told when they are over.
TOLD = ("told", "cancelled")
BATCH_SHARE = 0.06


class Job:
    """One submitted job: `id` when it is acknowledged, `seen` when it was read as final."""

    __slots__ = ("number", "kind", "id", "seen", "state")

    def __init__(self, number, kind):
        self.number, self.kind, self.id, self.seen, self.state = number, kind, None, None, None

    @property
    def name(self):
        return f"n{self.number}"

    def __str__(self):
        return f"{self.id} ({self.kind}, {self.name})"


class Request:
    """What is sent to the server once, or again until it is answered."""

    __slots__ = ("verb", "jobs", "content", "not_before")

    def __init__(self, verb, jobs, content):
        self.verb, self.jobs, self.content, self.not_before = verb, jobs, content, 0.0


def callback_name(job_id):
    """What the job that tells of the end of another is called here; to the server all of them are `callback`."""
    return f"callback of {job_id}"


def post(path, body=b"", key=None, prefer="return=minimal"):
    key = f'Idempotency-Key: "{key}"\r\n' if key else ""
    head = (f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{key}Prefer: {prefer}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n")
    return head.encode() + body


def cancel(job):
    return Request("cancel", [job], post(f"/v1/jobs/{job.id}:cancel"))


class Workload:
    """Jobs by the dice. The same seed gives the same jobs with the same keys."""

    def __init__(self, seed, target_port, mix=None, batch_share=BATCH_SHARE):
        self.seed, self.dice, self.batch_share = seed, random.Random(seed), batch_share
        self.has_target = target_port != 0
        self.url = f"http://127.0.0.1:{target_port}/call/"
        self.jobs = []
        mix = mix or MIX
        self.kinds = self.dice.choices(list(mix), list(mix.values()), k=4096)

    def next(self):
        """The next request that submits something."""
        if self.dice.random() < self.batch_share:
            jobs = [self.draw() for _ in range(self.dice.randrange(2, 40))]
            body = "[" + ",".join(self.spec(job) for job in jobs) + "]"
            return Request("batch", jobs, post("/v1/jobs:batch", body.encode(), f"{self.seed}-b{jobs[0].number}"))
        job = self.draw()
        if job.kind == "waited":
            return Request("wait", [job], post("/v1/jobs", self.spec(job).encode(), prefer="wait=5"))
        return Request("submit", [job], post("/v1/jobs", self.spec(job).encode(), f"{self.seed}-{job.number}"))

    def draw(self):
        number = len(self.jobs)
        job = Job(number, self.kinds[number * 7 % 4096])
        self.jobs.append(job)
        return job

    def mark(self, job):
        """Text that only this job has."""
        return f"mark-{self.seed}-{job.number}-"

    def spec(self, job):
        number, kind, call = job.number, job.kind, job.number * CALLS_PER_JOB
        head = f'{{"name":"n{number}",'
        if self.makes_call(job):
            return f'{head}"type":"network","request":"{self.url}{call}"}}'
        if kind == "lined":
            return (f'{head}"type":"network","request":"{self.url}{call}","queue":"{LINE}",'
                    f'"queue_key":"k{number % LINE_KEYS}"}}')
        if kind in ("post", "keyed"):
            key = ',"idempotency_key":"auto"' if kind == "keyed" else ""
            return (f'{head}"type":"network","request":{{"method":"POST","url":"{self.url}{call}",'
                    f'"json":{{"n":{number}}}{key}}}}}')
        if kind in ("group", "stopped"):
            return (f'{head}"type":"group","ordered":{"true" if number & 1 else "false"},"operations":['
                    f'{{"type":"value","name":"a","value":{number}}},'
                    f'{{"type":"network","name":"b","request":"{self.url}{call}"}},'
                    f'{{"type":"network","name":"c","request":"{self.url}{call + 1}"}}]}}')
        late = ""
        if kind == "delayed":
            late = f',"run_at":"{20 + number * 7919 % 400}ms"'
        elif kind == "cancelled":
            late = ',"run_at":"1h"'
        if told := self.telling_call(job):
            late += f',"callbacks":[{{"request":"{self.url}{told}","retry":{{"backoff":"10ms"}}}}]'
        return f'{head}"type":"value","value":{{"n":{number},"mark":"{self.mark(job)}"}}{late}}}'

    def makes_call(self, job):
        """Whether the job is a single GET in no line."""
        return job.kind == "get" or job.kind == "waited" and self.has_target and job.number % 3 != 0

    def telling_call(self, job):
        """The number of the call that tells of the job's end; None when none does."""
        return job.number * CALLS_PER_JOB + CALLS_PER_JOB - 1 if self.has_target and job.kind in TOLD else None

    def names(self):
        """What the jobs are called that the store has in the end."""
        told = (callback_name(job.id) for job in self.jobs if self.telling_call(job))
        return {job.name for job in self.jobs}.difference(self.unsure_names()).union(told)

    def unsure_names(self):
        """What the jobs are called whose submission had no answer and is not sent again, as it has no key."""
        return {job.name for job in self.jobs if job.kind == "waited" and job.id is None}

    def calls(self, job):
        """The numbers of the calls that the job makes."""
        count = {"lined": 1, "post": 1, "keyed": 1, "group": 2, "stopped": 2}.get(job.kind, int(self.makes_call(job)))
        return range(job.number * CALLS_PER_JOB, job.number * CALLS_PER_JOB + count)

    def result(self, job):
        """What the job must bring, as JSON."""
        call = job.number * CALLS_PER_JOB
        if job.kind in ("lined", "post", "keyed") or self.makes_call(job):
            return answer_to(call)
        if job.kind in ("group", "stopped"):
            return {"a": job.number, "b": answer_to(call), "c": answer_to(call + 1)}
        return {"n": job.number, "mark": self.mark(job)}

    def complaint(self, job, found):
        """What is wrong with the final job that the server gave; None when all is right."""
        state, error = found["state"], found.get("error") or {}
        if found["name"] != job.name or found["id"] != job.id:
            return f"is another job: {found['id']}, {found['name']}"
        if job.kind == "cancelled":
            return None if state == "cancelled" else f"was to be cancelled and is {state}"
        if job.kind == "stopped" and state == "cancelled":
            return None
        if state == "succeeded":
            inline = found.get("result", {}).get("inline")
            return None if inline == self.result(job) else f"has the wrong result {json.dumps(inline)[:300]}"
        if job.kind == "post" and (error.get("code"), error.get("delivery")) == ("internal.interrupted", "sent_unknown"):
            return None
        return f"is {state}: {json.dumps(error)[:500]}"
