"""The hostile requests, each at the largest size that is accepted."""
import json
import socket
import time

from .wire import Wire

MOST = (1 << 20) - 200


def encode(value):
    return json.dumps(value, separators=(",", ":")).encode()


def many(make, most=MOST):
    """The largest body of `make(n)` that has at most so many bytes."""
    unit = max((len(make(2_000)) - len(make(1_000))) / 1_000, 1)
    n = int(most / unit)
    while len(body := make(n)) > most:
        n = int(n * min(most / len(body), 0.99))
    return body


class Kind:
    """One kind: its name, what it is about, and a request that is sent again and again."""

    def __init__(self, name, about, body=b"", method="POST", path="/v1/jobs", kind="application/json", prepare=None, send=None,
                 largest=None, fields=""):
        self.name, self.about, self.body, self.method, self.path, self.kind = name, about, body, method, path, kind
        self.fields = fields
        self.prepare, self.send, self.largest = prepare, send, largest or len(body)


def text(n, named="v", given="v"):
    return {"$text": "".join("{%s%d}" % (named, i) for i in range(n)), "vars": {f"{given}{i}": "x" for i in range(n)}}


def stamp(minutes):
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


def all_kinds(url, heavy):
    """`url` is that of the upstream, `heavy` of one for large content."""
    keep = {"retention": {"succeeded": "1s", "failed": "1s"}}
    call = lambda path, **more: {"type": "network", "request": url + path, "retry": {"max_attempts": 1}, **more}
    group = lambda *operations, **more: {"type": "group", "operations": list(operations), **keep, **more}
    kinds = []
    add = lambda *words, **more: kinds.append(Kind(*words, **more))

    # Reading
    add("names", "a spec of unknown members", many(lambda n: encode(
        {"type": "network", "request": {"url": url, **{f"heders{i}": 1 for i in range(n)}}})))
    add("timeouts", "a spec of members that nearly exist", many(lambda n: encode(
        {**call("/ok"), "timeouts": {f"conect{i}": "1s" for i in range(n)}})))
    add("texts", "$text whose values have other names", many(lambda n: encode({"type": "value", "value": text(n, "v", "w")})))
    add("valid texts", "$text of so many values, which runs", many(lambda n: encode({"type": "value", "value": text(n), **keep})))
    add("variables", "a URL with unknown variables", many(lambda n: encode({"type": "network", "request": {
        "url": url + "/{?" + ",".join(f"a{i}" for i in range(900)) + "}", "vars": {f"b{i}": "x" for i in range(n)}}})))
    add("references", "$get of operations that do not exist", many(lambda n: encode(
        {"type": "value", "value": [{"$get": f"opration{i}"} for i in range(n)]})))
    add("after", "operations after many that nearly exist", many(lambda n: encode(group(*[
        {"type": "delay", "for": "1s", "name": f"a{i}", "after": [f"b{i}"]} for i in range(n)]))))
    add("parameters", "unknown parameters of a template", many(lambda n: encode(
        {"template": "any", "params": {f"aa{i}": 1 for i in range(n)}})))
    shell = dict(kind="text/x-shellscript")
    add("curl -H", "a curl line of fields", (f"curl {url}/ok " + "-H 'X-A: b' " * 9_900).encode()[:MOST], **shell)
    add("curl -b", "a curl line of cookies", (f"curl {url}/ok " + "-b a=b " * 9_900).encode(), **shell)
    add("curl -d", "a curl line with much content", f"curl {url}/ok -d '{'a' * (MOST - 200)}'".encode(), **shell)
    add("schedule on", "a schedule with so many times", many(lambda n: encode({
        "calendar": {"at": ["08:00"] * n}, "job": {"type": "delay", "for": "1s"}})), method="PUT", path="/v1/schedules/on?validate_only=true")
    add("schedule days", "a schedule whose days are all excluded", encode({
        "calendar": {"at": [stamp(i) for i in range(1_440)]}, "job": {"type": "delay", "for": "1s"},
        "except": [f"{2026 + i // 336}-{i % 336 // 28 + 1:02}-{i % 28 + 1:02}" for i in range(10_000)]}),
        method="PUT", path="/v1/schedules/days?validate_only=true")
    add("bulk labels", "a bulk filter of labels", many(lambda n: encode({
        "action": "cancel", "filter": {"labels": {f"k{i}": "a" for i in range(n)}}, "expected_count": 0})),
        path="/v1/bulk-actions?validate_only=true")
    # Running
    pattern = "(a|aa)" * 36 + "(a|a)*b"
    add("patterns", f"a pattern of {len(pattern)} bytes on 12 texts of 64 KiB", encode({
        "type": "transform", "input": ["a" * 65_536] * 12, "where": {"at": "", "matches": pattern}, **keep}))
    add("comparisons", "16,000 comparisons on 16,000 elements", encode({
        "type": "transform", "input": list(range(16_000)), **keep,
        "where": {"any": [{"at": "", "equals": -i - 1} for i in range(16_000)]}}))
    add("templates", "490 uses of a template of 196 kB", encode(group(*[
        {"template": "large", "name": f"a{i}"} for i in range(490)])))
    add("values", "a value of 4,000 times 100 KB", encode(group(
        {**call("/text"), "name": "a"}, {"type": "value", "name": "b", "value": [{"$get": "a", "at": "/body"}] * 4_000})))
    add("JSON", "128 MB of JSON with a secret stored", encode({
        "type": "network", "request": heavy + "/json", "retry": {"max_attempts": 1}, **keep}), largest=128_000_000)
    add("bytes", "200 MB of bytes with a secret stored", encode({
        "type": "download", "request": heavy + "/bytes", "retry": {"max_attempts": 1}, "save": {"artifact": "a.bin"}, **keep}),
        largest=200_000_000)
    add("too large", "a download of 10 TB", encode({
        "type": "download", "request": heavy + "/endless", "retry": {"max_attempts": 1}, "save": {
            "artifact": "a.bin", "max_bytes": 1 << 40}, **keep}), largest=10 ** 13)
    add("backfill", "a backfill over 10⁹ planned times without jobs", encode({
        "from": "2000-01-01T00:00:00Z", "to": "2026-01-01T00:00:00Z", "only": "all"}), path="/v1/schedules/empty:backfill",
        prepare=prepare_backfill)
    add("preview", "a preview of that backfill, whose client leaves", encode({
        "from": "2000-01-01T00:00:00Z", "to": "2026-01-01T00:00:00Z", "only": "all"}),
        path="/v1/schedules/empty:backfill?validate_only=true", send=leave)
    add("pause", "a pause of the schedule that is filled", b"{}", path="/v1/schedules/empty:pause")
    add("exclusive", "one more waiter of a key that 8,000 wait for", encode({
        "type": "delay", "for": "1ms", "conditions": [{"type": "lock", "key": "k"}], **keep}), prepare=prepare_waiters)
    add("unique", "a job that waits for a unique key", encode({
        "type": "delay", "for": "10ms", "unique": {"key": "u", "on_conflict": "wait"}, **keep}))
    # Bytes
    add("heads", "100 calls whose errors have heads of 250 KiB", encode({
        "type": "group", "map": {"items": list(range(100)), "operation": call("/heads")}, "retention": {"failed": "10m"}}))
    add("lists", "a list of such jobs, which the client does not read", method="GET",
        path="/v1/jobs?state=failed&page_size=500&view=full", send=Unread(250).send)
    heads = encode({"type": "group", "map": {"items": list(range(100)), "operation": call("/heads")}, "retention": {"failed": "1h"}})
    for name, about, path in (("job", "such a job", ""), ("archive", "the archive of such a job", "/attempts"),
                              ("operations", "the operations of such a job", "/operations?page_size=500&view=full")):
        add(name, f"{about}, which the client does not read", method="GET", path="/v1/jobs/{job}" + path, send=Unread(250).send,
            prepare=prepare_job(heads), fields="Accept: application/har+json\r\n" if path == "/attempts" else "")
    add("posts", "posts of 256 KiB to one job", encode("a" * ((256 << 10) - 100)), path="/v1/jobs/{job}/signals/go",
        prepare=prepare_signals)
    add("streams", "an event stream that is not read", method="GET", path="/v1/events", send=Unread(1_100).send)
    return kinds


class Unread:
    """Requests whose answers are not read; the oldest connection ends when there are too many."""

    def __init__(self, most):
        self.most, self.wires = most, []

    def send(self, kind, port, token):
        wire = Wire(port)
        wire.open()
        wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        wire.send(kind.method, kind.path, token=token, fields=kind.fields)
        self.wires.append(wire)
        if len(self.wires) > self.most:
            self.wires.pop(0).close()
        wire.socket.settimeout(5)
        return int(wire.line().split()[1])


def leave(kind, port, token):
    """Sends a request and goes away."""
    wire = Wire(port)
    wire.send(kind.method, kind.path, token=token, body=kind.body)
    time.sleep(0.02)
    wire.close()
    return 0


def must(wire, *words, **more):
    status, content = wire.ask(*words, **more)
    if status >= 300:
        raise SystemExit(f"FAILED: {words[:2]} was answered with {status} {content[:300]!r}")
    return json.loads(content)


def prepare_all(wire, token):
    """What the kinds use: templates and a secret of the tenant."""
    must(wire, "PUT", "/v1/templates/any", token=token, body=encode(
        {"parameters": {"a": {"type": "any"}}, "operation": {"type": "value", "name": "v", "value": {"$param": "a"}}}))
    must(wire, "PUT", "/v1/templates/large", token=token, body=many(lambda n: encode(
        {"operation": {"type": "value", "name": "v", "value": [{"a": i} for i in range(n)]}}), 196_000))
    for number in range(3):
        must(wire, "PUT", f"/v1/secrets/s{number}", token=token, body=encode({"text": f"correct horse battery {number}"}))


def prepare_backfill(kind, wire, token):
    must(wire, "PUT", "/v1/schedules/empty", token=token, body=encode({
        "every": "1s", "job": {"type": "delay", "for": "1ms"}, "max_runs": 1_000_000_000, "overlap": "skip",
        "starts_at": "2000-01-01T00:00:00Z", "except": [
            f"{2000 + i // 336}-{i % 336 // 28 + 1:02}-{i % 28 + 1:02}" for i in range(9_000)]}))


def prepare_waiters(kind, wire, token):
    keep = {"retention": {"succeeded": "1s", "failed": "1s"}}
    lock = {"type": "lock", "key": "k"}
    must(wire, "POST", "/v1/jobs", token=token, body=encode({"type": "delay", "for": "1h", "conditions": [lock], **keep}))
    for _ in range(8):
        must(wire, "POST", "/v1/jobs:batch", token=token, body=encode(
            [{"type": "delay", "for": "1ms", "conditions": [lock], **keep}] * 1_000))


def prepare_job(body):
    def prepare(kind, wire, token):
        job = must(wire, "POST", "/v1/jobs", token=token, body=body, fields="Prefer: wait=60\r\n")
        kind.path = kind.path.replace("{job}", job["id"])
    return prepare


def prepare_signals(kind, wire, token):
    job = must(wire, "POST", "/v1/jobs", token=token, body=encode({"type": "await", "signal": "never", "retention": {"failed": "1s"}}))
    kind.path = kind.path.replace("{job}", job["id"])
