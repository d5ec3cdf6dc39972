"""Looks for input whose work, memory or hold on a loop is out of proportion. See README.md, "Bounds".

usage: python3 -m Bounds [--only WORDS] [--parts members,curl,schedules,doors,runs] [--list] [--report FILE]
"""
import argparse
import json
import os
import sys
import tempfile
import time

from . import curl, doors, runs, schedules
from .contract import ROOT, Contract
from .counted import Counted
from .growth import Figures, Suspect, ratio_of_bytes, ratio_of_numbers
from .scene import prepare
from .server import Watched

#: At twice the size at most so many times the instructions. Those of a case whose processor time grows by more are counted.
GROWTH_MOST = 2.3
#: Seconds of processor time for which a loop may do one thing alone, and how often a longer slice is measured.
SLICE_MOST, SLICE_TRIES = 0.020, 5
#: Bytes that are allocated at the same time: for each byte of input, and besides.
MEMORY_PER_BYTE, MEMORY_BESIDES = 100, 16 << 20
#: Besides, for a job that runs: its result may have 8 MiB, its operations 2 KB each.
MEMORY_OF_JOB = 96 << 20
#: Shorter times say little about growth; when they exceed the second, the next size is not needed.
TIME_LEAST, TIME_ENOUGH = 0.005, 0.10
#: A size that takes less than this is followed by one that is four times as large.
TIME_SHORT = 0.001
FIRST_SIZE = 8 << 10
#: A server is replaced after so many cases, or when it is larger than this.
CASES_MOST, LIVE_MOST = 300, 400 << 20
LOOPS = ("http-", "engine")


class Finding:
    def __init__(self, part, name):
        self.part, self.name = part, name
        self.growth, self.slice, self.loop, self.per_byte, self.memory = None, 0, "", 0, 0
        #: The counted growth, and what is beyond its growth by time and has yet to be counted.
        self.counted, self.suspects = None, []
        self.besides = MEMORY_BESIDES
        self.largest, self.status, self.small_status, self.seconds, self.broken = 0, 0, 0, 0, []

    def line(self):
        growth = f"{self.growth:.2f}" if self.growth else f"< {TIME_LEAST * 1e3:.0f} ms"
        counted = f"{self.counted:.2f}" if self.counted else ""
        return (f"| {self.part}: {self.name} | {self.status} | {self.largest:,} | {self.seconds * 1e3:,.1f} | {growth} | {counted} "
                f"| {self.slice * 1e3:.1f} {self.loop} | {self.per_byte:.0f} | {self.memory / 1e6:.1f} |")


HEAD = ("| Member | Status | Bytes | Processor time, ms | Time at 2n / n | Instructions at 2n / n | Longest slice, ms "
        "| Memory, B for a byte | MB |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|")


class Bounds:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.upstream = runs.Upstream()
        self.receiver = doors.Receiver()
        self.watched, self.number, self.findings = None, 0, []

    # The server

    def server(self):
        if self.watched and self.watched.is_alive() and self.number < CASES_MOST and self.watched.live()[0] < LIVE_MOST:
            return self.watched
        self.stop()
        self.number = 0
        self.watched = Watched(self.options.binary, self.folder, self.options.tools)
        prepare(self.watched.client, self.receiver)
        return self.watched

    def measure(self, act, size, finding):
        """Does something once. `act` returns the status and the bytes of further input."""
        watched = self.watched
        before_memory, before = watched.begin_memory(), watched.spent()
        status, more = act(watched.client)
        after = watched.spent()
        memory = watched.most_memory() - before_memory
        threads = {key: seconds - before.get(key, 0) for key, seconds in after.items()}
        loops = {name: seconds for (_, name), seconds in threads.items() if name.startswith(LOOPS)}
        total, thread = sum(threads.values()), max(loops, key=loops.get)
        # A loop that took less than the bound altogether had no slice that is longer.
        longest, loop = loops[thread], thread
        if watched.has_slices and longest > SLICE_MOST * 0.9:
            slices = watched.slices()
            loop = max(slices, key=slices.get)
            longest = min(slices[loop], longest)
        per_byte = max(memory - finding.besides / 4, 0) / (size + more)
        if memory > finding.memory:
            finding.memory, finding.per_byte = memory, per_byte
        if memory > finding.besides + MEMORY_PER_BYTE * (size + more):
            self.breach(finding, f"memory: {memory / 1e6:.0f} MB for {size + more:,} bytes of input")
        if size + more >= finding.largest:
            finding.status, finding.largest, finding.seconds = status, size + more, total
        return Figures(size + more, status, total, longest, loop)

    def judge(self, finding, act, size, what=""):
        """Does something, and again when a slice is too long, of which the shortest counts: what is long by itself is
        long each time, and what the machine did meanwhile is not."""
        figures = self.measure(act, size, finding)
        tries = 1
        while figures.slice > SLICE_MOST and tries < SLICE_TRIES and figures.seconds < 2 and "slice" not in self.kinds(finding):
            tries += 1
            self.watched.slices()
            other = self.measure(act, size, finding)
            if other.slice < figures.slice:
                figures = other
        if figures.slice > finding.slice:
            finding.slice, finding.loop = figures.slice, figures.loop
        if figures.slice > SLICE_MOST:
            self.breach(finding, f"slice: {figures.slice * 1e3:.0f} ms of {figures.loop} at {figures.size:,} bytes{what}")
        return figures

    def breach(self, finding, text):
        # The smallest input that breaks a bound says most.
        if text.split(":")[0] not in self.kinds(finding):
            finding.broken.append(text)

    def kinds(self, finding):
        return [text.split(":")[0] for text in finding.broken]

    # Growth

    def ladder(self, finding, sizes, act_of, ratio_of):
        """Goes up the sizes until the time says enough. `act_of` makes the act for a size, and tells its bytes; `ratio_of`
        is the growth for twice the input of two costs at two numbers of bytes."""
        series, is_short = [], False
        for index, size in enumerate(sizes):
            if is_short and index + 2 < len(sizes):
                is_short = False
                continue
            act, bytes_of = act_of(size)
            try:
                series.append((size, self.judge(finding, act, bytes_of)))
            except (OSError, ValueError, IndexError) as error:
                finding.broken.append(f"no answer: {error!r} at {bytes_of:,} bytes")
                self.number = CASES_MOST
                return
            if series[-1][1].seconds > TIME_ENOUGH:
                if index == 0:
                    series.insert(0, self.smaller(finding, size, act_of))
                break
            is_short = series[-1][1].seconds < TIME_SHORT
        for (small_size, small), (large_size, large) in zip(series, series[1:]):
            if small.seconds < TIME_LEAST or small.status >= 400 > large.status:
                continue
            ratio = ratio_of(small.seconds, large.seconds, small.size, large.size)
            if ratio > GROWTH_MOST * 0.9:
                small, large = self.look_again(finding, small_size, large_size, act_of)
                ratio = ratio_of(small.seconds, large.seconds, small.size, large.size)
            if finding.growth is None or ratio > finding.growth:
                finding.growth = ratio
            if ratio > GROWTH_MOST:
                finding.suspects.append(Suspect(
                    act_of, small_size, large_size, ratio_of,
                    f"by time {ratio:.2f} from {small.seconds * 1e3:.1f} ms at {small.size:,} bytes "
                    f"to {large.seconds * 1e3:.1f} ms at {large.size:,}"))

    def smaller(self, finding, size, act_of):
        act, bytes_of = act_of(size // 2)
        return size // 2, self.judge(finding, act, bytes_of)

    def look_again(self, finding, small_size, large_size, act_of):
        """The least of several, in turn, since the machine is not as fast in one moment as in the next."""
        found = {small_size: [], large_size: []}
        for _ in range(4):
            for size in found:
                act, bytes_of = act_of(size)
                found[size].append(self.measure(act, bytes_of, finding))
        return [min(figures, key=lambda figures: figures.seconds) for figures in found.values()]

    def count(self):
        """Counts the instructions of all that is beyond its growth by time. Only the counted growth breaks a bound."""
        suspected = [finding for finding in self.findings if finding.suspects]
        counted = Counted(self.options.binary, self.folder, self.receiver) if suspected else None
        for finding in suspected:
            for suspect in finding.suspects:
                try:
                    ratio, costs = self.counted_growth(counted, suspect)
                except (OSError, ValueError, IndexError) as error:
                    self.breach(finding, f"growth: {suspect.text}; could not be counted: {error!r}")
                    counted.renew()
                    continue
                text = f"{ratio:.2f} from {costs[0] / 1e6:,.1f} to {costs[1] / 1e6:,.1f} million instructions; {suspect.text}"
                print(f"counted {finding.part}: {finding.name}: {text}", flush=True)
                finding.counted = max(finding.counted or 0, ratio)
                if ratio > GROWTH_MOST:
                    self.breach(finding, f"growth: {text}")
        if counted:
            counted.stop()
        return len(suspected)

    def counted_growth(self, counted, suspect):
        """The growth, and the instructions at both sizes. Those of one that is too much are the least of two, since timers
        of the server may fall into one."""
        best = None
        while True:
            costs, sizes = zip(*(counted.count(*suspect.act_of(size)) for size in (suspect.small_size, suspect.large_size)))
            is_first, best = best is None, costs if best is None else tuple(map(min, best, costs))
            ratio = suspect.ratio(*best, *sizes)
            if ratio <= GROWTH_MOST or not is_first:
                return ratio, best

    def begin(self, part, name):
        finding = Finding(part, name)
        self.server()
        self.number += 1
        self.watched.slices()
        return finding

    def end(self, finding):
        self.findings.append(finding)
        for text in finding.broken:
            print(f"BROKEN {finding.part}: {finding.name}: {text}", flush=True)

    # Parts

    def bodies(self, part, cases):
        """Bodies that are read: plans first, and then the largest that is accepted is stored and read again."""
        for case in self.wanted(part, cases):
            finding = self.begin(part, case.name)
            fields, body = case.request(case.make(1))
            finding.small_status = self.watched.client.ask(case.method, case.path, body, case.kind, fields)[0]
            most = case.most - 100
            sizes = []
            size = min(FIRST_SIZE, most // 8)
            while size < most * 0.75:
                sizes.append(size)
                size *= 2
            sizes.append(int(most * 0.98))
            accepted = {}

            def act_of(size, case=case, accepted=accepted):
                fields, body = case.request(case.body(size))
                def act(client):
                    status, _ = client.ask(case.method, case.path, body, case.kind, fields)
                    if status < 300:
                        accepted["body"] = body
                    return status, 0
                return act, len(fields) + len(body)

            self.ladder(finding, sizes, act_of, ratio_of_bytes)
            if case.path == "/v1/jobs?validate_only=true" and "body" in accepted and not self.options.quick:
                self.store(finding, case, accepted["body"])
            self.end(finding)

    def store(self, finding, case, body):
        """Stores a job that is held, and reads what was stored in each way."""
        if case.kind == "application/json":
            if not body.startswith(b"{"):
                return
            body = b'{"run_at":"24h",' + body[1:] if b'"run_at"' not in body else body
        found = {}

        def submit(client):
            fields = "" if case.kind == "application/json" else "Job-Delay: 24h\r\n"
            status, content = client.ask("POST", "/v1/jobs", body, case.kind, fields)
            if status < 300:
                found["id"] = json.loads(content).get("id")
            return status, 0

        try:
            self.judge(finding, submit, len(body), ", stored")
            if found.get("id"):
                for path, fields in (("", ""), ("/spec", ""), ("/spec", "Accept: text/x-shellscript\r\n"), ("?view=full", ""),
                                     ("/operations", ""), ("/explain", ""), ("/events", "")):
                    self.judge(finding, lambda client: (client.ask("GET", f"/v1/jobs/{found['id']}{path}", None, "", fields)[0], 0),
                               len(body), f", read as {path or '/'}{' ' * bool(fields)}{fields.strip()}")
                self.watched.client.ask("POST", f"/v1/jobs/{found['id']}:cancel", b"{}")
        except (OSError, ValueError, IndexError) as error:
            finding.broken.append(f"no answer: {error!r} when stored or read again")
            self.number = CASES_MOST

    def jobs(self, part, cases):
        """Jobs that run to their end."""
        for case in self.wanted(part, cases):
            finding = self.begin(part, case.name)
            finding.besides = MEMORY_OF_JOB
            sizes, size = [], max(case.most // 64, 1)
            while size < case.most:
                sizes.append(size)
                size *= 2
            sizes.append(case.most)

            def act_of(n, case=case, finding=finding):
                body = case.body(n)

                def act(client):
                    sent = self.upstream.sent
                    status, content = client.ask("POST", "/v1/jobs", body, fields="Prefer: wait=60\r\n")
                    job = json.loads(content)
                    if status < 300 and not job.get("done", True):
                        finding.broken.append(f"time: not done after a minute with n = {n}")
                        client.ask("POST", f"/v1/jobs/{job['id']}:cancel", b"{}")
                    finding.state = job.get("state")
                    if os.environ.get("BOUNDS_SHOW"):
                        print(finding.name, n, status, job.get("state"), content[:300] if status >= 300 else json.dumps(job.get("error"))[:300])
                    return status, self.upstream.sent - sent
                return act, len(body)

            # What is multiplied is bounded by slices and memory alone.
            self.ladder(finding, sizes, act_of, (lambda *_: 0) if case.is_product else ratio_of_numbers)
            self.end(finding)

    def wanted(self, part, cases):
        chosen = [case for case in cases if self.options.only in f"{part}: {case.name}"]
        return [case for index, case in enumerate(chosen) if index % self.options.every == 0]

    def stop(self):
        if self.watched:
            self.watched.stop()
            self.watched = None


def table(findings, key, count):
    print(HEAD)
    for finding in sorted(findings, key=key, reverse=True)[:count]:
        print(finding.line())


def main():
    options = argparse.ArgumentParser(prog="Benchmarks/bounds", description=__doc__.splitlines()[0])
    options.add_argument("--only", default="", help="only members with this in their name")
    options.add_argument("--parts", default="members,curl,schedules,doors,runs")
    options.add_argument("--every", type=int, default=1, help="only each so-manieth member")
    options.add_argument("--quick", action="store_true", help="store no jobs")
    options.add_argument("--list", action="store_true", help="print the names of all cases")
    options.add_argument("--report", help="write all figures into this file")
    options = options.parse_args()
    options.binary = os.environ.get("JOBSERVER") or f"{ROOT}/.build/release/jobserver"
    options.tools = f"{ROOT}/.build/benchmarks"
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="jobserver-bounds.", dir=os.environ.get("BENCH_DIR")) as folder:
        bounds = Bounds(options, folder)
        contract = Contract()
        parts = {"members": (bounds.bodies, contract.walk()), "curl": (bounds.bodies, curl.cases()),
                 "schedules": (bounds.bodies, schedules.cases()), "doors": (bounds.bodies, doors.cases()),
                 "runs": (bounds.jobs, runs.cases(bounds.upstream.url))}
        if options.list:
            for part, (_, cases) in parts.items():
                for case in bounds.wanted(part, cases):
                    print(f"{part}: {case.name}")
            return
        times = {}
        try:
            for part in options.parts.split(","):
                begun = time.monotonic()
                parts[part][0](part, parts[part][1])
                times[part] = time.monotonic() - begun
            bounds.stop()
            begun = time.monotonic()
            counted = bounds.count()
            times[f"counting {counted} cases"] = time.monotonic() - begun
        finally:
            bounds.stop()
    findings = bounds.findings
    print(f"\n{len(findings)} cases of {len(contract.members)} members and {len(curl.options())} curl options in "
          f"{time.monotonic() - began:.0f} s ({', '.join(f'{part} {seconds:.0f} s' for part, seconds in times.items())})")
    print("\nSteepest growth\n")
    table([finding for finding in findings if finding.growth], lambda finding: finding.growth, 20)
    print("\nLongest slices\n")
    table(findings, lambda finding: finding.slice, 20)
    print("\nLargest memory\n")
    table(findings, lambda finding: finding.per_byte, 20)
    if options.report:
        with open(options.report, "w") as file:
            file.write(HEAD + "\n" + "\n".join(finding.line() for finding in findings) + "\n")
    refused = [finding.name for finding in findings if finding.small_status >= 400]
    print(f"\n{len(refused)} members are refused with one entry, as those of a wrong form should be")
    broken = [finding for finding in findings if finding.broken]
    print(f"\nBounds: {GROWTH_MOST} × the instructions for 2 × the input, {SLICE_MOST * 1e3:.0f} ms for a slice, "
          f"{MEMORY_PER_BYTE} B for a byte and {MEMORY_BESIDES >> 20} MiB, for a job that runs {MEMORY_OF_JOB >> 20} MiB")
    for finding in broken:
        for text in finding.broken:
            print(f"FAILED: {finding.part}: {finding.name}: {text}")
    if broken:
        sys.exit(f"FAILED: {len(broken)} of {len(findings)} break a bound")
    print("ok: nothing breaks a bound")


main()
