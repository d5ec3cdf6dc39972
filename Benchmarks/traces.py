"""Compares the throughput of jobs with and without traces, with collectors that hang, refuse, are away, or work.

usage: traces.py BINARY JOBS ROUNDS

Each round starts a fresh server for each case, in another order, so that the machine's speed of the moment falls on all of
them alike. Fails when a collector that hangs, refuses or is away costs 3 % or more.
"""
import concurrent.futures
import http.client
import http.server
import json
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

binary, jobs, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
MOST = 0.03


class Collector(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.startswith("/hang"):
            threading.Event().wait()
        self.send_response(503 if self.path.startswith("/busy") else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()


def collector():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def closed_port():
    # Bound without a listener, as long as this process lives.
    held = socket.socket()
    held.bind(("127.0.0.1", 0))
    return held


held = closed_port()
base = collector()
CASES = {
    "off": None, "hangs": f"{base}/hang", "refuses": f"{base}/busy",
    "away": f"http://127.0.0.1:{held.getsockname()[1]}", "works": f"{base}/take",
}


def cpu(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def send(port, count):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    body = json.dumps([{"type": "value", "value": {"n": 1}}] * 100)
    for _ in range(count // 100):
        connection.request("POST", "/v1/jobs:batch", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, answer.status


def done(port):
    page = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics").read().decode()
    return int(re.search(r'jobserver_jobs\{state="succeeded"\} (\d+)', page)[1]), page


def measure(endpoint):
    """Jobs a second, and processor time for each in microseconds."""
    with tempfile.TemporaryDirectory() as home:
        environment = {"PATH": os.environ["PATH"]}
        if endpoint:
            environment |= {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OTEL_BSP_SCHEDULE_DELAY": "100"}
        server = subprocess.Popen(
            [binary, "serve", "--port", "0", "--port-file", f"{home}/port", "--data", f"{home}/data",
             "--log-level", "error"],
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not os.path.exists(f"{home}/port"):
            time.sleep(0.01)
        port = int(open(f"{home}/port").read())
        send(port, 2_000)
        while done(port)[0] < 2_000:
            time.sleep(0.02)
        before, start = cpu(server.pid), time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: send(port, jobs // 4), range(4)))
        while done(port)[0] < 2_000 + jobs:
            time.sleep(0.02)
        taken, spent = time.monotonic() - start, cpu(server.pid) - before
        spans = {name: int(value) for name, value in re.findall(
            r'jobserver_trace_spans_(exported|dropped)_total(?:\{reason="queue_full"\})? (\d+)', done(port)[1])}
        server.kill()
        server.wait()
        return jobs / taken, spent / jobs * 1e6, spans


found = {name: [] for name in CASES}
for round_number in range(rounds):
    order = list(CASES)
    random.Random(round_number).shuffle(order)
    for name in order:
        found[name].append(measure(CASES[name]))

off = [rate for rate, _, _ in found["off"]]
off_cpu = [spent for _, spent, _ in found["off"]]
print(f"{jobs} jobs that return a value, {rounds} rounds; medians")
print(f"{'collector':10} {'jobs/s':>8} {'against off':>12} {'CPU/job':>9} {'against off':>12}  spans of the last round")
status = 0
for name, results in found.items():
    rate = statistics.median(one / other - 1 for (one, _, _), other in zip(results, off))
    spent = statistics.median(one / other - 1 for (_, one, _), other in zip(results, off_cpu))
    print(f"{name:10} {statistics.median(one for one, _, _ in results):8.0f} {rate:+12.1%} "
          f"{statistics.median(one for _, one, _ in results):6.1f} µs {spent:+12.1%}  {results[-1][2] or ''}")
    if name in ("hangs", "refuses", "away") and rate <= -MOST:
        status = 1
sys.exit(status)
