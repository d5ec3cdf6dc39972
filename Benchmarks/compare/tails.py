"""The slowest of many jobs at half load, and where each of their milliseconds went.

The generator notes when each submission was planned, when it was sent, when the kernel had the answer, and what the
server says of its own time in it (`Server-Timing`); the called server when each call came and was answered; the
attempts, read after the load, tell what the server knows of each call. Beside that a watcher notes each millisecond how
long the server's threads have run and waited for a processor, and a library in front of the C library when the syncs of
the store began and ended.
"""
import array
import bisect
import os
import re
import signal
import socket
import struct
import sys
import tempfile
import time

from .machine import Bench, Failed, TOOLS, facts, free_port
from .ours import Ours, PAYLOAD
from .timeline import LOG, MOVE, UNEXPLAINED, WRITE, Actor, Span, ThreadTimes, Timeline, new_account

SECONDS = float(os.environ.get("TIME", "600"))
RATE = float(os.environ.get("RATE", "0"))
WORST = int(os.environ.get("WORST", "100"))
#: So many that no request waits for a free one.
CONNECTIONS = 512
PEAK_JOBS = 40_000
WARM_SECONDS, SETTLE_SECONDS = 3, 1
#: Slow jobs that began within this time of each other belong to one moment.
MOMENT = 50_000_000
#: How many moments are shown.
SHOWN = 5
#: A lateness of the watcher from which a processor counts as paused.
PAUSED = 500_000
MEMORY = "/dev/shm"

REQUEST = struct.Struct("<6q32s")
DISK = struct.Struct("<2q4i")
#: An hour of syncs, one each 200 µs; the file has holes where none were noted.
DISK_ROWS = 18_000_000
LENGTH = re.compile(rb"Content-Length: (\d+)")
PHASE = {name: re.compile(b'"%s":([0-9.e-]+)' % name) for name in (b"wait", b"receive", b"total")}
AHEAD = 32
#: Requests on one connection: the server ends one after 1,000,000.
REQUESTS = 500_000
DIGITS = {digit: value for value, digit in enumerate(b"0123456789abcdefghjkmnpqrstvwxyz")}

HTTP, WRITER = Actor("http", "busy: HTTP loop"), Actor("writer", "busy: writer")
ENGINE = Actor("engine", "busy: engine loop")
GENERATOR = Actor("generator", "the generator is late")
UPSTREAM = "the upstream itself (not counted)"


class Watched(Ours):
    """Our server with the library that notes its syncs."""
    flags = ("--http-loops", "1")

    def __init__(self, bench, disk):
        super().__init__(bench)
        self.disk = disk

    def spawn(self):
        preload = {"LD_PRELOAD": os.path.join(TOOLS, "disk.so"), "TAILS_DISK": self.disk}
        self.process = self.bench.start(self.words(), env={**os.environ, **preload})

    def threads(self):
        """The numbers of the threads that jobs wait for."""
        found, folder = {}, f"/proc/{self.process.pid}/task"
        for number in os.listdir(folder):
            with open(os.path.join(folder, number, "comm")) as file:
                name = file.read().strip()
            if name in ("http-0", "writer", "engine"):
                found["http" if name == "http-0" else name] = int(number)
        if len(found) != 3:
            raise Failed(f"of the server's threads only these have names: {' '.join(found)}")
        return found

    def descriptors_of(self, ending):
        folder = f"/proc/{self.process.pid}/fd"
        return {int(name) for name in os.listdir(folder) if os.readlink(os.path.join(folder, name)).endswith(ending)}


def body(port):
    return '{"type":"network","request":"http://127.0.0.1:%d/?n={n}",%s' % (port, PAYLOAD)


def most(bench):
    """Jobs a second of a burst, on a server of its own."""
    server, port = Ours(bench), free_port()
    server.flags = Watched.flags
    sink = bench.load_later("http", "sink", port, patience=60)
    try:
        server.start()
        return bench.load("http", "collect", server.port, connections=64, count=PEAK_JOBS, body=body(port),
                          patience=30)["stored_per_s"]
    finally:
        server.stop()
        bench.stop(sink)


class Requests:
    """A column for each time of a job, by its place among all."""

    def __init__(self, path):
        rows = sorted(self.rows(path))
        self.base = rows[0][0]
        self.planned, self.sent, self.arrived, self.durable, self.total = (
            array.array("q", (row[column] for row in rows)) for column in range(1, 6))
        self.ids = [row[6].rstrip(b"\0") for row in rows]
        if rows[-1][0] - self.base + 1 != len(rows):
            raise Failed(f"{rows[-1][0] - self.base + 1 - len(rows)} submissions were not answered with a job")

    @staticmethod
    def rows(path):
        with open(path, "rb") as file:
            return REQUEST.iter_unpack(file.read())

    def calls(self, path):
        """When the first call of each job came, and when it was answered."""
        came, answered = (array.array("q", bytes(8 * len(self.ids))) for _ in range(2))
        for number, _, sent, arrived, *_ in self.rows(path):
            place = number - self.base
            if 0 <= place < len(came) and not came[place]:
                came[place], answered[place] = arrived, sent
        return came, answered


class Answers:
    """The contents of answers on one connection, to requests that are sent ahead."""

    def __init__(self, port):
        self.connection = socket.create_connection(("127.0.0.1", port), 60)
        self.bytes, self.at = b"", 0

    def ask(self, paths):
        self.connection.sendall(b"".join(b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path for path in paths))

    def more(self):
        got = self.connection.recv(1 << 20)
        if not got:
            raise Failed("the server closed the connection on which attempts are read")
        self.bytes, self.at = self.bytes[self.at:] + got, 0

    def next(self):
        while (head := self.bytes.find(b"\r\n\r\n", self.at)) < 0:
            self.more()
        begins = head + 4 - self.at
        ends = begins + int(LENGTH.search(self.bytes, self.at).group(1))
        while len(self.bytes) < self.at + ends:
            self.more()
        content = self.bytes[self.at + begins:self.at + ends]
        self.at += ends
        return content


def contents(port, paths):
    """The contents of the answers to requests, in their order."""
    for first in range(0, len(paths), REQUESTS):
        answers, ends = Answers(port), min(first + REQUESTS, len(paths))
        answers.ask(paths[first:first + AHEAD])
        for begins in range(first, ends, AHEAD):
            answers.ask(paths[begins + AHEAD:min(begins + 2 * AHEAD, ends)])
            for _ in range(begins, min(begins + AHEAD, ends)):
                yield answers.next()
        answers.connection.close()


def attempts(port, ids):
    """What the server knows of the call of each job: its duration, and from the end of sending until its end."""
    total, rest = (array.array("q", bytes(8 * len(ids))) for _ in range(2))
    paths = [b"/v1/jobs/%s/attempts" % job for job in ids]
    for place, content in enumerate(contents(port, paths)):
        found = {name: pattern.search(content) for name, pattern in PHASE.items()}
        if all(found.values()):
            wait, receive, whole = (float(one.group(1)) * 1e6 for one in found.values())
            total[place], rest[place] = int(whole), int(wait + receive)
    return total, rest


def seen(path, names, has_priority):
    """The samples of the watcher: their moments, the times of each thread, and the pauses of processors."""
    row = struct.Struct(f"<{3 + 2 * len(names)}q")
    samples, pauses = [], []
    with open(path, "rb") as file:
        for _, planned, woke, *times in row.iter_unpack(file.read()):
            if times[0] >= 0:
                samples.append((woke, *times))
            # Without priority a late watcher may only have waited for its turn.
            if has_priority and woke - planned >= PAUSED:
                pauses.append(Span(planned, woke))
    samples.sort()
    moments = [sample[0] for sample in samples]
    threads = {name: ThreadTimes(moments, *([sample[1 + 2 * place + kind] for sample in samples] for kind in (0, 1)))
               for place, name in enumerate(names)}
    return moments, threads, pauses


def at_disk(path, writer, database):
    """The syncs and slow writes of the writer."""
    with open(path, "rb") as file:
        count = struct.unpack("<q", file.read(8))[0]
        file.seek(DISK.size)
        rows = DISK.iter_unpack(file.read(min(count, DISK_ROWS) * DISK.size))
        return [Span(began, ended, WRITE if kind else MOVE if descriptor in database else LOG)
                for began, ended, kind, thread, descriptor, _ in rows if thread == writer]


class Tails:
    """The three measures of each job, in nanoseconds, and the account of one job for each."""

    def __init__(self, requests, came, answered, total, rest, timeline):
        self.requests, self.came, self.answered, self.timeline = requests, came, answered, timeline
        self.total, self.rest = total, rest
        # When each was read: its answer's time before that, unless the answer was held up on its way out.
        self.read = array.array("q", (
            min(arrived - taken, created_before(job))
            for arrived, taken, job in zip(requests.arrived, requests.total, requests.ids)))

    def submission(self, place):
        return self.requests.arrived[place] - self.requests.planned[place]

    def start(self, place):
        return self.came[place] - self.read[place]

    def call(self, place):
        return self.total[place] - (self.answered[place] - self.came[place])

    def store(self, account, place):
        """Until the submission was on disk. Returns when that was."""
        read, stored = self.read[place], self.read[place] + self.requests.durable[place]
        own, before = self.timeline.own_sync(read, stored)
        if not own:
            self.timeline.split(account, read, stored, [WRITER, HTTP])
            return stored
        moment = read
        if before and before.ended > read:
            self.timeline.split_store(account, read, before.ended, "the group before", HTTP)
            moment = before.ended
        self.timeline.split_store(account, moment, own.ended, "its own group", HTTP)
        return own.ended

    def account_of_submission(self, account, place):
        requests = self.requests
        self.timeline.split(account, requests.planned[place], requests.sent[place], [GENERATOR], GENERATOR.busy)
        self.timeline.split(account, requests.sent[place], self.read[place], [HTTP])
        stored = self.store(account, place)
        self.timeline.split(account, stored, requests.arrived[place], [HTTP, WRITER])

    def account_of_start(self, account, place):
        stored = self.store(account, place)
        self.timeline.split(account, stored, self.came[place], [ENGINE, WRITER])

    def account_of_call(self, account, place):
        ended = self.came[place] + self.rest[place]
        self.timeline.split(account, ended - self.total[place], self.came[place], [ENGINE])
        self.timeline.split(account, self.answered[place], ended, [ENGINE])
        account[UPSTREAM] += self.answered[place] - self.came[place]


def created_before(job):
    """The end of the millisecond in which a job was created, which its id begins with."""
    milliseconds = 0
    for digit in job[4:14]:
        milliseconds = milliseconds * 32 + DIGITS[digit]
    return (milliseconds + 1) * 1_000_000


def moments_of(times):
    """When something slow began, and how often in that moment; the moment with the most first."""
    found, latest = [], -MOMENT
    for now in sorted(times):
        if now - latest > MOMENT:
            found.append([now, 0])
        found[-1][1] += 1
        latest = now
    return sorted(found, key=lambda moment: -moment[1])


def show(tails):
    """Prints both tables."""
    requests = tails.requests
    settled = bisect.bisect_left(requests.planned, requests.planned[0] + int(SETTLE_SECONDS * 1e9))
    places = range(settled, len(requests.ids))
    whole = [place for place in places if tails.came[place] and tails.total[place]]
    print(f"{len(places):,} jobs, {len(places) - len(whole):,} of them without the times of one call\n")
    measures = (("submission", tails.submission, tails.account_of_submission),
                ("start delay", tails.start, tails.account_of_start),
                ("call beyond the upstream", tails.call, tails.account_of_call))
    print("| ms | p50 | p99 | p99.9 | longest |\n|---|--:|--:|--:|--:|")
    accounts, means, moments = {}, {}, {}
    for name, measure, account_of in measures:
        ranked = sorted((measure(place), place) for place in whole)
        shown = [ranked[min(len(ranked) - 1, int(share * len(ranked)))][0] for share in (.5, .99, .999, 1)]
        print(f"| {name} | {' | '.join(f'{value / 1e6:.2f}' for value in shown)} |")
        worst = [place for _, place in ranked[-WORST:]]
        accounts[name] = new_account()
        for place in worst:
            account_of(accounts[name], place)
        means[name] = sum(measure(place) for place in worst) / len(worst) / 1e6
        moments[name] = moments_of(requests.planned[place] for place in worst)
    names = list(accounts)
    print(f"\n| mean ms of the worst {WORST} | {' | '.join(names)} |\n|---|{'--:|' * len(names)}")
    causes = {cause for account in accounts.values() for cause in account} - {UNEXPLAINED, UPSTREAM}
    ranked = sorted(causes, key=lambda cause: -sum(account[cause] for account in accounts.values()))
    for cause in [*ranked, UNEXPLAINED, UPSTREAM]:
        cells = [accounts[name][cause] / WORST / 1e6 for name in names]
        if max(map(abs, cells)) >= 0.005:
            print(f"| {cause} | {' | '.join(f'{cell:.2f}' for cell in cells)} |")
    print(f"| all | {' | '.join(f'{means[name]:.2f}' for name in names)} |")
    print(f"| moments in which they began | {' | '.join(str(len(moments[name])) for name in names)} |\n")
    for name in names:
        most_of = ", ".join(f"{(when - requests.planned[0]) / 1e9:.2f} s ({count})"
                            for when, count in moments[name][:SHOWN])
        print(f"{name}: of the worst {WORST} most began at {most_of}")


def described(what, spans):
    times = [span.ended - span.began for span in spans]
    return f"{len(times):,} {what}, {sum(times) / 1e6:,.0f} ms together, the longest {max(times, default=0) / 1e6:.1f}"


def steal():
    with open("/proc/stat") as file:
        return int(file.readline().split()[8]) / os.sysconf("SC_CLK_TCK")


def measured(bench, folder):
    """The load; the paths of what was noted, by name."""
    path = {name: os.path.join(folder, name) for name in ("disk", "requests", "calls", "samples")}
    with open(path["disk"], "wb") as file:
        file.truncate((DISK_ROWS + 1) * DISK.size)
    most_jobs = most(bench)
    rate = RATE or most_jobs / 2
    server, port = Watched(bench, path["disk"]), free_port()
    server.start()
    sink = bench.load_later("http", "sink", port, patience=SECONDS + 300, record=path["calls"])
    shape = {"connections": CONNECTIONS, "rate": rate, "body": body(port)}
    bench.load("http", "submit", server.port, seconds=WARM_SECONDS, **shape)
    server.wait_idle(30)
    numbers, stolen = server.threads(), steal()
    generator = bench.load_later("http", "submit", server.port, seconds=SECONDS, record=path["requests"], **shape)
    numbers["generator"] = generator.pid
    watch = bench.tool_later([os.path.join(TOOLS, "watch"), path["samples"], *map(str, numbers.values())])
    found = bench.result(generator, SECONDS + 120)
    watch.send_signal(signal.SIGTERM)
    has_priority = bench.result(watch)["realtime"]
    stolen = steal() - stolen
    server.wait_idle(60)
    sink.send_signal(signal.SIGTERM)
    bench.result(sink)
    if found["errors"]:
        raise Failed(f"{found['errors']} answers were errors: {found['stderr']}")
    print(f"{rate:,.0f} jobs/s for {SECONDS:.0f} s, of {most_jobs:,.0f} at most; {', '.join(facts().values())}")
    return server, numbers, path, has_priority, stolen


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    with tempfile.TemporaryDirectory(dir=MEMORY if os.path.isdir(MEMORY) else None) as folder, Bench() as bench:
        server, numbers, path, has_priority, stolen = measured(bench, folder)
        requests = Requests(path["requests"])
        came, answered = requests.calls(path["calls"])
        moments, threads, pauses = seen(path["samples"], list(numbers), has_priority)
        disk = at_disk(path["disk"], numbers["writer"], server.descriptors_of("/jobs.db"))
        began = time.monotonic()
        total, rest = attempts(server.port, requests.ids)
        timeline = Timeline(moments, threads, pauses, disk)
        syncs = [span for span in timeline.syncs if span.began >= requests.planned[0]]
        print(f"{stolen:.1f} s of processors taken by other machines; {described('pauses', timeline.pauses)}"
              + ("" if has_priority else " (no real-time priority: pauses of a processor count as waits)")
              + f"; {described('syncs of the log', syncs)}; attempts read in {time.monotonic() - began:.0f} s")
        show(Tails(requests, came, answered, total, rest, timeline))


if __name__ == "__main__":
    main()
