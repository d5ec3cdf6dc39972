"""Asks a server for every route of openapi.yaml, and has httplint read each answer.

python lint.py URL OPENAPI.YAML

Each route is asked as the description says, for something that is not there, and where it is a GET as HEAD, with the
validators of the answer, and for a range. Notes of the level "warning" and "bad" are findings.
"""

import collections
import http.client
import json
import sys
import time
import urllib.parse

import yaml
from httplint.message import HttpRequestLinter, HttpResponseLinter
from httplint.note import levels

SERVER = urllib.parse.urlsplit(sys.argv[1])
DESCRIPTION = yaml.safe_load(open(sys.argv[2], encoding="utf-8"))
# Notes that stay, by the name of their class, with the reason.
KEPT = {
    "LOCATION_UNDEFINED": "an accepted job has its address in Location, as RFC 9110 section 15.3.3 asks for a monitor",
    "STATUS_BAD_REQUEST": "the requests are bad on purpose",
    "FRESHNESS_NO_CACHE_NO_VALIDATOR": "an event stream is never stored",
}
findings = collections.defaultdict(set)
statuses = collections.Counter()


def resolved(value):
    while isinstance(value, dict) and "$ref" in value:
        place = DESCRIPTION
        for part in value["$ref"][2:].split("/"):
            place = place[part.replace("~1", "/").replace("~0", "~")]
        value = place
    return value


def ask(method, path, body=None, fields=(), route=None):
    """One exchange, read by httplint; the answer."""
    connection = http.client.HTTPConnection(SERVER.hostname, SERVER.port, timeout=20)
    fields = [("Host", SERVER.netloc), ("User-Agent", "suites"), *fields]
    if body is not None:
        fields += [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in fields:
        connection.putheader(name, value)
    connection.endheaders(body)
    answer = connection.getresponse()
    isEndless = answer.headers.get_content_type() == "text/event-stream"
    content = b"" if isEndless or method == "HEAD" else answer.read()
    connection.close()

    request = HttpRequestLinter()
    request.process_request_topline(method.encode(), f"{SERVER.scheme}://{SERVER.netloc}{path}".encode(), b"1.1")
    request.process_headers([(name.encode(), value.encode()) for name, value in fields])
    if body:
        request.feed_content(body)
    request.finish_content(True)
    response = HttpResponseLinter(start_time=time.time(), _related=request)
    response.is_head_response = method == "HEAD"
    response.process_response_topline(b"1.1", str(answer.status).encode(), answer.reason.encode())
    response.process_headers([(n.encode("latin-1"), v.encode("latin-1")) for n, v in answer.getheaders()])
    if content:
        response.feed_content(content)
    response.finish_content(not isEndless)
    statuses[answer.status] += 1
    for note in list(response.notes) + list(request.notes):
        if note.level in (levels.WARN, levels.BAD):
            place = f"{method} {route or path} {answer.status}"
            findings[(type(note).__name__, note.level.name, note.summary)].add(place)
    return answer, content


def submitted(spec):
    """The id of a job that has ended, or waits."""
    answer, content = ask("POST", "/v1/jobs", json.dumps(spec).encode(), [("Prefer", "wait=10")], "/v1/jobs")
    assert answer.status < 300, content
    return json.loads(content)["id"]


def example(operation):
    """The body of the first example of a request, or of its schema."""
    content = (resolved(operation.get("requestBody") or {}).get("content") or {}).get("application/json")
    if content is None:
        return None
    if "examples" in content:
        value = resolved(next(iter(content["examples"].values())))["value"]
    else:
        value = content["example"] if "example" in content else resolved(content["schema"])["examples"][0]
    return json.dumps(value).encode()


def asked(method, route, operation, values):
    path = route
    for name, value in values.items():
        path = path.replace("{%s}" % name, urllib.parse.quote(value, safe=""))
    answer, _ = ask(method, path, example(operation), route=route)
    if method == "GET" and answer.headers.get_content_type() != "text/event-stream":
        ask("HEAD", path, route=route)
        ask("GET", path, None, [("Accept", "application/x-nothing")], route)
        ask("GET", path, None, [("Accept-Encoding", "gzip")], route)
        if answer.getheader("ETag"):
            ask("GET", path, None, [("If-None-Match", answer.getheader("ETag"))], route)
        for value in ("bytes=0-3", "bytes=99999999-") if answer.getheader("Accept-Ranges") == "bytes" else ():
            ask("GET", path, None, [("Range", value)], route)


def main():
    own = f"{SERVER.scheme}://{SERVER.netloc}"
    download = {"type": "download", "name": "login", "request": own + "/openapi.yaml"}
    whole = submitted({"type": "group", "name": "suite", "operations": [download]})
    waiting = submitted({"type": "await", "name": "wait", "signal": "go"})
    _, content = ask("GET", f"/v1/jobs/{whole}/artifacts")
    artifact = json.loads(content)["items"][0]["name"]
    routes = [
        (method.upper(), route, operation)
        for route, item in DESCRIPTION["paths"].items()
        for method, operation in item.items()
        if method in ("get", "put", "post", "delete")
    ]
    # What is made first is there for those that come later.
    order = ["PUT", "GET", "POST", "DELETE"]
    for method, route, operation in sorted(routes, key=lambda found: order.index(found[0])):
        job = waiting if method == "POST" else whole
        values = {"id": job, "name": artifact if "artifacts" in route else "suite", "path": "login"}
        values |= {"host": "api.example", "origin": "api.example", "code": "route.not_found"}
        asked(method, route, operation, values)
        if "{" in route:
            ask(method, route.split("{")[0] + "nothing" + route.split("}", 1)[1].replace("{", "").replace("}", ""),
                example(operation), route=route)
        if method == "POST":
            ask(method, route.replace("{", "").replace("}", ""), b"{", route=route)
    for method, path in [("PATCH", "/v1/jobs"), ("GET", "/v1/nothing"), ("OPTIONS", "/v1/jobs"), ("TRACE", "/v1/jobs")]:
        ask(method, path)
    count = sum(statuses.values())
    print(f"{len(routes)} routes, {count} answers: " + ", ".join(f"{n} of {s}" for s, n in sorted(statuses.items())))
    new = {kind: places for kind, places in findings.items() if kind[0] not in KEPT}
    for (name, level, summary), places in sorted(new.items()):
        print(f"{level} {name}: {summary}\n    {len(places)}: " + "; ".join(sorted(places)[:6]))
    for name in set(KEPT) - {kind[0] for kind in findings}:
        print(f"no answer has {name} any more: leave it out of KEPT")
    sys.exit(1 if new or set(KEPT) - {kind[0] for kind in findings} else 0)


main()
