"""A large result that two servers share in a bucket, see `artifacts`."""
import hashlib
import http.server
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

import parts
from postgres import Postgres
from s3 import KEYS, S3
from serving import Server

BUCKET = "results"
PIECE = 1 << 20
# Both hold pieces of 8 MiB for each stream.
GROWTH_MAX = 100 << 20


class Upstream(http.server.BaseHTTPRequestHandler):
    """Sends as many bytes as the path says, the same for the same path."""

    def do_GET(self):
        count = int(self.path.split("/")[1])
        piece = pieces(self.path)
        self.send_response(200)
        self.send_header("Content-Length", str(count))
        self.end_headers()
        for start in range(0, count, PIECE):
            self.wfile.write(piece[:min(PIECE, count - start)])

    def log_message(self, *_):
        pass


def pieces(path):
    return random.Random(path).randbytes(PIECE)


def serve_upstream():
    upstream = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{upstream.server_port}"


def flags(database, s3, bucket=BUCKET):
    return ("--store", database.address, "--artifacts", f"s3://{bucket}/some/prefix", "--s3-endpoint", s3.url)


def call(server, method, path, body=None, headers=None, timeout=600):
    request = urllib.request.Request(
        server.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json", **(headers or {})})
    try:
        return urllib.request.urlopen(request, timeout=timeout)
    except urllib.error.HTTPError as answer:
        return answer


def submit(server, source):
    spec = {"type": "download", "request": source, "timeouts": {"attempt": "10m"},
            "save": {"artifact": "data", "max_bytes": 8 << 30}}
    answer = call(server, "POST", "/v1/jobs", spec)
    job = json.load(answer)
    if answer.status >= 300:
        raise SystemExit(f"FAILED: the spec was refused: {job}")
    return job["id"]


def wait(server, job, seconds=900):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        record = json.load(call(server, "GET", f"/v1/jobs/{job}", headers={"Prefer": "wait=20"}))
        if record["done"]:
            return record
    raise SystemExit(f"FAILED: the job is not over after {seconds} s: {record}")


class Watch:
    """The largest memory of processes while it is open."""

    def __init__(self, *servers):
        self.servers, self.is_over = servers, threading.Event()
        self.before = [memory(server) for server in servers]
        self.most = list(self.before)

    def __enter__(self):
        self.thread = threading.Thread(target=self.look)
        self.thread.start()
        return self

    def look(self):
        while not self.is_over.wait(0.05):
            self.most = [max(most, memory(server)) for most, server in zip(self.most, self.servers)]

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()

    @property
    def growth(self):
        return max(most - before for most, before in zip(self.most, self.before))


def memory(server):
    with open(f"/proc/{server.process.pid}/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE")


class Proof:
    def __init__(self, binary, weed, mebibytes, seed):
        self.binary, self.size, self.dice = binary, mebibytes << 20, random.Random(seed)
        self.folder = tempfile.mkdtemp(prefix="jobserver-artifacts-")
        self.database, self.s3 = Postgres(("fsync=off",)), S3(weed)
        self.servers, self.failures = [], 0

    def say(self, is_right, words):
        print(f"{'ok' if is_right else 'FAILED'}: {words}", flush=True)
        self.failures += not is_right

    def server(self, name, bucket=BUCKET):
        folder = f"{self.folder}/{name}"
        os.mkdir(folder)
        return Server(self.binary, folder, flags(self.database, self.s3, bucket))

    def run(self):
        self.database.start()
        self.s3.start()
        os.environ.update(KEYS)
        self.refusals()
        self.s3.make_bucket(BUCKET)
        self.servers = [self.server("a"), self.server("b")]
        for server in self.servers:
            server.spawn()
            server.wait_ready()
        self.upstream = serve_upstream()
        self.share()
        self.outages()

    def refusals(self):
        """What cannot work is said at the start."""
        for name, change, word in [
            ("missing bucket", {}, "AccessDenied"),
            ("wrong secret key", {"AWS_SECRET_ACCESS_KEY": "other"}, "SignatureDoesNotMatch"),
            ("unknown key", {"AWS_ACCESS_KEY_ID": "other"}, "InvalidAccessKeyId"),
        ]:
            ended = subprocess.run(
                self.server(name.replace(" ", "-"), "nothing").command, env={**os.environ, **change},
                capture_output=True, text=True, timeout=60)
            self.say(ended.returncode == 5 and word in ended.stderr,
                     f"with a {name} the server does not start: {ended.stderr.strip()}")

    def share(self):
        """One server fetches, another one sends."""
        first, second = self.servers
        source = f"{self.upstream}/{self.size}/large"
        digest = hashlib.sha256()
        for start in range(0, self.size, PIECE):
            digest.update(pieces(f"/{self.size}/large")[:min(PIECE, self.size - start)])
        with Watch(first) as watch:
            began = time.monotonic()
            job = submit(first, source)
            record = wait(first, job)
            seconds = time.monotonic() - began
        self.say(record["state"] == "succeeded", f"a job with {self.size >> 20} MiB is {record['state']} after "
                 f"{seconds:.1f} s {record.get('error') or ''}")
        self.say(watch.growth < GROWTH_MAX, f"it took {watch.growth >> 20} MiB of memory")
        with Watch(second) as watch:
            began = time.monotonic()
            answer = call(second, "GET", f"/v1/jobs/{job}/result")
            sent = hashlib.sha256()
            while piece := answer.read(PIECE):
                sent.update(piece)
            seconds = time.monotonic() - began
            self.say(sent.digest() == digest.digest(), f"the other server sends the same bytes, "
                     f"{self.size / seconds / (1 << 20):.0f} MiB a second")
            wrong = 0
            for _ in range(50):
                start = self.dice.randrange(self.size)
                end = min(self.size, start + self.dice.randrange(1, 3 << 20))
                answer = call(second, "GET", f"/v1/jobs/{job}/result", headers={"Range": f"bytes={start}-{end - 1}"})
                whole = pieces(f"/{self.size}/large")
                want = (whole * (2 + (end - start) // PIECE))[start % PIECE:][:end - start]
                wrong += answer.status != 206 or answer.read() != want
            self.say(wrong == 0, f"{50 - wrong} of 50 ranges are right")
        self.say(watch.growth < GROWTH_MAX, f"it took {watch.growth >> 20} MiB of memory")
        left = [name for server in self.servers for _, _, names in os.walk(f"{server.data}/artifacts") for name in names]
        self.say(not left, f"{len(left)} files are left on the machines")
        self.job = job

    def outages(self):
        """The S3 server dies: in an upload, and while a result is read."""
        first, second = self.servers
        job = submit(first, f"{self.upstream}/{min(self.size, 200 << 20)}/second")
        while not os.path.exists(f"{first.data}/artifacts") or not any(
                len(name) == 62 for _, _, names in os.walk(f"{first.data}/artifacts") for name in names):
            time.sleep(0.001)
        self.s3.stop()
        answer = call(second, "GET", f"/v1/jobs/{self.job}/result")
        text = answer.read().decode(errors="replace")
        self.say(answer.status == 503 and "Retry-After" in answer.headers,
                 f"a read in the outage gets {answer.status}: {json.loads(text).get('detail')}")
        self.s3.start()
        record = wait(first, job)
        self.say(record["state"] == "succeeded", f"a job that the outage met is {record['state']} "
                 f"{record.get('error') or ''}")
        answer = call(second, "GET", f"/v1/jobs/{job}/result", headers={"Range": "bytes=0-99"})
        self.say(answer.read() == pieces(f"/{min(self.size, 200 << 20)}/second")[:100], "and its result is right")
        answer = call(second, "GET", f"/v1/jobs/{self.job}/result", headers={"Range": "bytes=0-9"})
        self.say(answer.status == 206, "the earlier result is there again")
        self.s3.stop()
        job = submit(first, f"{self.upstream}/{20 << 20}/third")
        record = wait(first, job)
        error = record.get("error") or {}
        self.say(record["state"] == "failed" and error.get("code") == "storage.failed" and error.get("retryable"),
                 f"in an outage that lasts a job is {record['state']}: {error.get('code')}, {error.get('detail')}")
        self.s3.start()
        call(second, "POST", f"/v1/jobs/{job}:retry")
        record = wait(second, job)
        self.say(record["state"] == "succeeded", f"after it, retried, it is {record['state']}")

    def clean_up(self):
        for server in self.servers:
            if server.process and server.process.poll() is None:
                server.process.kill()
                server.process.wait()
        self.s3.clean_up()
        self.database.clean_up()
        shutil.rmtree(self.folder)


def main():
    proof = Proof(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    try:
        proof.run()
    finally:
        proof.clean_up()
    sys.exit(1 if proof.failures else 0)


if __name__ == "__main__":
    main()
