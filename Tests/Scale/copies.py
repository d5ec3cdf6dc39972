"""Copies a store from a data directory into a PostgreSQL and back, and compares every read of the API.

usage: copies.py BINARY JOBS KILLS
"""
import http.client
import http.server
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import parts  # noqa: F401
from postgres import Postgres
from serving import Server, ServerFailure

LARGE = 300_000
# What changes from one read to the next, or with the address of a server.
PASSING = {"next_attempt_in", "retry_in", "age"}


class Upstream(http.server.ThreadingHTTPServer):
    """`/large/N` is answered with much, `/fail` with 500, `/slow` not before it may, anything else with the path."""

    daemon_threads = True

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.do_GET()

        def do_GET(self):
            self.server.calls.append((self.path, self.headers.get("Authorization")))
            if self.path == "/slow":
                self.server.may_answer.wait()
            body = self.path.encode() * (LARGE // len(self.path) if self.path.startswith("/large") else 1)
            try:
                self.send_response(500 if self.path == "/fail" else 200)
                self.send_header("Content-Type", "text/plain")
                self.send_header("ETag", '"one"')
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                pass

        def log_message(self, *words):
            pass

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.calls, self.may_answer = [], threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def call(self, path, **more):
        return {"type": "network", "request": f"http://127.0.0.1:{self.server_address[1]}{path}", **more}


class Place:
    """A store and a server on it."""

    def __init__(self, binary, folder, name, database=None):
        self.binary, self.database = binary, database
        self.store = store = database and database.address
        self.folder = f"{folder}/{name}"
        os.mkdir(self.folder)
        self.artifacts, self.key = f"{folder}/artifacts", f"{folder}/key"
        flags = ["--secret-key-file", self.key, "--lease", "3s"] if store else ["--secret-key-file", self.key]
        if store:
            flags += ["--store", store, "--schema", name, "--artifacts", self.artifacts]
        self.server = Server(binary, self.folder, flags)
        self.schema = name

    @property
    def words(self):
        """How the command names it."""
        return self.store or self.server.data

    def copy(self, other, *flags, waits=True):
        """The process that copies this store into another one."""
        shared = self if self.store else other
        process = subprocess.Popen(
            [self.binary, "copy", "--from", self.words, "--to", other.words, "--schema", shared.schema, "--artifacts",
             self.artifacts, *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if not waits:
            return process
        output, errors = process.communicate(timeout=600)
        return process.returncode, output, errors

    def must_copy(self, other, *flags):
        code, output, errors = self.copy(other, *flags)
        if code:
            raise ServerFailure(f"the copy failed ({code}): {errors[-2000:]}")
        return output

    def clear(self):
        """Removes the server and the store."""
        self.server.kill()
        if self.store:
            self.database.ask(f"DROP SCHEMA {self.schema} CASCADE")
        else:
            shutil.rmtree(self.server.data)

    def stop(self):
        self.server.ask_to_stop()
        if self.server.process.wait(timeout=60):
            raise ServerFailure(f"the server did not stop in order: {self.server.last_words()}")


# The content of the store

def fill(server, upstream, jobs):
    """Jobs of all kinds, none of which will change by itself. Returns the ids of some by what they wait for."""
    def submit(spec, **headers):
        return server.asked("POST", "/v1/jobs", spec) ["id"] if not headers else send(server, spec, headers)["id"]

    server.asked("PUT", "/v1/queues/narrow", {"concurrency": 1, "rate": {"count": 1, "per": "1h", "burst": 1},
                                              "per_key": {"concurrency": 1}})
    server.asked("POST", "/v1/queues/closed:pause")
    server.asked("PUT", "/v1/secrets/crm", {"text": "correct horse"})
    server.asked("PUT", "/v1/connections/crm", {"base_url": f"http://127.0.0.1:{upstream.server_address[1]}/",
                                                "auth": {"type": "bearer", "token": {"$secret": "crm"}}})
    server.asked("PUT", "/v1/hosts/127.0.0.1/limits", {"concurrency": 64})
    for version in (1, 2):
        server.asked("PUT", "/v1/templates/greet", {"operation": {"type": "value", "value": version}})
    server.asked("PUT", "/v1/schedules/yearly", {"cron": "0 3 1 1 *", "job": {"type": "value", "value": 1}})
    server.asked("POST", "/v1/schedules/yearly:run")
    server.asked("PUT", "/v1/schedules/gone", {"cron": "0 3 1 1 *", "job": {"type": "value", "value": 1}})
    server.asked("POST", "/v1/schedules/gone:run")
    server.asked("DELETE", "/v1/schedules/gone")

    batch = [{"type": "value", "value": {"number": number, "text": "ü\u0000" * (number % 50)}, "name": f"n{number % 7}",
              "labels": {"customer": f"c{number % 5}"}, "metadata": {"number": number}} for number in range(jobs)]
    for start in range(0, jobs, 500):
        server.asked("POST", "/v1/jobs:batch", batch[start:start + 500])
    found = {
        "large": submit(upstream.call("/large/1")),
        "download": submit({"type": "download", "request": f"http://127.0.0.1:{upstream.server_address[1]}/large/2"}),
        "failed": submit(upstream.call("/fail", retry={"max_attempts": 1})),
        "steps": submit({"type": "group", "ordered": True, "operations": [
            upstream.call("/a", name="a"), upstream.call("/b", name="b"), {"type": "value", "name": "c", "value": 3}]}),
        "by_connection": submit({"type": "network", "connection": "crm", "request": "c"}),
        "keyed": submit(upstream.call("/keyed"), **{"Idempotency-Key": "k1"}),
        "later": submit({"type": "value", "value": 1, "run_at": "30d"}),
        "signal": submit({"type": "await", "signal": "go"}),
        "cancelled": submit({"type": "await", "signal": "never"}),
        "erased": submit({"type": "value", "value": 1}, **{"Idempotency-Key": "gone"}),
        "held": submit({"type": "await", "signal": "go"}),
        "approval": submit({"type": "value", "value": 1,
                            "conditions": [{"type": "approval", "prompt": "May it?", "timeout": "30d"}]}),
        "grant": submit({**upstream.call("/granted"),
                         "conditions": [{"type": "authorized_for", "grant": "mail", "scope": "send"}]}),
        "first": submit({"type": "await", "signal": "go", "conditions": [{"type": "lock", "key": "one"}]}),
        "unique": submit({"type": "await", "signal": "go", "unique": {"key": "u", "on_conflict": "wait"}}),
        "called_back": submit({"type": "value", "value": 1, "callbacks": [
            f"http://127.0.0.1:{upstream.server_address[1]}/called-back"]}),
        "closed": submit({"type": "value", "value": 1, "queue": "closed", "queue_key": "k"}),
    }
    wait(server, found["first"], "waiting", "pending")
    found["second"] = submit({"type": "value", "value": 2, "conditions": [{"type": "lock", "key": "one"}]})
    found["behind"] = submit({"type": "value", "value": 2, "unique": {"key": "u", "on_conflict": "wait"}})
    found["narrow"] = submit({"type": "value", "value": 1, "queue": "narrow", "queue_key": "a"})
    wait(server, found["narrow"], "succeeded")
    found["in_line"] = submit({"type": "value", "value": 1, "queue": "narrow", "queue_key": "b"})
    server.asked("POST", f"/v1/jobs/{found['cancelled']}:cancel", {"reason": "no use"})
    server.asked("POST", f"/v1/jobs/{found['held']}:hold")
    server.asked("POST", f"/v1/jobs/{found['signal']}/signals/other", {"text": "early"})
    wait(server, found["erased"], "succeeded")
    server.asked("DELETE", f"/v1/jobs/{found['erased']}")
    server.asked("POST", "/v1/bulk-actions", {"action": "retry", "filter": {"state": ["failed"]}})
    settle(server)
    return found


def send(server, spec, headers):
    status, found = server.ask("POST", "/v1/jobs", spec, headers)
    if status >= 300:
        raise ServerFailure(f"a job is refused with {status}: {found}")
    return found


def wait(server, id, *states):
    deadline = time.monotonic() + 30
    while (state := server.asked("GET", f"/v1/jobs/{id}")["state"]) not in states:
        if time.monotonic() > deadline:
            raise ServerFailure(f"{id} is {state} and not {states}")
        time.sleep(0.01)


def settle(server):
    """Waits until nothing happens by itself."""
    last, quiet = None, 0
    while quiet < 5:
        time.sleep(0.3)
        now = [(job["id"], job["revision"]) for state in ("queued", "running", "waiting", "retrying", "pending", "held")
               for job in server.pages(f"/v1/jobs?state={state}")]
        bulk = [each["state"] for each in server.pages("/v1/bulk-actions")]
        quiet = quiet + 1 if now == last and "running" not in bulk else 0
        last = now


# Reading

def fetch(server, path):
    """The status, the type and the content of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request("GET", path)
    answer = connection.getresponse()
    content = answer.read()
    kind = (answer.getheader("Content-Type") or "").split(";")[0]
    connection.close()
    if kind.endswith("json"):
        content = strip(json.loads(content))
    if kind == "application/problem+json":
        del content["request_id"]
    return answer.status, kind, content


def strip(value):
    if isinstance(value, dict):
        return {key: strip(each) for key, each in value.items() if key not in PASSING}
    return [strip(each) for each in value] if isinstance(value, list) else value


def everything(server):
    """Every read of the API, by its path."""
    found = {}

    def read(path):
        found[path] = fetch(server, path)
        return found[path][2]

    def pages(path):
        step = path
        while step:
            page = read(step)
            if "items" not in page:
                raise ServerFailure(f"{step} is no list: {str(page)[:500]}")
            yield from page["items"]
            token = page.pop("next_page_token", None)
            step = token and f"{path}{'&' if '?' in path else '?'}page_token={token}"

    jobs = list(pages("/v1/jobs?page_size=200"))
    for filter in ("state=failed", "name=n3", "label.customer=c1", "queue=closed", "type=network", "queue_key=k",
                   "order_by=created_at", "finished_from=2020-01-01T00:00:00Z"):
        list(pages(f"/v1/jobs?{filter}"))
    read("/v1/jobs:count?by=state,type")
    # All of what is rare, some of what is not.
    rare = [job for job in jobs if job["type"] != "value" or job["state"] != "succeeded"]
    for job in rare + jobs[:40]:
        base = f"/v1/jobs/{job['id']}"
        for part in ("", "/result", "/spec", "/attempts", "/explain"):
            read(base + part)
        list(pages(f"{base}/events"))
        for operation in pages(f"{base}/operations"):
            read(f"{base}/operations/{operation['operation']}")
        for artifact in pages(f"{base}/artifacts"):
            read(f"{base}/artifacts/{artifact['name']}")
    for path in ("/v1/approvals", "/v1/grants", "/v1/audit", "/v1/secrets", "/v1/connections"):
        list(pages(path))
    read("/v1/hosts/127.0.0.1/limits")
    for name in ("templates", "schedules", "queues"):
        for each in pages(f"/v1/{name}"):
            read(f"/v1/{name}/{each['name']}")
            if name == "schedules":
                read(f"/v1/schedules/{each['name']}/occurrences")
            if name == "queues":
                read(f"/v1/queues/{each['name']}/keys")
    read("/v1/templates/greet?version=1")
    for each in pages("/v1/bulk-actions"):
        read(f"/v1/bulk-actions/{each['id']}")
        list(pages(f"/v1/bulk-actions/{each['id']}/results"))
    return found


def compare(before, after, woken, where):
    """What differs between two readings. Jobs that wait for an exclusive key have asked for it again."""
    found = []
    for path in sorted(set(before) | set(after)):
        one, other = before.get(path), after.get(path)
        if one == other or woken in path:
            continue
        if isinstance(one and one[2], dict) and isinstance(other and other[2], dict) and "items" in one[2]:
            pairs = [(a, b) for a, b in zip(one[2]["items"], other[2]["items"]) if a != b and a.get("id") != woken]
            if not pairs and len(one[2]["items"]) == len(other[2]["items"]):
                continue
            found.append(f"{where}: {path}: {pairs[:1]}")
        else:
            found.append(f"{where}: {path}: {str(one)[:1500]}\n   became {str(other)[:1500]}")
    return found


# Proofs

def there_and_back(binary, folder, database, upstream, jobs, kills, dice):
    places = [Place(binary, folder, "one"), Place(binary, folder, "shared", database),
              Place(binary, folder, "two")]
    first = places[0]
    first.server.start()
    found = fill(first.server, upstream, jobs)
    before = everything(first.server)
    print(f"{jobs} jobs and some of each kind: {len(before)} reads", flush=True)
    failures = refusals(places)
    first.stop()
    for here, there in zip(places, places[1:]):
        failures += interrupted(here, there, kills, dice)
        report = here.must_copy(there, "--restart")
        print(report.split("\n")[0], flush=True)
        code, _, errors = here.copy(there)
        if code != 5 or "not empty" not in errors:
            failures.append(f"a copy into a store that is not empty ends with {code}: {errors[-500:]}")
        there.server.start()
        settle(there.server)
        failures += compare(before, everything(there.server), found["second"], there.schema)
        if there is not places[-1]:
            there.stop()
    failures += finish(places[-1].server, found, upstream)
    places[-1].stop()
    return failures


def refusals(places):
    """A store in use is not copied."""
    code, _, errors = places[0].copy(places[1])
    return [] if code == 5 and "Stop it first" in errors else [f"a store in use is copied, {code}: {errors}"]


def interrupted(here, there, kills, dice):
    """Kills copies in the middle: no server opens what is left."""
    failures, count = [], 0
    for _ in range(kills):
        process = here.copy(there, "--restart", waits=False)
        # After the first line that says that something is stored.
        process.stderr.readline()
        time.sleep(dice.random() * 0.1)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        there.server.spawn()
        try:
            there.server.wait_ready()
            # It was killed after its end.
            there.clear()
            continue
        except ServerFailure:
            code = there.server.process.wait(timeout=60)
        count += 1
        if code != 5 or "unfinished copy" not in there.server.words():
            failures.append(f"a server on an unfinished copy ends with {code}: {there.server.last_words()}")
        words = ["--store", there.store, "--schema", there.schema] if there.store else ["--data", there.server.data]
        doctor = subprocess.run([there.binary, "doctor", *words], capture_output=True, text=True)
        if doctor.returncode != 1 or "unfinished copy" not in doctor.stdout + doctor.stderr:
            failures.append(f"the doctor finds nothing wrong with an unfinished copy: {doctor}")
        code, _, errors = here.copy(there)
        if code != 5 or "--restart" not in errors:
            failures.append(f"a copy into an unfinished one ends with {code}: {errors[-500:]}")
    print(f"{count} copies killed in the middle", flush=True)
    return failures


def finish(server, found, upstream):
    """All that waits goes on, and keys find the same jobs."""
    failures = []
    status, again = server.ask("POST", "/v1/jobs", upstream.call("/keyed"), {"Idempotency-Key": "k1"})
    if again.get("id") != found["keyed"]:
        failures.append(f"DOUBLED: the key k1 finds {again} and not {found['keyed']}")
    status, again = server.ask("POST", "/v1/jobs", {"type": "value", "value": 1}, {"Idempotency-Key": "gone"})
    if status != 410:
        failures.append(f"DOUBLED: the key of an erased job is answered with {status} {again}")
    server.asked("POST", f"/v1/jobs/{found['held']}:release")
    for name in ("signal", "held", "first", "unique"):
        server.asked("POST", f"/v1/jobs/{found[name]}/signals/go", {"text": name})
    for approval in server.pages("/v1/approvals?state=open"):
        server.asked("POST", f"/v1/approvals/{approval['id']}:approve", {"digest": approval["digest"]})
    server.asked("PUT", "/v1/grants/mail", {"state": "granted", "scopes": ["send"]})
    server.asked("POST", "/v1/queues/closed:resume")
    server.asked("PUT", "/v1/queues/narrow", {"concurrency": 1})
    found["secret"] = server.asked("POST", "/v1/jobs", {"type": "network", "connection": "crm", "request": "open"})["id"]
    for name in ("secret", "signal", "held", "approval", "grant", "first", "second", "unique", "behind", "closed", "in_line"):
        status, job = server.ask("GET", f"/v1/jobs/{found[name]}", headers={"Prefer": "wait=30"})
        if job["state"] != "succeeded":
            failures.append(f"STUCK: {name} is {job['state']}: {json.dumps(job)[:500]}")
    if ("/open", "Bearer correct horse") not in upstream.calls:
        failures.append(f"SECRET: a call came with {upstream.calls[-1]}")
    return failures


def after_a_kill(binary, folder, database, upstream):
    """Jobs that ran when their server was killed are run again in the new place, and back in a directory."""
    failures = []
    here, there = Place(binary, folder, "killed"), Place(binary, folder, "taken", database)
    here.server.start()
    ids = [here.server.asked("POST", "/v1/jobs", upstream.call("/slow"))["id"] for _ in range(20)]
    for place, other in ((here, there), (there, Place(binary, folder, "again"))):
        for id in ids:
            wait(place.server, id, "running")
        place.server.kill()
        code, _, errors = place.copy(other)
        if place is there and code == 5 and "until its lease ends" in errors:
            time.sleep(4)
            code, _, errors = place.copy(other)
        if code:
            return [f"the copy of a killed server failed: {errors}"]
        other.server.start()
    last = other
    # Two servers died while these jobs ran: they are suspects now, and run a few at a time.
    upstream.may_answer.set()
    for id in ids:
        wait(last.server, id, "succeeded")
        attempts = json.dumps(last.server.asked("GET", f"/v1/jobs/{id}/attempts"))
        if attempts.count('"interrupted"') > 2 or attempts.count('"succeeded"') != 1:
            failures.append(f"{id} has the attempts {attempts[:1500]}")
    last.stop()
    print(f"{len(ids)} jobs that were running at two kills ended after two copies", flush=True)
    return failures


def main():
    binary, jobs, kills = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    seed = int(os.environ.get("SEED", "1"))
    folder, database, upstream = tempfile.mkdtemp(prefix="jobserver-copy-"), Postgres(), Upstream()
    with open(f"{folder}/key", "w") as key:
        key.write("ab" * 32 + "\n")
    os.chmod(f"{folder}/key", 0o600)
    try:
        database.start()
        failures = there_and_back(binary, folder, database, upstream, jobs, kills, random.Random(seed))
        failures += after_a_kill(binary, folder, database, upstream)
    finally:
        database.clean_up()
        if not os.environ.get("KEEP"):
            shutil.rmtree(folder)
    for failure in failures[:30]:
        print(failure)
    print(f"{len(failures)} differences")
    sys.exit(1 if failures else 0)


main()
