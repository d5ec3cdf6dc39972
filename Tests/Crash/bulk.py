"""Looks whether bulk actions settle each of their jobs once over kills, and do not hold submissions up.

usage: bulk.py BINARY JOBS LATENCY_RATIO SEED

The jobs are in a paused queue, so that nothing but the actions changes them.
"""
import collections
import http.client
import json
import random
import signal
import sys
import tempfile
import threading
import time

from serving import Server, ServerFailure
from storecopy import copy_of
from verdict import conclude

#: The actions in turn, each with its filter beside the label, the state after it, and the revision of each job.
ACTIONS = [("cancel", {}, "cancelled", 2), ("retry", {"state": "cancelled"}, "queued", 3), ("cancel", {}, "cancelled", 4),
           ("erase", {}, None, None)]
QUIET_SECONDS, PAUSE_SECONDS = 5, 0.01
OVER_WITHIN = 300


class Submitter(threading.Thread):
    """Submits a job again and again, and keeps how long that took."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.label = server, "none"
        #: The milliseconds of each answer since the last look, and the jobs that were accepted with each label.
        self.spent, self.accepted = [], collections.defaultdict(list)
        self.has_ended = False
        #: Held from a submission's label to its answer.
        self.turn = threading.Lock()

    def relabel(self, label):
        """Takes another label. The jobs with the one before have their answers then."""
        with self.turn:
            self.label = label

    def run(self):
        port = connection = None
        while not self.has_ended:
            if port != self.server.port:
                port = self.server.port
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            try:
                with self.turn:
                    self.submit(connection)
            except (OSError, http.client.HTTPException):
                # The server was killed.
                connection.close()
            time.sleep(PAUSE_SECONDS)

    def submit(self, connection):
        began = time.perf_counter()
        body = {"type": "value", "value": 1, "queue": "q", "name": "later", "labels": {"of": self.label}}
        connection.request("POST", "/v1/jobs", json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        found = json.loads(answer.read())
        self.spent.append((time.perf_counter() - began) * 1000)
        if answer.status == 202:
            self.accepted[self.label].append(found["id"])

    def take(self):
        """The 99th hundredth of the times since the last look."""
        spent, self.spent = sorted(self.spent), []
        return spent[len(spent) * 99 // 100] if spent else 0.0


def submit(server, count, label):
    ids = []
    for start in range(0, count, 1_000):
        job = {"type": "value", "value": 1, "queue": "q", "labels": {"of": label}}
        answer = server.asked("POST", "/v1/jobs:batch", [job] * min(1_000, count - start))
        ids += [item["job"]["id"] for item in answer["items"]]
    return ids


def act(server, submitter, action, members, dice, is_killed):
    """Runs an action to its end; jobs that are submitted meanwhile have the label of the filter."""
    body = {"action": action, "filter": {"labels": {"of": "many"}, **members}}
    bulk = server.asked("POST", "/v1/bulk-actions", body)
    submitter.relabel("many")
    path, deadline = f"/v1/bulk-actions/{bulk['id']}", time.monotonic() + OVER_WITHIN
    kill_at = bulk["count"] * dice.uniform(0.2, 0.8) if is_killed else None
    killed_at = None
    while bulk["state"] == "running":
        if time.monotonic() > deadline:
            raise ServerFailure(f"{action}: {bulk['settled']} of {bulk['count']} jobs settled in {OVER_WITHIN} s")
        if kill_at is not None and bulk["settled"] >= kill_at:
            server.kill()
            server.start()
            kill_at, killed_at = None, bulk["settled"]
        time.sleep(0.01)
        bulk = server.asked("GET", path)
    submitter.relabel("none")
    if kill_at is not None:
        raise ServerFailure(f"{action} was over before the kill; take more JOBS")
    return bulk, list(server.pages(f"{path}/results?page_size=500")), killed_at


def quiet(submitter, ratio):
    """The 99th hundredth of submissions while no action runs."""
    submitter.take()
    time.sleep(QUIET_SECONDS if ratio else 0.2)
    return submitter.take()


def complaints(action, ids, later, bulk, results, connection, state, revision):
    counts = collections.Counter(result["job_id"] for result in results)
    yield from (f"TWICE: {action} has {count} results for {job}" for job, count in counts.items() if count > 1)
    yield from (f"LOST: {action} has no result for {job}" for job in ids - counts.keys())
    yield from (f"UNASKED: {action} has a result for {job}" for job in counts.keys() - ids)
    yield from (f"WRONG: {action} of {result['job_id']}: {result}" for result in results if result["state"] != "succeeded")
    if bulk["by_state"] != {"succeeded": len(ids), "skipped": 0, "failed": 0} or bulk["state"] != "completed":
        yield f"WRONG: {action} says {bulk['state']}, {bulk['by_state']}"
    stored = {f"job_{base32(id)}": row for id, *row in connection.execute("SELECT id, state, revision FROM job")}
    for job in later:
        if stored.get(job) is None or stored[job][1] != 1:
            yield f"UNASKED: {action} changed {job}, which came later: {stored.get(job)}"
    for job in ids:
        if (stored.get(job) is None) != (state is None) or revision and stored[job][1] != revision:
            yield f"TWICE: {job} is {stored.get(job)} after {action}, and not {state}, revision {revision}"


def base32(bits):
    """The letters of an id: Crockford's alphabet, the highest bits first."""
    number = int.from_bytes(bits, "big")
    return "".join("0123456789abcdefghjkmnpqrstvwxyz"[number >> 5 * place & 31] for place in reversed(range(26)))


def run(binary, folder, jobs, ratio, seed):
    server, dice, failures = Server(binary, folder), random.Random(seed), []
    server.start()
    server.asked("POST", "/v1/queues/q:pause")
    ids = set(submit(server, jobs, "many"))
    submitter = Submitter(server)
    submitter.start()
    try:
        for number, (action, members, state, revision) in enumerate(ACTIONS):
            is_killed = number != 2
            before, began = quiet(submitter, ratio), time.monotonic()
            bulk, results, killed_at = act(server, submitter, action, members, dice, is_killed)
            meanwhile, seconds = submitter.take(), time.monotonic() - began
            later = submitter.accepted.pop("many", [])
            after = quiet(submitter, ratio)
            server.kill()
            with copy_of(server.data, folder) as connection:
                failures += complaints(action, ids, later, bulk, results, connection, state, revision)
            print(f"{action}: {len(ids)} jobs in {seconds:.1f} s, kill -9 after {killed_at} results; submissions p99 "
                  f"{before:.1f} ms before, {meanwhile:.1f} ms meanwhile, {after:.1f} ms after "
                  f"({meanwhile / max(before, after):.1f} times); "
                  f"{len(later)} jobs that came later are untouched", flush=True)
            # The machine may be slower in one minute than in the next.
            if ratio and meanwhile > ratio * max(before, after):
                failures.append(f"SLOW: submissions took {meanwhile / max(before, after):.1f} times as long during {action}")
            if failures:
                break
            server.start()
            # They would match the next filter.
            for job in list(server.pages("/v1/jobs?name=later&label.of=many&page_size=500")):
                server.ask("POST", f"/v1/jobs/{job['id']}:cancel")
                server.asked("DELETE", f"/v1/jobs/{job['id']}")
    except (ServerFailure, OSError, http.client.HTTPException) as error:
        failures.append(f"SERVER: {error}")
    finally:
        submitter.has_ended = True
        server.clean_up()
    return failures


def main():
    binary, jobs, ratio, seed = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    folder = tempfile.mkdtemp(prefix="jobserver-bulk-")
    failures = run(binary, folder, jobs, ratio, seed)
    conclude(failures, seed, folder, "0 jobs without a result, 0 with two, 0 changed twice, 0 later jobs touched")


if __name__ == "__main__":
    main()
