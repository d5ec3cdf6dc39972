"""What is counted: one client on one connection, that waits for each answer before it sends the next request.

So every write to the store is a group of its own, whatever the speed of the machine.
"""
import hashlib
import hmac
import itertools
import json
import re
import socket
import socketserver
import threading

#: About 300 bytes of JSON, as in the other measures.
METADATA = {"n": "000000000001", "t": "1700000000000000000", "due": "1700000000000000000", "pad": "x" * 150}
NOOP = {"type": "value", "value": 1, "metadata": METADATA}
DELAYED = {"type": "value", "value": 1, "run_at": "1h", "metadata": METADATA}
HOOK_KEY = "the key of the hook"
HOOK = {"verify": {"scheme": "github", "key": {"$secret": "costs"}},
        "job": {**DELAYED, "value": {"$hook": "", "at": "/body/n"}}}
ANSWER = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{"status":"ok"}'


class Upstream(socketserver.ThreadingTCPServer):
    """Answers every request alike, over kept connections."""

    daemon_threads = True

    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            while read_head(self.rfile):
                self.wfile.write(ANSWER)

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, daemon=True).start()


def read_head(stream):
    """Reads a message with its body. Returns its first line, with the body; nothing at the end."""
    first, length = stream.readline(), 0
    for line in iter(stream.readline, b""):
        if line == b"\r\n":
            break
        if line[:15].lower() == b"content-length:":
            length = int(line[15:])
    return (first, stream.read(length)) if first else None


class Client:
    """One connection. A request is one write, so that no clock of the network is waited for."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = self.socket.makefile("rb")

    def ask(self, method, path, body=None, wait=False, fields=None):
        content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(
            body, separators=(",", ":")).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        for name, value in (fields or {}).items():
            head += f"{name}: {value}\r\n"
        if body is not None:
            head += f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
        if wait:
            head += "Prefer: wait=60\r\n"
        self.socket.sendall(head.encode() + b"\r\n" + content)
        first, answer = read_head(self.stream)
        if first.split()[1] not in (b"200", b"201", b"202", b"207"):
            raise SystemExit(f"FAILED: {method} {path} was answered with {first!r} {answer[:400]!r}")
        return answer

    def run(self, spec):
        job = self.ask("POST", "/v1/jobs", spec, wait=True)
        if b'"state":"succeeded"' not in job:
            raise SystemExit(f"FAILED: a job did not succeed: {job[:600]!r}")
        return job

    def close(self):
        self.stream.close()
        self.socket.close()


class Scene:
    """A name, how often it is done in one round, the doing, and what has to be there."""

    def __init__(self, name, times, act, on_postgres=True, prepare=None):
        self.name, self.times, self.act, self.on_postgres, self.prepare = name, times, act, on_postgres, prepare

    def play(self, client, times):
        for _ in range(times):
            self.act(client)


def scenes(upstream, first_job):
    """All scenes, in the order of the table. `first_job` is the id of a finished job."""
    url = f"http://127.0.0.1:{upstream.port}/job.json"
    get = {"type": "network", "request": url, "metadata": METADATA}
    post = {"type": "network", "metadata": METADATA, "request": {
        "method": "POST", "url": url, "json": {"order": 17, "pad": "x" * 100}, "idempotency_key": "auto"}}
    numbers = itertools.count()

    def deliver(client):
        """A request to a hook, signed as a repository does, whose job is that of a submission."""
        body = json.dumps({**METADATA, "n": f"{next(numbers):012}"}, separators=(",", ":")).encode()
        signature = hmac.new(HOOK_KEY.encode(), body, hashlib.sha256).hexdigest()
        client.ask("POST", "/hooks/costs", body, fields={
            "X-Hub-Signature-256": f"sha256={signature}", "X-GitHub-Event": "push",
            "X-GitHub-Delivery": hashlib.sha256(body).hexdigest()[:36]})

    def make_hook(client):
        client.ask("PUT", "/v1/secrets/costs", {"text": HOOK_KEY})
        client.ask("PUT", "/v1/hooks/costs", HOOK)

    return [
        Scene("submission", 150, lambda client: client.ask("POST", "/v1/jobs", DELAYED)),
        Scene("batch of 100", 4, lambda client: client.ask("POST", "/v1/jobs:batch", [DELAYED] * 100)),
        Scene("no-op job", 120, lambda client: client.run(NOOP)),
        Scene("call job, GET", 100, lambda client: client.run(get)),
        Scene("call job, POST with a key", 100, lambda client: client.run(post)),
        Scene("status read", 300, lambda client: client.ask("GET", f"/v1/jobs/{first_job}"), False),
        Scene("page of 50 of a list", 30, lambda client: client.ask("GET", "/v1/jobs?page_size=50&state=succeeded"), False),
        Scene("delivery to a hook", 150, deliver, prepare=make_hook),
    ]


def id_of(job):
    return re.search(rb'"id":"(job_\w+)"', job).group(1).decode()
