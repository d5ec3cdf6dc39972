"""Long lists: see `long`.

usage: long.py BINARY PAGED LINES KILLS
"""
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from processes import end

BINARY = sys.argv[1]
PAGED, LINES, KILLS = map(int, sys.argv[2:5])
PAGE = 1_000
CONCURRENCY = 50
NGINX = """
daemon off; pid {home}/nginx.pid; error_log {home}/error.log; worker_processes 1; events {{ worker_connections 1024; }}
http {{ log_format n '$arg_n'; access_log {home}/calls n buffer=64k flush=1s; keepalive_requests 1000000000;
client_body_temp_path {home}/b; proxy_temp_path {home}/p; fastcgi_temp_path {home}/f; uwsgi_temp_path {home}/u; scgi_temp_path {home}/s;
server {{ listen 127.0.0.1:{port}; default_type application/json;
location = /lines {{ access_log off; alias {home}/lines; }} location / {{ return 200 '{{"n":$arg_n}}'; }} }} }}
"""


class Pages(BaseHTTPRequestHandler):
    """Pages of numbers."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        start = int(self.path.split("=")[1])
        body = json.dumps([{"id": n, "name": f"item {n}"} for n in range(start, min(start + PAGE, PAGED))]).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Says nothing."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    def __init__(self, home):
        self.home, self.url = home, None
        self.start()

    def start(self):
        file = f"{self.home}/port"
        if os.path.exists(file):
            os.unlink(file)
        began = time.monotonic()
        self.process = subprocess.Popen(
            [BINARY, "serve", "--port", "0", "--port-file", file, "--data", f"{self.home}/data", "--egress-allow", "127.0.0.0/8",
             "--log-level", "error"], stdout=subprocess.DEVNULL)
        while not (os.path.exists(file) and open(file).read().strip()):
            time.sleep(0.01)
        self.url = f"http://127.0.0.1:{open(file).read().strip()}"
        while True:
            try:
                self.get("/healthz")
                return time.monotonic() - began
            except OSError:
                time.sleep(0.01)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=60) as answer:
            return json.load(answer) if "json" in (answer.headers.get("Content-Type") or "") else answer.read()

    def submit(self, spec):
        request = urllib.request.Request(f"{self.url}/v1/jobs", json.dumps(spec).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["id"]

    def figure(self, name):
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) / 1024 for line in file if line.startswith(name))

    def bytes_of(self, folder):
        return sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(f"{self.home}/data/{folder}") for name in names)


def watch(server, job, begun, done, every=10.0, kill_at=()):
    """Follows a job to its end. Returns the memory at each look, by what was done."""
    looks, kills, next_look = [], sorted(kill_at), 0.0
    while True:
        state = server.get(f"/v1/jobs/{job}")
        count = done()
        if time.monotonic() >= next_look:
            looks.append((count, server.figure("VmRSS")))
            print(f"  {time.monotonic() - begun:6.0f} s  {count:9} done  {looks[-1][1]:6.0f} MiB", flush=True)
            next_look = time.monotonic() + every
        if state["done"]:
            return state, looks
        if kills and count >= kills[0]:
            kills.pop(0)
            peak = server.figure("VmHWM")
            server.kill()
            took = server.start()
            print(f"  killed at {count}, with a peak of {peak:.0f} MiB; serves again after {took:.2f} s with {server.figure('VmRSS'):.0f} MiB", flush=True)
        time.sleep(0.25)


def check(name, found, wanted):
    if found != wanted:
        raise SystemExit(f"FAILED: {name}: {found}, not {wanted}")
    print(f"ok: {name}: {found}", flush=True)


def lines_of(server, path):
    """The lines of a result, one after the other."""
    with urllib.request.urlopen(server.url + path, timeout=600) as answer:
        yield from answer


def paged(server):
    pages = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    begun = time.monotonic()
    job = server.submit({
        "type": "pages", "name": "items", "request": f"http://127.0.0.1:{pages.server_port}/", "max_pages": 10_000,
        "next": {"offset": "o", "by": PAGE}, "save": {"artifact": "items.ndjson"}})
    files = lambda: server.bytes_of("artifacts") // 33  # noqa: E731
    state, looks = watch(server, job, begun, files)
    check("pages", state["state"], "succeeded")
    count = sum(json.loads(line)["id"] == n for n, line in enumerate(lines_of(server, f"/v1/jobs/{job}/result")))
    check("items in order", count, PAGED)
    print(f"pages: {PAGED} lines in {time.monotonic() - begun:.0f} s, {looks[0][1]:.0f} to {looks[-1][1]:.0f} MiB, peak {server.figure('VmHWM'):.0f} MiB", flush=True)


def mapped(server, home):
    port = free_port()
    with open(f"{home}/lines", "w") as file:
        file.writelines(f"{n}\n" for n in range(LINES))
    with open(f"{home}/nginx.conf", "w") as file:
        file.write(NGINX.format(home=home, port=port))
    nginx = subprocess.Popen(["nginx", "-p", home, "-c", f"{home}/nginx.conf"], stderr=subprocess.DEVNULL)
    try:
        time.sleep(1)
        begun = time.monotonic()
        job = server.submit({"type": "group", "operations": [
            {"type": "download", "name": "lines", "request": f"http://127.0.0.1:{port}/lines", "save": {"artifact": "lines.ndjson"}},
            {"type": "group", "name": "each", "map": {"items": {"$lines": "lines"}, "concurrency": CONCURRENCY, "operation": {
                "type": "network", "request": {"url": f"http://127.0.0.1:{port}/", "query": {"n": {"$item": ""}}}}}}]})
        calls = lambda: os.path.getsize(f"{home}/calls") // (len(str(LINES)) if LINES > 1 else 1)  # noqa: E731
        kill_at = random.sample(range(LINES // 10, LINES * 8 // 10), KILLS)
        state, looks = watch(server, job, begun, calls, kill_at=kill_at)
        took = time.monotonic() - begun
        check("map", state["state"], "succeeded")
        path = f"/v1/jobs/{job}/operations/each/result"
        count = sum(json.loads(line)["n"] == n for n, line in enumerate(lines_of(server, path)))
        check("members in order", count, LINES)
        time.sleep(2)
        seen = bytearray(LINES)
        total = 0
        with open(f"{home}/calls") as file:
            for line in file:
                seen[int(line)] = 1
                total += 1
        check("members that were called", sum(seen), LINES)
        if total - LINES > CONCURRENCY * KILLS:
            raise SystemExit(f"FAILED: {total - LINES} calls were made again after {KILLS} kills")
        half = [size for count, size in looks if count > LINES // 2]
        early = [size for count, size in looks if LINES // 20 < count <= LINES // 2]
        print(f"map: {LINES} lines in {took:.0f} s ({LINES / took:.0f}/s), {KILLS} kills, {total - LINES} calls again, memory "
              f"{max(early, default=0):.0f} MiB at most in the first half and {max(half, default=0):.0f} MiB in the second, "
              f"store {server.bytes_of('') / 1e6:.0f} MB", flush=True)
    finally:
        end(nginx)


def main():
    random.seed(58)
    home = tempfile.mkdtemp(prefix="jobserver-long-")
    os.chmod(home, 0o755)
    server = Server(home)
    try:
        if PAGED:
            paged(server)
        if LINES:
            mapped(server, home)
    finally:
        server.kill()
        shutil.rmtree(home, ignore_errors=True)


main()
