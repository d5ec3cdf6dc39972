"""The origin of the test, and what is asked of the server.

usage: download.py origin SIZE_MIB FILE PARENT
       download.py submit URL FILE JOB
       download.py middle URL FILE JOB SERVER_PID
       download.py check URL FILE JOB SERVER_PID
"""
import hashlib
import http.server
import json
import os
import random
import re
import sys
import threading
import time
import urllib.request

BLOCK = 1 << 20
CUTS = 5
MEMORY_MAX_MB = 100


class Content:
    """Bytes that are different at every place, made as they are needed."""

    def __init__(self, mib):
        self.size = mib * BLOCK
        self.base = bytearray(random.Random(1).randbytes(BLOCK))

    def block(self, number):
        block = bytearray(self.base)
        block[:8] = number.to_bytes(8, "big")
        return block

    def digest(self):
        digest = hashlib.sha256()
        for number in range(self.size // BLOCK):
            digest.update(self.block(number))
        return digest.hexdigest()


def serve(mib, file, parent):
    content = Content(mib)
    facts = {"size": content.size, "sha256": content.digest(), "cuts": 0, "sent": 0, "requests": [], "held": False}
    cuts = [content.size * (place + 1) // (CUTS + 1) for place in range(CUTS)]
    # The server is killed while this much was sent: between two of the cuts.
    hold = content.size * 5 // (2 * (CUTS + 1))
    released = threading.Event()
    lock = threading.Lock()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *words):
            pass

        def do_GET(self):
            if self.path == "/facts":
                return self.tell()
            if self.path == "/release":
                released.set()
                return self.tell()
            self.download()

        def tell(self):
            body = json.dumps(facts).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def download(self):
            start = 0
            asked = self.headers.get("Range")
            if asked and self.headers.get("If-Range") == '"the-one"':
                start = int(re.fullmatch(r"bytes=(\d+)-", asked).group(1))
            with lock:
                facts["requests"].append(start)
            self.send_response(206 if start else 200)
            self.send_header("ETag", '"the-one"')
            self.send_header("Accept-Ranges", "bytes")
            self.send_header("Content-Type", "application/octet-stream")
            self.send_header("Content-Length", str(content.size - start))
            if start:
                self.send_header("Content-Range", f"bytes {start}-{content.size - 1}/{content.size}")
            self.end_headers()
            self.send_from(start)

        def send_from(self, place):
            while place < content.size:
                number, skip = divmod(place, BLOCK)
                end = (number + 1) * BLOCK
                cut = next((cut for cut in cuts if place < cut <= end), None)
                piece = memoryview(content.block(number))[skip:(cut or end) - number * BLOCK]
                self.wfile.write(piece)
                place += len(piece)
                with lock:
                    facts["sent"] += len(piece)
                if cut is not None and place == cut:
                    with lock:
                        cuts.remove(cut)
                        facts["cuts"] += 1
                    self.close_connection = True
                    self.connection.close()
                    return
                if place >= hold and not released.is_set():
                    facts["held"] = True
                    released.wait(120)

        def handle(self):
            try:
                super().handle()
            except OSError:
                pass

        def finish(self):
            try:
                super().finish()
            except (OSError, ValueError):
                pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    with open(file + ".new", "w") as out:
        out.write(f"http://127.0.0.1:{server.server_port}")
    os.rename(file + ".new", file)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    while os.path.exists(f"/proc/{parent}"):
        time.sleep(0.5)


def ask(url, path, body=None, headers=None):
    fields = {"Content-Type": "application/json"} if body else {}
    request = urllib.request.Request(url + path, body, {**fields, **(headers or {})})
    with urllib.request.urlopen(request, timeout=120) as answer:
        return answer.read()


def facts_of(file):
    with open(file) as source:
        origin = source.read()
    return origin, json.loads(ask(origin, "/facts"))


def peak_memory(pid):
    """The most memory that a process has had, in MB."""
    with open(f"/proc/{pid}/status") as status:
        return int(re.search(r"VmHWM:\s+(\d+) kB", status.read()).group(1)) / 1000


def submit(url, file, job_file):
    origin, facts = facts_of(file)
    spec = {
        "type": "download", "name": "large", "request": f"{origin}/content",
        "save": {"artifact": "large.bin", "max_bytes": facts["size"]},
        "verify": {"sha256": facts["sha256"], "size": facts["size"]},
        "retry": {"max_attempts": 20, "backoff": "100ms", "jitter": "none"},
    }
    job = json.loads(ask(url, "/v1/jobs", json.dumps(spec).encode()))
    with open(job_file, "w") as out:
        json.dump({"id": job["id"]}, out)
    print(f"{facts['size'] >> 20} MiB to fetch, sha256 {facts['sha256'][:16]}…")


def middle(url, file, job_file, pid):
    """Waits until the download is in its middle."""
    with open(job_file) as source:
        known = json.load(source)
    deadline = time.monotonic() + 300
    while not facts_of(file)[1]["held"]:
        assert time.monotonic() < deadline, "the download does not come to its middle"
        time.sleep(0.02)
    for _ in range(100):
        progress = json.loads(ask(url, f"/v1/jobs/{known['id']}")).get("progress")
        if progress and progress["percent"] >= 30:
            break
        time.sleep(0.05)
    print(f"in the middle: {json.dumps(progress)}")
    assert progress and progress["total"] == facts_of(file)[1]["size"], progress
    known["memory"] = peak_memory(pid)
    with open(job_file, "w") as out:
        json.dump(known, out)


def check(url, file, job_file, pid):
    with open(job_file) as source:
        known = json.load(source)
    origin, facts = facts_of(file)
    ask(origin, "/release")
    deadline = time.monotonic() + 600
    while True:
        job = json.loads(ask(url, f"/v1/jobs/{known['id']}", headers={"Prefer": "wait=30"}))
        if job["done"]:
            break
        assert time.monotonic() < deadline, job
    assert job["state"] == "succeeded", json.dumps(job)
    origin, facts = facts_of(file)
    assert facts["cuts"] == CUTS, facts
    result = job["result"]
    assert result["bytes"] == facts["size"], result
    assert result["digest"] == "sha256:" + facts["sha256"], result
    digest = hashlib.sha256()
    with urllib.request.urlopen(f"{url}/v1/jobs/{known['id']}/artifacts/large.bin", timeout=120) as answer:
        while piece := answer.read(BLOCK):
            digest.update(piece)
    assert digest.hexdigest() == facts["sha256"], "what is served back is not what was fetched"
    twice = facts["sent"] - facts["size"]
    print(f"{len(facts['requests'])} requests, from {', '.join(str(place >> 20) for place in facts['requests'])} MiB on")
    print(f"{facts['cuts']} cuts and one kill -9; {max(0, twice) >> 20} MiB came twice")
    memory = max(known["memory"], peak_memory(pid))
    print(f"verified {facts['size'] >> 20} MiB, served back whole; peak memory of the server (VmHWM) {memory:.1f} MB")
    assert memory < MEMORY_MAX_MB, f"that is more than {MEMORY_MAX_MB} MB"


if __name__ == "__main__":
    verb = sys.argv[1]
    if verb == "origin":
        serve(int(sys.argv[2]), sys.argv[3], sys.argv[4])
    elif verb == "submit":
        submit(*sys.argv[2:5])
    else:
        {"middle": middle, "check": check}[verb](*sys.argv[2:6])
