"""Reads content while it arrives, with httpx-sse, the client of Durable Streams, and a hundred readers that come late, leave
and come back, while the server is killed.

python streams.py BINARY
"""

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
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import durable_streams
import httpx
import httpx_sse

BINARY = sys.argv[1]
READERS = int(os.environ.get("READERS", "100"))
MEGABYTES = int(os.environ.get("MEGABYTES", "10"))
PIECE = 64 << 10
failures = 0


def event(number):
    data = json.dumps({"choices": [{"delta": {"content": f"word {number} " + "x" * 80}}]})
    return f"id: {number}\ndata: {data}\n\n".encode()


CONTENT = b"".join(map(event, range((MEGABYTES << 20) // len(event(1000)))))


class Upstream(BaseHTTPRequestHandler):
    """Sends the content at the pace of the path, or pieces with the time at which each was sent."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if self.path == "/words" else "text/plain")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            if self.path == "/times":
                for _ in range(300):
                    time.sleep(0.02)
                    self.chunk(f"{time.monotonic():.6f}\n".encode())
            else:
                for start in range(0, len(CONTENT), PIECE):
                    self.chunk(CONTENT[start : start + PIECE])
                    time.sleep(0.03)
            self.chunk(b"")
        except OSError:
            pass

    def chunk(self, bytes):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(bytes), bytes))

    def log_message(self, *_):
        pass


def check(name, problem):
    global failures
    failures += bool(problem)
    print(f"FAILED: {name}: {problem}" if problem else f"ok: {name}", flush=True)


class Server:
    def __init__(self):
        self.home = tempfile.mkdtemp()
        self.start()

    def start(self):
        file = self.home + "/port"
        if os.path.exists(file):
            os.remove(file)
        port = str(getattr(self, "port", 0))
        self.process = subprocess.Popen(
            [BINARY, "serve", "--port", port, "--port-file", file, "--data", self.home + "/data", "--egress-allow", "127.0.0.0/8"],
            stderr=open(self.home + "/log", "a"))
        while not os.path.exists(file) or not open(file).read().strip():
            time.sleep(0.02)
        self.port = int(open(file).read())
        self.url = f"http://127.0.0.1:{self.port}"

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def submit(self, spec):
        request = urllib.request.Request(
            self.url + "/v1/jobs", json.dumps(spec).encode(), {"Content-Type": "application/json"})
        return json.loads(urllib.request.urlopen(request).read())["id"]


def reader(url, seed, outcome):
    """Reads all content in pieces with pauses, from the last offset on, over restarts; begins anew when told so."""
    chance = random.Random(seed)
    time.sleep(chance.random() * 3)
    content, offset = b"", "-1"
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline:
        mode = chance.choice(["&live=long-poll", "&live=long-poll", ""])
        try:
            with urllib.request.urlopen(f"{url}?offset={offset}{mode}", timeout=60) as answer:
                content += answer.read()
                offset = answer.headers["Stream-Next-Offset"]
                if answer.headers["Stream-Closed"]:
                    outcome[seed] = content
                    return
        except urllib.error.HTTPError as error:
            if error.code == 410:
                content, offset = b"", "-1"
            elif error.code != 503:
                outcome[seed] = f"{error.code} {error.read()[:200]}"
                return
        except OSError:
            time.sleep(0.2)
        if chance.random() < 0.1:
            time.sleep(chance.random())
    outcome[seed] = "not done in time"


def many_readers(server, upstream):
    job = server.submit({"type": "network", "request": upstream + "/words", "stream": True,
                         "timeouts": {"attempt": "5m"}, "retry": {"max_attempts": 5, "backoff": "100ms"}})
    url, outcome = f"{server.url}/v1/jobs/{job}/result", {}
    threads = [threading.Thread(target=reader, args=(url, seed, outcome)) for seed in range(READERS)]
    for thread in threads:
        thread.start()
    time.sleep(2)
    server.kill()
    server.start()
    for thread in threads:
        thread.join()
    wrong = [outcome[seed] if isinstance(outcome[seed], str) else len(outcome[seed])
             for seed in outcome if outcome[seed] != CONTENT]
    check(f"{READERS} readers have all {len(CONTENT)} bytes, with a kill", wrong[:3])
    return url


def delays(server, upstream):
    job = server.submit({"type": "network", "request": upstream + "/times", "stream": True})
    late = []
    with httpx.stream("GET", f"{server.url}/v1/jobs/{job}/result?live", timeout=60) as answer:
        for line in answer.iter_lines():
            late.append((time.monotonic() - float(line)) * 1000)
    late.sort()
    middle = late[len(late) // 2]
    print(f"a piece is with its reader {middle:.2f} ms after it was sent (median), {late[-1]:.1f} ms at most")
    check("300 pieces arrive", len(late) != 300 and len(late))
    check("the median is at most 5 ms", middle > 5 and middle)


def event_source(server, upstream, url):
    # While it arrives: the events of the upstream, in the events of the stream.
    with httpx.Client(timeout=60) as client, httpx_sse.connect_sse(client, "GET", url, params={"live": "sse"}) as source:
        data = "".join(event.data for event in source.iter_sse() if event.event == "data")
    check("httpx-sse reads it", data.encode() != CONTENT and f"{len(data)} of {len(CONTENT)}")
    with httpx.Client(timeout=60) as client:
        text = client.get(url).text
    found = sum(1 for line in text.split("\n\n") if line)
    check("the result is an event stream of all events", found != CONTENT.count(b"\n\n") and found)


def protocol(url):
    with durable_streams.stream(url, live=False) as answer:
        content = answer.read_bytes()
    check("durable-streams reads it", content != CONTENT and f"{len(content)} of {len(CONTENT)}")
    with durable_streams.stream(url, offset="now", live=False) as answer:
        check("durable-streams knows the end", (answer.read_bytes(), answer.up_to_date) != (b"", True))


def main():
    upstream = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    upstream.daemon_threads = True
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{upstream.server_port}"
    server = Server()
    try:
        url = many_readers(server, address)
        delays(server, address)
        event_source(server, address, url)
        protocol(url)
    finally:
        server.kill()
        upstream.shutdown()
        shutil.rmtree(server.home)
    sys.exit(failures > 0)


main()
