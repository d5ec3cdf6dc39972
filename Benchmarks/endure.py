"""A mixed load of jobs over hours, and what it does to a server.

usage: endure.py upstream PORT_FILE
       endure.py load URL PID DATA UPSTREAM SECONDS RATE EVERY
"""
import http.client
import http.server
import json
import os
import random
import sys
import threading
import time
import urllib.parse


class Upstream(http.server.BaseHTTPRequestHandler):
    """Answers at once, slowly, with much, or with a failure."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = urllib.parse.urlparse(self.path).path
        status, content, kind = 200, b'{"ok": true, "items": [1, 2, 3]}', "application/json"
        if path == "/slow":
            time.sleep(random.uniform(0.1, 1.5))
        elif path == "/flaky" and random.random() < 0.4:
            status = 503
        elif path == "/broken":
            status, content, kind = 500, b"<html>no</html>", "text/html"
        elif path == "/file":
            content, kind = os.urandom(1 << 16) * random.randint(1, 16), "application/octet-stream"
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.do_GET()

    def log_message(self, *words):
        pass


class Listener(http.server.ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = True


def upstream(port_file):
    server = Listener(("127.0.0.1", 0), Upstream)
    with open(port_file + ".new", "w") as file:
        file.write(str(server.server_address[1]))
    os.rename(port_file + ".new", port_file)
    server.serve_forever()


KEPT = {"succeeded": "60s", "failed": "60s"}


def specs(base):
    """One spec of each sort, with its share of the load."""
    call = lambda path, **more: {"type": "network", "request": {"url": base + path}, **more}
    retry = {"max_attempts": 4, "backoff": "100ms"}
    members = [call("/ok", name="first"), call("/ok", name="second"),
               {"type": "value", "name": "both", "value": {"$get": "first", "at": "/body/items"}}]
    each = {"type": "group", "map": {
        "items": list(range(12)), "concurrency": 4, "operation": call("/ok")}}
    return [
        (10, call("/ok")),
        (4, {"type": "network", "request": {"method": "POST", "url": base + "/ok", "json": {"n": 1}}}),
        (4, call("/flaky", retry=retry)),
        (3, {"type": "group", "ordered": True, "operations": members}),
        (1, each),
        (2, {"type": "download", "request": base + "/file", "save": {"artifact": "file.bin"}}),
        (2, call("/slow")),
        (2, {"type": "delay", "for": "3s"}),
        (1, call("/broken", retry={"max_attempts": 2, "backoff": "50ms"})),
        (1, {"type": "await", "name": "never", "signal": "go", "timeouts": {"total": "5s"}}),
        (1, {"type": "delay", "for": "20ms", "conditions": [{"type": "lock", "key": "one"}]}),
        (1, {"type": "delay", "for": "1h", "x-cancel": True}),
    ]


class Load:
    def __init__(self, url, base, rate, end):
        self.address = urllib.parse.urlparse(url).netloc
        self.base, self.rate, self.end = base, rate, end
        self.lock = threading.Lock()
        self.statuses, self.problems, self.lines = {}, [], 0

    def ask(self, connection, method, path, body=None, headers={}):
        connection.request(method, path, body and json.dumps(body), {"Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        content = answer.read()
        with self.lock:
            self.statuses[answer.status] = self.statuses.get(answer.status, 0) + 1
            if answer.status >= 500:
                self.problems.append((answer.status, path, content[:200]))
        return answer.status, content

    def submit(self, number, workers):
        """Submits at this worker's share of the rate; cancels, reads and erases some of its jobs."""
        random.seed(number)
        connection = http.client.HTTPConnection(self.address, timeout=30)
        shares, choices = zip(*specs(self.base))
        due, mine = time.monotonic() + number / self.rate, []
        while (now := time.monotonic()) < self.end:
            if due > now:
                time.sleep(min(due - now, 0.5))
                continue
            due += workers / self.rate
            spec = dict(random.choices(choices, shares)[0])
            cancels = spec.pop("x-cancel", False)
            status, content = self.ask(connection, "POST", "/v1/jobs", {**spec, "retention": KEPT})
            if status != 202:
                with self.lock:
                    self.problems.append((status, spec["type"], content[:300]))
                continue
            job = json.loads(content)["id"]
            mine.append(job)
            if cancels:
                self.ask(connection, "POST", f"/v1/jobs/{job}:cancel")
            if random.random() < 0.3:
                self.ask(connection, "GET", "/v1/jobs?page_size=20")
            if len(mine) > 50:
                old = mine.pop(random.randrange(len(mine)))
                self.ask(connection, "GET", f"/v1/jobs/{old}")
                self.ask(connection, "GET", f"/v1/jobs/{old}/result")
                # Few, since the audit keeps a record of each for 90 days.
                if random.random() < 0.05:
                    self.ask(connection, "DELETE", f"/v1/jobs/{old}")

    def follow(self, number):
        """Opens an event stream, reads for a while, leaves, and comes again."""
        while time.monotonic() < self.end:
            try:
                connection = http.client.HTTPConnection(self.address, timeout=10)
                connection.request("GET", "/v1/events", headers={"Accept": "text/event-stream"})
                answer, until = connection.getresponse(), time.monotonic() + random.uniform(1, 20)
                while time.monotonic() < min(until, self.end):
                    answer.readline()
                    with self.lock:
                        self.lines += 1
                connection.close()
            except (OSError, http.client.HTTPException):
                time.sleep(0.1)

    def schedule(self):
        connection = http.client.HTTPConnection(self.address, timeout=30)
        for name, spec in (("often", {"type": "network", "request": self.base + "/ok"}),
                           ("late", {"type": "delay", "for": "2s"})):
            schedule = {"every": "2s", "overlap": "allow", "job": {**spec, "retention": KEPT}}
            status, content = self.ask(connection, "PUT", f"/v1/schedules/{name}", schedule)
            if status >= 300:
                self.problems.append((status, name, content[:300]))


def facts(pid, data):
    """Resident memory in MB, descriptors, files, MB of the store's files, MB of content files."""
    with open(f"/proc/{pid}/status") as status:
        memory = next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024
    files, store, content = 0, 0, 0
    for folder, _, names in os.walk(data):
        for name in names:
            try:
                size = os.stat(os.path.join(folder, name)).st_blocks * 512
            except FileNotFoundError:
                continue
            files += 1
            if "artifacts" in folder:
                content += size
            else:
                store += size
    return memory, len(os.listdir(f"/proc/{pid}/fd")), files, store / 1e6, content / 1e6


def load(url, pid, data, base, seconds, rate, every):
    started = time.monotonic()
    work = Load(url, base, rate, started + seconds)
    work.schedule()
    threads = [threading.Thread(target=work.submit, args=(n, 8)) for n in range(8)]
    threads += [threading.Thread(target=work.follow, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    print(f"{'minute':>6} {'answers':>9} {'memory MB':>9} {'descriptors':>11} {'files':>6} {'store MB':>8} {'content MB':>10}",
          flush=True)
    # Each row is the mean of its period, since jobs and content come and go.
    samples, period, next_row = [], [], started + every
    while time.monotonic() < work.end:
        time.sleep(1)
        period.append(facts(pid, data))
        if time.monotonic() >= min(next_row, work.end):
            next_row += every
            row = [sum(column) / len(period) for column in zip(*period)]
            samples.append(row)
            print(f"{(time.monotonic() - started) / 60:6.1f} {sum(work.statuses.values()):9} {row[0]:9.1f} {row[1]:11.1f} "
                  f"{row[2]:6.1f} {row[3]:8.1f} {row[4]:10.1f}", flush=True)
            period = []
    for thread in threads:
        thread.join()
    print(f"answers by status: {dict(sorted(work.statuses.items()))}; {work.lines} lines of event streams")
    bad = [f"{len(work.problems)} unexpected answers, the first {work.problems[0]}"] if work.problems else []
    later = samples[max(1, len(samples) // 4):]
    if len(later) > 1:
        names = ("memory", "descriptors", "files", "store", "content")
        room = (1.1, 1.1, 1.1, 1.1, 1.2)
        for index, name in enumerate(names):
            first = max(row[index] for row in later[: max(1, len(later) // 3)])
            last = max(row[index] for row in later[-max(1, len(later) // 3):])
            if last > first * room[index] + 2:
                bad.append(f"{name} grew from {first:.1f} to {last:.1f}")
    print("FAILED: " + "; ".join(bad) if bad else "ok: nothing grew")
    return 1 if bad else 0


if sys.argv[1] == "upstream":
    upstream(sys.argv[2])
else:
    url, pid, data, base, seconds, rate, every = sys.argv[2:9]
    sys.exit(load(url, int(pid), data, base, float(seconds), float(rate), float(every)))
