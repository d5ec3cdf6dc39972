"""Ends jobs in several ways, and reads their callbacks with standardwebhooks, svix and cloudevents.

python callbacks.py URL
"""

import base64
import json
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import standardwebhooks
import svix.webhooks
from cloudevents.core.bindings.http import HTTPMessage, from_http_event

SERVER = sys.argv[1]
# A key without the prefix is taken as it is (Connections.md); the libraries take every key for base64.
KEYS = {"prefixed": "whsec_" + base64.b64encode(bytes(range(32))).decode(), "plain": "correct horse battery"}
received = []
arrived = threading.Condition()


class Receiver(BaseHTTPRequestHandler):
    """Keeps every request; the first attempt of `/late` is told to come again."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with arrived:
            again = self.path == "/late" and not any(path == "/late" for path, _, _ in received)
            received.append((self.path, dict(self.headers.items()), body))
            arrived.notify_all()
        self.send_response(503 if again else 204)
        if again:
            self.send_header("Retry-After", "1")
        self.end_headers()

    def log_message(self, *arguments):
        pass


def ask(method, path, value=None):
    request = urllib.request.Request(SERVER + path, method=method, data=value and json.dumps(value).encode())
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request) as answer:
        return json.loads(answer.read() or "null")


def refused(webhook, body, headers):
    try:
        webhook.verify(body, headers)
    except standardwebhooks.WebhookVerificationError:
        return True
    return False


def check(path, headers, body):
    """One callback, read as a receiver reads it."""
    key = base64.b64encode(KEYS["plain"].encode()).decode() if path == "/plain" else KEYS["prefixed"]
    for webhook in (standardwebhooks.Webhook(key), svix.webhooks.Webhook(key)):
        webhook.verify(body, headers)
        assert refused(webhook, body + b" ", headers), "a changed body is verified"
        for name in ("webhook-id", "webhook-timestamp"):
            changed = {k: v + "1" if k.lower() == name else v for k, v in headers.items()}
            assert refused(webhook, body, changed), f"a changed {name} is verified"
    event = from_http_event(HTTPMessage(headers, body))
    job = event.get_data()
    assert event.get_specversion() == "1.0" and event.get_datacontenttype() == "application/json"
    assert event.get_type() == f"jobserver.job.{job['state']}", event.get_type()
    assert event.get_time() is not None and event.get_source() and event.get_subject() == job["id"]
    return (event.get_id(), headers["webhook-id"]), job["state"]


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home = f"http://127.0.0.1:{server.server_port}"
    for name, key in KEYS.items():
        ask("PUT", f"/v1/secrets/suite-{name}", {"text": key})

    def callback(path, key="prefixed"):
        auth = {"type": "hmac", "scheme": "standard_webhooks", "key": {"$secret": f"suite-{key}"}}
        return {"request": {"url": home + path, "auth": auth}}

    specs = {
        "/succeeded": {"type": "value", "value": {"é": "ü\u2028"}},
        "/failed": {"type": "network", "request": "http://127.0.0.1:1/", "retry": {"max_attempts": 1}},
        "/cancelled": {"type": "await", "signal": "never"},
        "/late": {"type": "value", "value": 1},
        "/plain": {"type": "value", "value": 2},
    }
    for path, spec in specs.items():
        key = "plain" if path == "/plain" else "prefixed"
        job = ask("POST", "/v1/jobs", spec | {"callbacks": [callback(path, key)]})
        if path == "/cancelled":
            ask("POST", f"/v1/jobs/{job['id']}:cancel")
    wanted = len(specs) + 1
    with arrived:
        arrived.wait_for(lambda: len(received) >= wanted, timeout=30)
    assert len(received) == wanted, f"{len(received)} callbacks came: {[path for path, _, _ in received]}"
    ids = {}
    for path, headers, body in received:
        identity, state = check(path, headers, body)
        ids.setdefault(path, set()).add(identity)
        if path[1:] in ("succeeded", "failed", "cancelled"):
            assert state == path[1:], f"{path}: {state}"
    assert all(len(found) == 1 for found in ids.values()), "a repetition has another id"
    for place in (0, 1):
        assert len({pair[place] for found in ids.values() for pair in found}) == len(specs), "two ends have one id"
    print(f"ok: {wanted} callbacks of {len(specs)} jobs, verified and read by three libraries")


started = time.monotonic()
main()
print(f"{time.monotonic() - started:.1f} s")
