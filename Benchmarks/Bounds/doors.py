"""Hooks and callback URLs: specs that have many, and what strangers may send to them."""
import json
import queue
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from . import contract
from .contract import Case

URL = "http://127.0.0.1:9/a"
KEY = {"$secret": "s"}
NEVER = {"at": "/body/never", "exists": True}
NESTED = re.compile(rb'"@@not (\d+)@@"')
JOB = {"type": "delay", "for": "1s"}
#: A predicate that looks at each place of a body, and finds nothing.
LOOKS = {"any": [{"at": f"/body/{i}", "equals": "none"} for i in range(1000)]}
#: None of them makes a job: what grows is what the sender sends.
HOOKS = {
    "open": {"verify": {"scheme": "none"}, "when": NEVER, "job": JOB},
    "looks": {"verify": {"scheme": "none"}, "when": LOOKS, "job": JOB},
    "finds": {"verify": {"scheme": "none"}, "when": {"at": "/body/text", "contains": "b" * 100}, "job": JOB},
    "pattern": {"verify": {"scheme": "none"}, "when": {"at": "/body/text", "matches": "(a|aa)*b"}, "job": JOB},
    **{scheme: {"verify": {"scheme": scheme, "key": [KEY] * 4}, "when": NEVER, "job": JOB}
       for scheme in ("standard_webhooks", "stripe", "github", "slack", "shopify")},
    "hmac": {"verify": {"scheme": "hmac", "key": [KEY] * 4, "header": "X-Sig", "prefix": "", "digest": "sha512",
                        "signed": ["method", "target", {"header": "X-Id"}, "body"]}, "when": NEVER, "job": JOB},
}
WAITS = {
    "callback": {"when": NEVER},
    "looks": {"when": LOOKS},
    "signed": {"verify": {"scheme": "github", "key": [KEY] * 4}},
}


class Receiver:
    """Is told the callback URLs of jobs."""

    def __init__(self):
        self.told = told = queue.Queue()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                told.put(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["url"])
                self.send_response(204)
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def urls(self, client):
        """A callback URL for each of `WAITS`, by the names in paths of cases."""
        found = {}
        for name, rules in WAITS.items():
            client.ask("POST", "/v1/jobs", encode({"type": "group", "operations": [
                {"type": "network", "name": "order", "request": {"method": "POST", "url": f"http://127.0.0.1:{self.server.server_port}/",
                                                                 "json": {"url": {"$callback": "w"}}}},
                {"type": "await", "name": "w", "callback": {"max_bytes": 8 << 20, **rules}}]}))
            found[f"url_{name}"] = self.told.get(timeout=30).rsplit("/", 1)[1]
        return found


class HeadCase(Case):
    """A header that grows."""

    def request(self, made):
        return made.decode(), b"{}"


def pair(i):
    return [{"type": "network", "name": f"o{i}", "request": {"method": "POST", "url": URL, "json": {"u": {"$callback": f"w{i}"}}}},
            {"type": "await", "name": f"w{i}", "callback": {}}]


def order(content, rules=None, name="w"):
    return {"type": "group", "operations": [
        {"type": "network", "name": "o", "request": {"method": "POST", "url": URL, **content}},
        {"type": "await", "name": name, "callback": rules or {}}]}


def encode(value):
    """JSON; what stands for nested predicates is written as text, since Python nests no value so deep."""
    return NESTED.sub(
        lambda found: b'{"not":' * int(found[1]) + contract.encode(NEVER) + b"}" * int(found[1]), contract.encode(value))


PREDICATES = {
    "any": lambda n: {"any": [{"at": f"/body/a{i}", "equals": i} for i in range(n)] or [NEVER]},
    "all, the same": lambda n: {"all": [NEVER] * max(n, 1)},
    "not of not": lambda n: f"@@not {n}@@",
    "one of": lambda n: {"at": "/body/a", "in": list(range(n)) or [1]},
    "a long pointer": lambda n: {"at": "/body" + "/a" * n, "exists": True},
    "a long text": lambda n: {"at": "/body/a", "equals": "a" * n},
}
VERIFIES = {
    "keys": lambda n: {"scheme": "github", "key": [KEY] * max(n, 1)},
    "keys without a secret": lambda n: {"scheme": "github", "key": [{"$secret": f"s{i}"} for i in range(max(n, 1))]},
    "signed": lambda n: {"scheme": "hmac", "key": KEY, "header": "X-A", "signed": ["body"] * max(n, 1)},
    "signed headers": lambda n: {"scheme": "hmac", "key": KEY, "header": "X-A", "signed": ["body"] + [{"header": f"X-{i}"} for i in range(n)]},
    "signed text": lambda n: {"scheme": "hmac", "key": KEY, "header": "X-A", "signed": [{"text": "a" * n}, "body"]},
    "prefix": lambda n: {"scheme": "hmac", "key": KEY, "header": "X-A", "prefix": "a" * n},
    "header": lambda n: {"scheme": "hmac", "key": KEY, "header": "X" * max(n, 1)},
    "tolerance": lambda n: {"scheme": "stripe", "key": KEY, "tolerance": "0" * n + "1s"},
}
SPECS = {
    "waits with URLs": lambda n: {"type": "group", "operations": [part for i in range(max(n, 1)) for part in pair(i)]},
    "one URL in many places": lambda n: order({"json": [{"$callback": "w"}] * max(n, 1)}),
    "one URL in a text": lambda n: order({"headers": {f"X-{i}": {"$callback": "w"} for i in range(max(n, 1))}}),
    "URLs of nearly right names": lambda n: order({"json": [{"$callback": f"w{i}"} for i in range(max(n, 1))]}),
    "a URL in a deep value": lambda n: order({"json": json.loads("[" * min(n, 50) + '{"$callback": "w"}' + "]" * min(n, 50))}),
    "methods": lambda n: order({"json": {"$callback": "w"}}, {"methods": ["POST"] * max(n, 1)}),
    "unknown methods": lambda n: order({"json": {"$callback": "w"}}, {"methods": [f"POTS{i}" for i in range(max(n, 1))]}),
    "heartbeat": lambda n: order({"json": {"$callback": "w"}}, {"heartbeat": "9" * max(n, 1) + "s"}),
    "confirm": lambda n: order({"json": [{"$callback": "w"}] * max(n, 1)}, {"confirm": True}),
    "unknown rules": lambda n: order({"json": {"$callback": "w"}}, {f"confrm{i}": True for i in range(max(n, 1))}),
}
BODIES = {
    "numbers": lambda n: encode([1] * n),
    "members": lambda n: encode({f"a{i}": i for i in range(n)}),
    "texts": lambda n: encode({"text": "a" * n}),
    "escapes": lambda n: b'{"text": "' + b"\\u00e9" * n + b'"}',
    "depth": lambda n: b"[" * n + b"]" * n,
    "the same member": lambda n: b"{" + b",".join([b'"a":1'] * n) + b"}",
    "no JSON": lambda n: b'{"text": ' + b"x" * n,
}
#: Bodies that are not JSON, with their types.
TYPED = {
    "form": ("application/x-www-form-urlencoded", lambda n: b"&".join(b"a%d=%%41" % i for i in range(n))),
    "form of one name": ("application/x-www-form-urlencoded", lambda n: b"&".join([b"a=1"] * n)),
    "form of percent signs": ("application/x-www-form-urlencoded", lambda n: b"a=" + b"%41" * n),
    "text": ("text/plain", lambda n: b"a" * n),
    "text that is none": ("text/plain", lambda n: b"\xff" * n),
    "bytes": ("application/octet-stream", lambda n: b"\x00" * n),
}
#: What looks like a signature, so that the body is looked at.
LIKELY = {
    "github": f"X-Hub-Signature-256: sha256={'0' * 64}\r\n",
    "hmac": f"X-Id: a\r\nX-Sig: {'0' * 128}\r\n",
}
#: Headers that grow, for each scheme.
SIGNATURES = {
    "standard_webhooks": lambda n: f"webhook-id: m\r\nwebhook-timestamp: 1800000000\r\nwebhook-signature: {' '.join(['v1,' + 'A' * 44] * n)}\r\n",
    "stripe": lambda n: f"Stripe-Signature: t=1800000000{',v1=' * bool(n)}{',v1='.join(['0' * 64] * n)}\r\n",
    "github": lambda n: f"X-Hub-Signature-256: sha256={'0' * n}\r\n",
    "slack": lambda n: f"X-Slack-Request-Timestamp: {'1' * max(n, 1)}\r\nX-Slack-Signature: v0=00\r\n",
    "shopify": lambda n: f"X-Shopify-Hmac-Sha256: {'A' * n}\r\n",
    "hmac": lambda n: f"X-Sig: {'0' * 128}\r\nX-Id: {'a' * n}\r\n",
}


def cases():
    found = []

    def add(name, method, path, most, make, kind=Case.kind, form=Case, fields=""):
        case = form(name, method, path, most, make)
        case.kind, case.fields = kind, fields
        found.append(case)

    for name, make in SPECS.items():
        add(f"spec, {name}", "POST", "/v1/jobs?validate_only=true", 1 << 20, lambda n, make=make: encode(make(n)))
    for what, member, forms in (("when", "when", PREDICATES), ("verify", "verify", VERIFIES)):
        for name, make in forms.items():
            add(f"spec, {what}, {name}", "POST", "/v1/jobs?validate_only=true", 1 << 20,
                lambda n, make=make, member=member: encode(order({"json": {"$callback": "w"}}, {member: make(n)})))
            add(f"hook, {what}, {name}", "PUT", "/v1/hooks/w?validate_only=true", 1 << 20,
                lambda n, make=make, member=member: encode({"verify": {"scheme": "none"}, "job": JOB, member: make(n)}))
    add("hook, values", "PUT", "/v1/hooks/w?validate_only=true", 1 << 20, lambda n: encode(
        {"verify": {"scheme": "none"}, "job": {"type": "value", "value": [{"$hook": "", "at": f"/body/{i}"} for i in range(n)]}}))
    add("hook, parameters", "PUT", "/v1/hooks/w?validate_only=true", 1 << 20, lambda n: encode(
        {"verify": {"scheme": "none"}, "template": "t", "params": {f"a{i}": {"$hook": ""} for i in range(n)}}))
    for name, make in BODIES.items():
        for hook in ("open", "looks", "finds", "pattern", "github", "hmac"):
            add(f"delivery to {hook}, {name}", "POST", f"/hooks/{hook}", 1 << 20, make, fields=LIKELY.get(hook, ""))
        for wait in WAITS:
            add(f"request to {wait}, {name}", "POST", f"/callbacks/{{url_{wait}}}", 1 << 20, make, fields=LIKELY["github"])
            add(f"progress to {wait}, {name}", "POST", f"/callbacks/{{url_{wait}}}/progress", 16 << 10, make)
    for name, (kind, make) in TYPED.items():
        add(f"delivery, {name}", "POST", "/hooks/open", 1 << 20, make, kind)
        add(f"request, {name}", "POST", "/callbacks/{url_callback}", 1 << 20, make, kind)
    for scheme, make in SIGNATURES.items():
        add(f"signature, {scheme}", "POST", f"/hooks/{scheme}", 14 << 10, lambda n, make=make: make(n).encode(), form=HeadCase)
    add("token", "POST", "/callbacks/jcb1_x", 14 << 10, lambda n: f"Referer: {'jcb1_' * n}\r\n".encode(), form=HeadCase)
    return found
