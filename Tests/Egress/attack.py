"""Requests forbidden calls from a server.

usage: attack.py control SERVER SEEN    one allowed call, which must arrive
       attack.py attack SERVER SEEN     everything that must not
"""
import collections
import ipaddress
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import spellings
from world import PUBLIC

# Seconds until the server asks again for the address of a name; 0 leaves names that move out.
PATIENCE = int(os.environ.get("PATIENCE", "0"))
failures = []


def fail(text):
    failures.append(text)
    print(f"FAILED: {text}", file=sys.stderr)


class Server:
    def __init__(self, base):
        self.base = base
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def ask(self, path, body=None, wait=None):
        fields = {"Content-Type": "application/json"}
        if wait:
            fields["Prefer"] = f"wait={wait}"
        content = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.base + path, content, fields)
        try:
            with self.opener.open(request, timeout=30) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def submit(self, spec):
        return self.ask("/v1/jobs", spec)

    def end(self, job):
        for _ in range(6):
            _, found = self.ask(f"/v1/jobs/{job}", wait=10)
            if found.get("done"):
                return found
        fail(f"{job} did not end: {found.get('state')}")
        return found


def call(url, **request):
    return {"type": "network", "name": "call", "retry": {"max_attempts": 1}, "request": {"url": url, **request}}


def delivered_call():
    return call("http://{h}/", vars={"h": {"$get": "where", "at": "/body"}})


def seen(file, start=0):
    with open(file) as lines:
        return lines.read()[start:].splitlines()


def forbidden(lines):
    return [line for line in lines if line.split(" ")[0] not in PUBLIC]


class Round:
    """Jobs of one kind, and their outcomes."""

    def __init__(self, server, title):
        self.server, self.title = server, title
        self.codes, self.jobs = collections.Counter(), []

    def submit(self, label, spec, at_submit=False):
        status, answer = self.server.submit(spec)
        if status == 202:
            if at_submit:
                fail(f"{self.title}: {label!r} was accepted")
            self.jobs.append((label, answer["id"]))
        elif status in (400, 422):
            self.codes["refused at submit"] += 1
            if at_submit and not answer.get("errors"):
                fail(f"{self.title}: {label!r} was refused without a place: {answer}")
        else:
            fail(f"{self.title}: {label!r} was answered with {status}: {answer}")

    def finish(self, may_succeed=lambda label: False):
        for label, job in self.jobs:
            end = self.server.end(job)
            error = end.get("error") or {}
            self.codes[error.get("code", end.get("state"))] += 1
            if end.get("state") == "succeeded" and not may_succeed(label):
                fail(f"{self.title}: {label!r} succeeded")
        total = sum(self.codes.values())
        print(f"{self.title}: {total}: " + ", ".join(f"{count} {code}" for code, count in self.codes.most_common()))
        return total


def control(server, file):
    _, job = server.submit(call("http://127.0.0.1/"))
    end = server.end(job["id"])
    if end["state"] != "succeeded" or "127.0.0.1 80" not in seen(file):
        fail(f"the call that is allowed did not arrive: {end}")


def controls(server):
    for url in ("http://public.test/", "http://public6.test/", "http://both.test/", "http://93.184.216.34/"):
        status, job = server.submit(call(url))
        if status != 202 or server.end(job["id"])["state"] != "succeeded":
            fail(f"{url} is public and cannot be called")
    group = {"type": "group", "operations": [
        {"type": "value", "name": "where", "value": "public.test"}, delivered_call()]}
    for spec in (call("http://{h}/", vars={"h": "public.test"}), group):
        status, job = server.submit(spec)
        if status != 202 or server.end(job["id"])["state"] != "succeeded":
            fail(f"a public host as a variable cannot be called: {job}")
    pointed = "http://public.test/?" + urllib.parse.urlencode(
        {"status": 302, "field": "Location", "to": "http://93.184.216.34/there"})
    if server.end(server.submit(call(pointed))[1]["id"])["state"] != "succeeded":
        fail("a redirect to a public place is not followed")


def is_plain(url):
    return all(0x20 < ord(letter) < 0x7F for letter in url)


def attack(server, file):
    start = len(open(file).read())
    controls(server)
    total = 0

    spelled = Round(server, "written in the job")
    for url in spellings.direct():
        spelled.submit(url, call(url), at_submit=url != "http://127.0.0.1.nip/")
    total += spelled.finish()

    variables = Round(server, "as a variable of the job's URL")
    for host in spellings.hosts():
        variables.submit(host, call("http://{h}/", vars={"h": host}))
    total += variables.finish()

    delivered = Round(server, "from the result of another operation")
    for host in spellings.hosts():
        delivered.submit(host, {"type": "group", "operations": [
            {"type": "value", "name": "where", "value": host}, delivered_call()]})
    total += delivered.finish()

    names = Round(server, "names that stand for it")
    for url in spellings.looked_up():
        names.submit(url, call(url))
    total += names.finish()

    redirects = Round(server, "pointed to by a public server")
    places = [url for url in spellings.direct() + spellings.looked_up() if is_plain(url)]
    for number, url in enumerate(places):
        status = (301, 302, 303, 307, 308)[number % 5]
        first = "http://public.test/?" + urllib.parse.urlencode({"status": status, "field": "Location", "to": url})
        redirects.submit(url, call(first))
    # A place without a scheme, or one that is a scheme of ours without a host, is a place on the public server.
    total += redirects.finish(lambda url: not url.lower().startswith(("http://", "https://")) or "public.test" in url)

    followed = Round(server, "pointed to by what is polled")
    for url in spellings.looked_up() + ["http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/"]:
        first = "http://public.test/?" + urllib.parse.urlencode({"status": 202, "field": "Operation-Location", "to": url})
        followed.submit(url, {"type": "poll", "name": "call", "follow": True, "every": "PT1S", "max_polls": 2,
                              "retry": {"max_attempts": 1}, "request": first})
    total += followed.finish()

    probes = Round(server, "asked for by a condition")
    for url in spellings.looked_up() + ["http://127.0.0.1/", "http://[::1]/", "http://2130706433/"]:
        for probe in ("tcp", "http"):
            probes.submit(url, {"type": "value", "name": "v", "value": 1, "conditions": [
                {"type": "reachability", "url": url, "probe": probe}]})
    total += probes.finish()

    moved = ["rebind.test", "rebind-private.test"]
    before = Round(server, "names that will move")
    for name in moved:
        before.submit(name, call(f"http://{name}/"))
    total += before.finish(lambda name: True)
    if PATIENCE:
        time.sleep(PATIENCE)
        after = Round(server, "names that moved")
        for name in moved:
            after.submit(name, call(f"http://{name}/"))
        total += after.finish()

    lines = seen(file, start)
    for line in forbidden(lines):
        fail(f"a connection reached {line}")
    reached = len({ipaddress.ip_address(line.split(" ")[0]) for line in lines})
    print(f"{total} attempts, {len(forbidden(lines))} forbidden connections, "
          f"{len(lines)} connections to {reached} public addresses")


if __name__ == "__main__":
    {"control": control, "attack": attack}[sys.argv[1]](Server(sys.argv[2]), sys.argv[3])
    sys.exit(1 if failures else 0)
