"""Several servers on one PostgreSQL, clients that ask one of them, and the upstream of the jobs."""
import collections
import contextlib
import http.client
import http.server
import json
import os
import shutil
import tempfile
import threading
import time

from postgres import Postgres
from serving import Server


@contextlib.contextmanager
def neighbours(binary, count, name, *flags):
    """Servers on one PostgreSQL, which are started by the body. Their folder is kept when it fails."""
    folder, database, servers = tempfile.mkdtemp(prefix=f"jobserver-{name}-"), Postgres(), []
    try:
        database.start()
        for number in range(count):
            os.mkdir(f"{folder}/{number}")
            servers.append(Server(binary, f"{folder}/{number}", (
                "--store", database.address, "--artifacts", f"{folder}/artifacts", *flags)))
        yield servers
    finally:
        for server in servers:
            server.clean_up()
        database.clean_up()
    shutil.rmtree(folder)


class Client:
    """A connection to one server for each thread."""

    def __init__(self, server):
        self.port, self.local = server.port, threading.local()

    def ask(self, method, path, body=None, headers=None):
        if not hasattr(self.local, "connection"):
            self.local.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        content = None if body is None else json.dumps(body)
        self.local.connection.request(
            method, path, content, {"Content-Type": "application/json", **(headers or {})})
        answer = self.local.connection.getresponse()
        content = answer.read()
        if answer.status >= 300:
            raise OSError(f"{method} {path} is answered with {answer.status} {content[:500]}")
        return json.loads(content) if content else None

    def submit(self, spec):
        return self.ask("POST", "/v1/jobs", spec)["id"]

    def end(self, id):
        """The job when it has ended."""
        job = self.ask("GET", f"/v1/jobs/{id}", headers={"Prefer": "wait=30"})
        if not job["done"]:
            raise OSError(f"{id} does not end: {job['state']}")
        return job

    def wait(self, id, *states):
        while self.ask("GET", f"/v1/jobs/{id}")["state"] not in states:
            time.sleep(0.002)


class Upstream(http.server.ThreadingHTTPServer):
    """`/KEY/NUMBER` is answered after so many milliseconds. Counts how many calls with each key go on at one time."""

    daemon_threads = True
    request_queue_size = 128

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            key, milliseconds = self.path[1:].split("/")
            with self.server.calls(key):
                time.sleep(int(milliseconds) / 1000)
            try:
                self.send_response(200)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")
            except OSError:
                pass

        def log_message(self, *words):
            pass

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.lock, self.going_on = threading.Lock(), collections.Counter()
        self.count, self.most = 0, 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @contextlib.contextmanager
    def calls(self, key):
        with self.lock:
            self.count += 1
            self.going_on[key] += 1
            self.most = max(self.most, self.going_on[key])
        try:
            yield
        finally:
            with self.lock:
                self.going_on[key] -= 1

    def call(self, milliseconds, key="any"):
        return {"type": "network", "request": f"http://127.0.0.1:{self.server_address[1]}/{key}/{milliseconds}"}
