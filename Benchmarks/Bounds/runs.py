"""Jobs that run: predicates, transforms, references, templates, groups and conditions of growing size."""
import gzip
import json
import socketserver
import threading
import urllib.parse

from .contract import encode, text_of
from .schedules import days

SIDES = ["equals", "not_equals", "greater", "less", "starts_with", "contains"]
#: Patterns that make a naive matcher look again and again.
PATTERNS = ["(a|a)*b", "(a*)*b", "(a|aa)+$", "a{1,50}a{1,50}a{1,50}b", ".*.*.*.*=.*", "(x+x+)+y", "[a-y]*z", "^(([a-z])+.)+[A-Z]([a-z])+$"]


PRODUCTS = ("by large elements", "by many elements", "each $text of many", "again and again", "all after all",
            "into each", "in each", "repeat until", "of much", "same large value", "by many places", "at many places")


class Upstream(socketserver.ThreadingTCPServer):
    """Answers with content of the wanted size: a list, a text, an object, or bytes. Counts the bytes it sent."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 512

    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            while first := self.rfile.readline():
                length = 0
                for line in iter(self.rfile.readline, b"\r\n"):
                    if line[:15].lower() == b"content-length:":
                        length = int(line[15:])
                self.rfile.read(length)
                place = urllib.parse.urlsplit(first.split()[1].decode())
                content, kind = made(place.path, int(dict(urllib.parse.parse_qsl(place.query)).get("n", "1")))
                status, fields = "200 OK", ""
                if place.path == "/packed":
                    fields = "Content-Encoding: gzip\r\n"
                if place.path == "/error":
                    status, fields = "500 Broken", "".join(f"X-{i}: {'a' * 1000}\r\n" for i in range(200))
                self.wfile.write(f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{fields}Content-Length: {len(content)}\r\n\r\n"
                                 .encode() + content)
                self.server.sent += len(content)

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.sent = 0
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


def made(path, n):
    if path == "/list":
        return json.dumps([{"id": i, "name": f"a{i}", "tags": ["x", "y"]} for i in range(n)]).encode(), "application/json"
    if path == "/texts":
        return json.dumps(["a" * 60_000] * n).encode(), "application/json"
    if path == "/object":
        return json.dumps({f"k{i}": i for i in range(n)}).encode(), "application/json"
    if path == "/deep":
        return b"[" * n + b"]" * n, "application/json"
    if path == "/text":
        return b"a" * n, "text/plain; charset=utf-8"
    if path == "/packed":
        return gzip.compress(b"a" * n), "text/plain; charset=utf-8"
    if path == "/latin":
        return b"\xe9a" * n, "text/plain; charset=iso-8859-1"
    if path == "/digits":
        return b"1" * n, "application/json"
    return b'{"ok": true}', "application/json"


class Run:
    """A job that runs to its end, and the largest number for it. In a product two parts grow, so that work may grow more."""

    def __init__(self, name, most, make):
        self.name, self.most, self.make = name, most, make
        self.is_product = any(word in name for word in PRODUCTS)

    def body(self, n):
        return encode({**self.make(n), "retention": {"succeeded": "1s", "failed": "1s"}})


def group(*operations, **more):
    return {"type": "group", "operations": list(operations), **more}


def cases(url):
    def call(path, n, **more):
        return {"type": "network", "name": "a", "request": f"{url}{path}?n={n}", **more}

    def after(path, n, operation):
        return group(call(path, n), {"name": "b", **operation})

    def value(count, one):
        return {"type": "value", "name": "b", "value": [one] * count}

    found = []
    add = lambda name, most, make: found.append(Run(name, most, make))
    whole, body = {"$get": "a"}, {"$get": "a", "at": "/body"}

    # Predicates
    for side in SIDES:
        add(f"when {side}, long texts", 1 << 19, lambda n, side=side: {
            "type": "value", "value": 1, "when": {"$job": "metadata", "at": "/t", side: "a" * n + "b"},
            "metadata": {"t": "a" * 10_000}})
        add(f"expect.that {side}, a long answer", 1 << 22, lambda n, side=side: call(
            "/text", n, expect={"that": {"at": "/body", side: "a" * 400_000 + "b"}}, retry={"max_attempts": 1}))
        add(f"transform.where {side}", 1 << 16, lambda n, side=side: after("/list", n, {
            "type": "transform", "input": body, "where": {"at": "/name", side: "a7"}}))
    add("in, many values by many elements", 16_000, lambda n: after("/list", n, {
        "type": "transform", "input": body, "where": {"at": "/name", "in": [f"b{i}" for i in range(n)]}}))
    add("many comparisons by many elements", 12_000, lambda n: after("/list", n, {
        "type": "transform", "input": body, "where": {"any": [{"at": "/name", "equals": f"b{i}"} for i in range(n)]}}))
    add("large equals by large elements", 4_000, lambda n: after("/list", n, {
        "type": "transform", "input": body, "where": {"at": "/tags", "equals": ["x"] * n}}))
    add("equals of the whole answer", 1 << 17, lambda n: after("/list", n, {"type": "delay", "for": "1ms", "when": {
        "$get": "a", "at": "/body", "equals": {"$get": "a", "at": "/body"}}}))
    add("contains of a list", 1 << 17, lambda n: after("/list", n, {"type": "delay", "for": "1ms", "when": {
        "$get": "a", "at": "/body", "contains": {"id": -1}}}))
    for form in ("all", "any"):
        add(f"{form} of many", 16_000, lambda n, form=form: {
            "type": "value", "value": 1, "when": {form: [
                {"$job": "name", "equals": 1 if form == "any" else None, "default": None} for i in range(max(n, 1))]}})
    for pattern in PATTERNS:
        add(f"matches {pattern}", 1 << 16, lambda n, pattern=pattern: call(
            "/text", n, expect={"that": {"at": "/body", "matches": pattern}}, retry={"max_attempts": 1}))
        add(f"matches {pattern} by many texts", 100, lambda n, pattern=pattern: after("/texts", n, {
            "type": "transform", "input": body, "where": {"at": "", "matches": pattern}}))
    add("matches, a long pattern", 250, lambda n: after("/texts", 12, {
        "type": "transform", "input": body, "where": {"at": "", "matches": "(a|aa)" * (n // 8) + "(a|a)*b"}}))
    for member in ("until", "fail_if"):
        add(f"poll {member}", 1 << 17, lambda n, member=member: {
            "type": "poll", "request": f"{url}/list?n={n}", "every": "1ms", "max_polls": 3, "until": {"at": "/body/0/id", "equals": 1},
            **{member: {"at": "/body/9999999", "exists": True}}})
    add("repeat until", 1 << 12, lambda n: {
        "type": "repeat", "max_runs": 3, "every": "1ms", "operation": {"type": "value", "value": ["a"] * n},
        "until": {"any": [{"at": "/0", "equals": f"b{i}"} for i in range(max(n, 1))]}})
    add("await match", 2_000, lambda n: {"type": "await", "signal": "go", "timeouts": {"total": "20ms"},
                                         "match": {"any": [{"at": "/a", "equals": i} for i in range(max(n, 1))]}})

    # Transforms
    for way in ("count", "sum", "min", "max", "join", "first", "last", "merge"):
        each = {"merge": {"$item": ""}, "join": {"$item": "/name"}}.get(way, {"$item": "/id"})
        add(f"transform reduce {way}", 1 << 16, lambda n, way=way, each=each: after("/list", n, {
            "type": "transform", "input": body, "each": each, "reduce": way}))
    add("transform reduce sum of long numbers", 1 << 12, lambda n: {"type": "transform", "input": [0.1 ** 9] * n + [10 ** 300] * n, "reduce": "sum"})
    add("transform each of many members", 8_000, lambda n: after("/list", 50, {
        "type": "transform", "input": body, "each": {f"k{i}": {"$item": "/id"} for i in range(max(n, 1))}, "reduce": "count"}))
    # What it makes has at most 8 MiB: `transform.too_large` ends it.
    add("transform each of many members by many elements", 4_000, lambda n: after("/list", n, {
        "type": "transform", "input": body, "each": {f"k{i}": {"$item": "/id"} for i in range(max(n // 10, 1))}, "reduce": "count"}))
    add("transform each $text", 1 << 15, lambda n: after("/list", n, {
        "type": "transform", "input": body, "each": {"$text": "{a}-{b}", "vars": {"a": {"$item": "/id"}, "b": {"$item": "/name"}}}}))
    add("transform each $text of many", 3_000, lambda n: after("/list", 100, {"type": "transform", "input": body, "each": {
        "$text": "".join("{a%d}" % i for i in range(n)), "vars": {f"a{i}": {"$item": "/id"} for i in range(n)}}, "reduce": "count"}))
    add("transform flatten", 1 << 16, lambda n: after("/list", n, {"type": "transform", "input": body, "each": {"$item": "/tags"}, "flatten": True}))
    add("transform result", 1 << 15, lambda n: after("/list", n, {"type": "transform", "input": body, "result":[{"$item": ""}] * 3}))
    add("transform result, again and again", 20_000, lambda n: after("/list", n, {"type": "transform", "input": body, "result":[{"$item": ""}] * n}))
    add("transform rescue", 1 << 14, lambda n: {"type": "transform", "input": "no list", "rescue": [1] * n})
    add("transform that fails for an element", 1 << 16, lambda n: after("/list", n, {"type": "transform", "input": body, "each": {"$item": "/no"}}))

    # Values
    add("value of many $get", 15_000, lambda n: group(call("/list", 100), value(n, {"$get": "a", "at": "/status"})))
    add("value of many $get of much", 4_000, lambda n: group(call("/text", 100_000), value(n, {**body})))
    add("value of many $get deep in a large answer", 8_000, lambda n: group(
        call("/list", 20_000), value(n, {"$get": "a", "at": "/body/19999/name"})))
    add("value of many $get that have defaults", 15_000, lambda n: group(call("/list", 100), value(n, {
        "$get": "a", "at": "/body/no", "default": 1})))
    add("value of $get of an object", 1 << 16, lambda n: after("/object", n, {"type": "value", "value": {**body, "at": f"/body/k{n - 1}"}}))
    add("$text of many values", 10_000, lambda n: {"type": "value", "value": text_of(n, n)})
    add("$text of the same value", 10_000, lambda n: {"type": "value", "value": {"$text": "{a}" * n, "vars": {"a": "b" * 500}}})
    add("many $text of the same large value", 5_000, lambda n: group(call("/text", 100_000), value(n, {
        "$text": "{a}", "vars": {"a": body}})))
    add("a long answer in another charset", 1 << 21, lambda n: after("/latin", n, {"type": "value", "value": body}))
    add("a deep answer", 1 << 16, lambda n: after("/deep", n, {"type": "value", "value": {**body, "default": 1}}))
    add("a long number", 1 << 20, lambda n: after("/digits", n, {"type": "delay", "for": "1ms", "when": {
        "$get": "a", "at": "/body", "greater": 1}}))
    add("metadata by many places", 8_000, lambda n: {"type": "value", "metadata": {f"k{i}": i for i in range(500)},
                                                     "value": [{"$job": "metadata"}] * n})

    # Requests
    for member in ("vars", "query", "headers", "form"):
        most = {"vars": 700, "query": 3_000, "headers": 3_000}.get(member, 15_000)
        add(f"request.{member} of many", most, lambda n, member=member: call("/ok", 1) | {
            "retry": {"max_attempts": 1}, "request": {"method": "POST", "url": f"{url}/ok" + ("{?" + ",".join(f"k{i}" for i in range(max(n, 1))) + "}"
                                                                 if member == "vars" else ""), member: {f"k{i}": "v" for i in range(n)}}})
    add("request.json of much", 1 << 17, lambda n: call("/ok", 1) | {"request": {"method": "POST", "url": f"{url}/ok", "json": [1] * n}})
    add("request.json of $get", 1 << 16, lambda n: after("/list", n, {"type": "network", "request": {
        "method": "POST", "url": f"{url}/ok", "json": body}}))
    add("request.multipart", 256, lambda n: call("/ok", 1) | {"request": {"method": "POST", "url": f"{url}/ok", "multipart": [
        {"name": f"a{i}", "text": "-" * 2_000} for i in range(max(n, 1))]}})
    add("expect.status of many", 1 << 16, lambda n: call("/ok", 1, expect={"status": ["5xx"] * n + [200]}))
    add("expect.content_type of many", 1 << 15, lambda n: call("/ok", 1, expect={"content_type": ["text/a"] * n + ["application/json"]}))
    add("retry on", 50, lambda n: call("/error", 1, retry={"errors": [503] * max(n, 1), "max_attempts": 2, "backoff": "1ms"}))
    add("notify", 1 << 16, lambda n: {"type": "notify", "request": f"{url}/ok", "message": "m", "data": [1] * n})
    add("an answer that is kept", 1 << 17, lambda n: call("/list", n))
    # Of what arrives, at most 250 times as much is unpacked.
    add("a packed answer, without a secret in it", 1 << 22, lambda n: call("/packed", n) | {"request": {
        "url": f"{url}/packed?n={n}", "headers": {"X-Key": {"$secret": "s"}}}})
    add("a packed download, without a secret in it", 1 << 22, lambda n: {"type": "download", "save": {"artifact": "a.bin"}, "request": {
        "url": f"{url}/packed?n={n}", "headers": {"X-Key": {"$secret": "s"}}}})
    add("a download", 1 << 23, lambda n: {"type": "download", "request": f"{url}/text?n={n}", "save": {"artifact": "a.bin"}})

    # Groups
    delay = {"type": "value", "value": 1}
    add("group of many", 8_000, lambda n: group(*[{**delay, "name": f"a{i}"} for i in range(max(n, 1))]))
    add("group of many in order", 2_000, lambda n: group(*[{**delay, "name": f"a{i}"} for i in range(max(n, 1))], ordered=True))
    add("group, each after the last", 2_000, lambda n: group(*[
        {**delay, "name": f"a{i}", **({"after": [f"a{i - 1}"]} if i else {})} for i in range(max(n, 1))]))
    add("group, one after all", 8_000, lambda n: group(*[{**delay, "name": f"a{i}"} for i in range(max(n, 1))], {
        **delay, "name": "z", "after": [f"a{i}" for i in range(max(n, 1))]}))
    add("group, all after all", 300, lambda n: group(*[{**delay, "name": f"a{i}"} for i in range(max(n, 1))], *[
        {**delay, "name": f"z{i}", "after": [f"a{j}" for j in range(max(n, 1))]} for i in range(max(n, 1))]))
    add("group, all of it into each", 400, lambda n: group(*[{**delay, "name": f"a{i}"} for i in range(max(n, 1))], *[
        {"type": "value", "name": f"z{i}", "value": [{"$get": f"a{j}"} for j in range(max(n, 1))]} for i in range(max(n // 4, 1))]))
    add("group in group", 60, lambda n: nested(n, delay))
    add("group finally", 2_000, lambda n: group({**delay, "name": "a"}, **{"finally": [
        {**delay, "name": f"z{i}"} for i in range(max(n, 1))]}))
    add("group map", 8_000, lambda n: {"type": "group", "map": {"items": list(range(n)), "operation": delay}})
    add("group map of an answer", 8_000, lambda n: group(call("/list", n), {"type": "group", "name": "b", "map": {
        "items": body, "operation": {"type": "value", "value": {"$item": ""}}}}))
    add("group map of calls", 1_000, lambda n: {"type": "group", "map": {"items": list(range(n)), "concurrency": 16, "operation": call("/list", 20)}})
    add("group map of failures", 1_000, lambda n: {"type": "group", "map": {"items": list(range(n)), "operation": call(
        "/error", 1, retry={"max_attempts": 1})}})
    add("group map, and its results in each", 300, lambda n: group(
        {"type": "group", "name": "a", "map": {"items": ["a" * 1_000] * n, "operation": {"type": "value", "value": {"$item": ""}}}},
        {"type": "group", "name": "b", "map": {"items": list(range(n)), "operation": {"type": "value", "value": {"$get": "a"}}}}))
    add("repeat", 2_000, lambda n: {"type": "repeat", "max_runs": max(n, 1), "operation": {"type": "value", "value": 1}})
    add("repeat of failures", 1_000, lambda n: {"type": "repeat", "max_runs": max(n, 1), "operation": {
        "type": "value", "value": {"$job": "metadata", "at": "/no"}}})

    # Conditions
    add("conditions: many keys", 4_000, lambda n: {**delay, "conditions": [
        {"type": "lock", "key": f"k{i}"} for i in range(n)]})
    add("conditions: the same key in many operations", 2_000, lambda n: group(*[
        {**delay, "name": f"a{i}", "conditions": [{"type": "lock", "key": "k"}]} for i in range(max(n, 1))]))
    add("conditions: a key of each operation", 2_000, lambda n: group(*[
        {**delay, "name": f"a{i}", "conditions": [{"type": "lock", "key": f"k{i}"}]} for i in range(max(n, 1))]))
    add("conditions: many questions", 6_000, lambda n: {**delay, "conditions": [
        {"when": {"$job": "id", "exists": True}} for i in range(n)]})
    add("conditions: all in all", 30, lambda n: {**delay, "conditions": [deep_condition("all", n)]})
    add("conditions: any of many", 6_000, lambda n: {**delay, "conditions": [{"any": [
        {"when": {"$job": "id", "equals": i}} for i in range(n)] + [{"when": {"$job": "id", "exists": True}}]}]})
    add("conditions: time window, except", 10_000, lambda n: {**delay, "conditions": [{
        "type": "time_window", "tz": "Europe/Berlin", "from": "00:00", "to": "24:00", "except": days(n, "1999-01-01"), "otherwise": "skip"}]})
    add("conditions: many time windows", 2_000, lambda n: {**delay, "conditions": [{
        "type": "time_window", "tz": "Europe/Berlin", "from": "00:00", "to": "24:00", "otherwise": "skip"}] * n})
    add("conditions that fail", 2_000, lambda n: {**delay, "conditions": [{"not": {
        "when": {"$job": "id", "exists": True}}}] * n})

    # Templates, which `templates` stores
    add("template, many parameters", 2_000, lambda n: {"template": "any", "params": {"a": {f"k{i}": i for i in range(n)}}})
    add("template, many parameters of its own", 1_000, lambda n: {"template": "many", "params": {f"p{i}": i for i in range(n)}})
    add("template, many uses of a small one", 2_000, lambda n: group(*[
        {"template": "any", "name": f"a{i}", "params": {"a": i}} for i in range(max(n, 1))]))
    add("template, many uses of a large one", 490, lambda n: group(*[
        {"template": "large", "name": f"a{i}"} for i in range(max(n, 1))]))
    add("template, a parameter at many places", 500, lambda n: {"template": "places", "params": {"a": "x" * n * 100}})
    add("callbacks", 8, lambda n: {**delay, "callbacks": [f"{url}/ok"] * max(n, 1)})
    add("labels and metadata", 1 << 13, lambda n: {**delay, "metadata": {f"k{i}": i for i in range(n)}})
    return found


def nested(n, inner):
    for i in range(n):
        inner = group({**inner, "name": f"a{i}"})
    return inner


def deep_condition(kind, n):
    inner = {"type": "lock", "key": "k"}
    for _ in range(n):
        inner = {kind: [inner]}
    return inner


#: Templates that are stored before.
TEMPLATES = {
    "t": {"operation": {"type": "delay", "for": "1s"}},
    "any": {"parameters": {"a": {"type": "any"}}, "operation": {"type": "value", "name": "v", "value": {"$param": "a"}}},
    "large": {"operation": {"type": "value", "name": "v", "value": [{"a": i} for i in range(16_000)]}},
    "many": {"parameters": {f"p{i}": {"type": "any", "default": 0} for i in range(1_000)},
             "operation": {"type": "value", "name": "v", "value": [{"$param": f"p{i}"} for i in range(1_000)]}},
    "places": {"parameters": {"a": {"type": "any"}}, "operation": {"type": "value", "name": "v", "value": [{"$param": "a"}] * 1_000}},
}
