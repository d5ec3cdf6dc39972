"""Eight connections that submit as fast as they can, and one that looks what became of the jobs."""
import collections
import heapq
import json
import re
import select
import time

from connection import Connection
from workload import STOPPED, cancel

LANES = 8
READS_AT_ONCE = 32
ID = re.compile(rb'"id":"(job_[0-9a-z]{26})"')


class Lane:
    """A connection and what it waits for, in order."""

    __slots__ = ("connection", "port", "asked", "is_reader")

    def __init__(self, port, is_reader):
        self.connection, self.port = Connection(port), port
        self.asked, self.is_reader = collections.deque(), is_reader


class Load:
    """Keeps what has no answer, and sends it again to the next server, or to another one."""

    def __init__(self, workload):
        self.workload = workload
        self.poll = select.epoll()
        self.lanes, self.idle = {}, []
        self.again, self.to_read = collections.deque(), []
        self.is_submitting = True
        # Some of the answered requests, to be repeated.
        self.kept = []
        # The ports of the servers that are up; connections are opened to each in turn.
        self.ports, self.reopen_at = collections.deque(), 0.0
        self.acknowledged, self.answered, self.replayed, self.reads = 0, 0, 0, 0
        self.refusals = collections.Counter()
        self.failures = []
        # Called with the number of jobs that an answer acknowledges, before anything else is done.
        self.on_acknowledgement = lambda count: None
        # Called with each refusal: status, head, content.
        self.on_refusal = lambda status, head, content: None

    # Opening and closing

    def open(self, port):
        self.ports.append(port)
        self.fill_lanes()

    def fill_lanes(self):
        self.reopen_at = time.monotonic() + 0.05
        readers = sum(lane.is_reader for lane in self.lanes.values())
        wanted = [False] * (LANES - (len(self.lanes) - readers)) + [True] * (1 - readers)
        try:
            for is_reader in wanted:
                self.ports.rotate()
                lane = Lane(self.ports[0], is_reader)
                self.lanes[lane.connection.fileno()] = lane
                self.poll.register(lane.connection.fileno(), select.EPOLLIN)
                self.idle.append(lane)
        except OSError:
            pass

    def close(self, port=None):
        """For a server that has ended: takes the answers that it had sent, and keeps what has none. Without a port for
        all servers."""
        for lane in self.leave(port):
            is_open = True
            while is_open:
                select.select([lane.connection], [], [], 5)
                is_open = self.receive(lane)

    def give_up(self, port):
        """For a server that does not answer: closes its connections."""
        for lane in self.leave(port):
            self.lose(lane)

    def leave(self, port):
        """Opens no more connections to a server, and returns those that are open."""
        left = [lane for lane in self.lanes.values() if port in (None, lane.port)]
        self.ports = collections.deque(other for other in self.ports if port not in (None, other))
        self.idle = [lane for lane in self.idle if lane not in left]
        return left

    def lose(self, lane):
        if self.lanes.pop(lane.connection.fileno(), None) is None:
            return
        self.poll.unregister(lane.connection.fileno())
        lane.connection.close()
        for asked in lane.asked:
            if lane.is_reader:
                self.read_later(asked, 0.0)
            elif asked.verb != "wait":
                self.again.append(asked)
        lane.asked.clear()

    # One turn

    def turn(self, seconds):
        """Sends what can be sent and takes what has come; waits at most so long for it."""
        if self.ports and len(self.lanes) <= LANES and time.monotonic() >= self.reopen_at:
            self.fill_lanes()
        idle, self.idle = self.idle, []
        for lane in idle:
            self.go_on(lane)
        for place, _ in self.poll.poll(seconds, 64):
            if lane := self.lanes.get(place):
                self.receive(lane)

    def receive(self, lane):
        answers, is_open = lane.connection.receive()
        for status, head, content in answers:
            asked = lane.asked.popleft()
            if lane.is_reader:
                self.take_reading(asked, status, content)
            else:
                self.take_answer(asked, status, head, content)
        if not is_open:
            self.lose(lane)
        elif not lane.asked and lane.port in self.ports:
            self.go_on(lane)
        return is_open

    def go_on(self, lane):
        """Sends the next request of a lane that waits for nothing."""
        if self.lanes.get(lane.connection.fileno()) is not lane:
            return
        lane.asked.extend(self.due_readings() if lane.is_reader else self.due_requests())
        if not lane.asked:
            self.idle.append(lane)
            return
        content = b"".join(map(reading_of, lane.asked)) if lane.is_reader else lane.asked[0].content
        try:
            lane.connection.send(content)
        except OSError:
            self.lose(lane)

    def due_requests(self):
        if self.again and self.again[0].not_before <= time.monotonic():
            return [self.again.popleft()]
        return [self.workload.next()] if self.is_submitting else []

    # Submissions

    def repeat(self, count, dice):
        """Sends some requests again that were answered, perhaps by an earlier server."""
        self.again.extend(dice.sample(self.kept, min(count, len(self.kept))))

    def take_answer(self, request, status, head, content):
        if status in (429, 503, 507):
            self.refuse(request, status, head, content)
        elif request.verb == "cancel":
            if status not in (200, 202):
                self.failures.append(f"LOST: {request.jobs[0]} cannot be cancelled: {status} {content[:300]}")
        elif request.verb in ("submit", "wait"):
            found = ID.search(content)
            if not found or status not in ((202,) if request.verb == "submit" else (200, 202)):
                self.failures.append(f"WRONG: a submission was answered with {status} {content[:300]}")
                return
            self.acknowledge(request, [found[1].decode()])
        else:
            self.take_batch(request, status, head, content)

    def take_batch(self, request, status, head, content):
        items = json.loads(content)["items"] if status == 200 else []
        if status != 200 or len(items) != len(request.jobs):
            self.failures.append(f"WRONG: a batch was answered with {status} {content[:300]}")
        elif all(item["status"] == 202 for item in items):
            self.acknowledge(request, [item["job"]["id"] for item in items])
        else:
            self.refuse(request, status, head, content)

    def acknowledge(self, request, ids):
        self.on_acknowledgement(len(ids))
        self.answered += 1
        if self.answered % 64 == 0 and request.verb != "wait":
            self.kept.append(request)
        for job, found in zip(request.jobs, ids):
            if job.id is not None:
                self.replayed += 1
                if job.id != found:
                    self.failures.append(f"TWO JOBS: the key of {job} now has {found}")
                continue
            job.id = found
            self.acknowledged += 1
            if job.kind in STOPPED:
                self.again.appendleft(cancel(job))
            self.read_later(job, 0.6 if job.kind == "delayed" else 0.1)

    def refuse(self, request, status, head, content):
        self.refusals[status] += 1
        self.on_refusal(status, head, content)
        request.not_before = time.monotonic() + 0.05
        if request.verb != "wait":
            self.again.append(request)

    # Reading

    def read_later(self, job, seconds):
        heapq.heappush(self.to_read, (time.monotonic() + seconds, job.number, job))

    def due_readings(self):
        found, now = [], time.monotonic()
        while self.to_read and len(found) < READS_AT_ONCE and self.to_read[0][0] <= now:
            found.append(heapq.heappop(self.to_read)[2])
        return found

    def take_reading(self, job, status, content):
        if status in (429, 503):
            self.read_later(job, 0.05)
            return
        if status != 200:
            self.failures.append(f"LOST: {job} was acknowledged and is answered with {status} {content[:300]}")
            return
        self.reads += 1
        if b'"done":true' not in content:
            if job.seen is not None:
                self.failures.append(f"CHANGED: {job} was {job.state} and is no more final: {content[:500]}")
            # The more jobs wait to be read, the more time each gets.
            self.read_later(job, 0.4 + len(self.to_read) / 5000)
        elif job.seen is None:
            found = json.loads(content)
            job.seen, job.state = hash(content), found["state"]
            if complaint := self.workload.complaint(job, found):
                self.failures.append(f"WRONG: {job} {complaint}")
        elif job.seen != hash(content):
            self.failures.append(f"CHANGED: {job} was {job.state} and is now {content[:1500]}")


def reading_of(job):
    return f"GET /v1/jobs/{job.id} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
