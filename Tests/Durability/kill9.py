"""The two halves of the test: submitting before the kill, and looking after it.

usage: kill9.py submit URL TARGET FILE IN_FLIGHT SCHEDULED
       kill9.py check URL TARGET_LOG FILE
"""
import concurrent.futures
import http.client
import json
import re
import sys
import threading
import time
import urllib.parse
from datetime import datetime

local = threading.local()


def ask(url, method, path, body=None, headers=None):
    """One request over this thread's own connection."""
    if not hasattr(local, "connection"):
        local.connection = http.client.HTTPConnection(urllib.parse.urlparse(url).netloc, timeout=60)
    fields = {"Content-Type": "application/json"} if body else {}
    local.connection.request(method, path, body, {**fields, **(headers or {})})
    answer = local.connection.getresponse()
    return answer.status, answer.read()


def submit_all(url, specs):
    def one(item):
        kind, spec = item
        status, content = ask(url, "POST", "/v1/jobs", json.dumps(spec))
        assert status == 202, (status, content)
        job = json.loads(content)
        return {"kind": kind, "id": job["id"], "run_at": job.get("run_at"), "mark": spec["name"]}

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        return list(pool.map(one, specs))


def in_flight(number, target):
    """A quick call, then something that takes a while: a slow call or a wait. The kill comes in the middle of it."""
    middle = ({"type": "network", "name": "middle", "request": f"{target}/delay/2"} if number % 2
              else {"type": "delay", "name": "middle", "for": "2500ms"})
    return {
        "type": "group", "name": f"chain_{number}", "ordered": True,
        "operations": [
            {"type": "network", "name": "quick", "request": f"{target}/anything/quick-{number}"},
            middle,
            {"type": "network", "name": "last", "request": f"{target}/anything/last-{number}"},
        ],
    }


def submit(url, target, file, count_in_flight, count_scheduled):
    specs = [("scheduled", {"type": "value", "name": f"later_{n}", "value": n, "run_at": f"{6000 + n % 2000}ms"})
             for n in range(count_scheduled)]
    jobs = submit_all(url, specs)
    jobs += submit_all(url, [("in_flight", in_flight(n, target)) for n in range(count_in_flight)])
    # Most first steps have ended and no last step has begun: that is the moment.
    deadline = time.monotonic() + 2
    ended = 0
    while time.monotonic() < deadline:
        chains = [job for job in jobs if job["kind"] == "in_flight"]
        ended = sum(quick_ended(url, job["id"]) for job in chains[:: max(1, len(chains) // 10)])
        if ended >= 5:
            break
    for job in jobs:
        if job["kind"] == "in_flight":
            job["quick_ended"] = quick_ended(url, job["id"])
    with open(file, "w") as out:
        json.dump(jobs, out)
    count = sum(1 for job in jobs if job.get("quick_ended"))
    print(f"{len(jobs)} jobs acknowledged; the first step of {count} of {count_in_flight} chains has ended")


def quick_ended(url, job):
    status, content = ask(url, "GET", f"/v1/jobs/{job}/operations")
    if status != 200:
        return False
    return any(o["name"] == "quick" and o["state"] == "succeeded" for o in json.loads(content)["items"])


def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def final_job(url, job, deadline):
    while True:
        status, content = ask(url, "GET", f"/v1/jobs/{job['id']}", headers={"Prefer": "wait=5"})
        assert status == 200, f"{job['id']} is not known any more: {status} {content[:200]}"
        found = json.loads(content)
        if found["done"] or time.monotonic() > deadline:
            return job, found


def check(url, log, file):
    with open(file) as source:
        jobs = json.load(source)
    deadline = time.monotonic() + 90
    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        results = list(pool.map(lambda job: final_job(url, job, deadline), jobs))
    bad, late = [], 0.0
    for job, found in results:
        if found["state"] != "succeeded":
            bad.append(f"{job['id']} ({job['kind']}) is {found['state']}: {found.get('error', {}).get('code')}")
        if job["kind"] == "scheduled":
            if found.get("run_at") != job["run_at"]:
                bad.append(f"{job['id']} was due {job['run_at']} and is now due {found.get('run_at')}")
            elif found.get("started_at"):
                lateness = moment(found["started_at"]) - moment(job["run_at"])
                late = max(late, lateness)
                if lateness < 0:
                    bad.append(f"{job['id']} started {-lateness:.3f} s before its time")
    with open(log) as source:
        calls = re.findall(r"GET /anything/(\w+-\d+) ", source.read())
    counts = {name: calls.count(name) for name in set(calls)}
    again = [j["mark"] for j in jobs if j.get("quick_ended") and counts.get("quick-" + j["mark"].split("_")[1], 0) != 1]
    bad += [f"{mark}: its first step had ended and was run again" for mark in again]
    kept = sum(1 for job in jobs if job.get("quick_ended"))
    print(f"{len(results)} acknowledged jobs are known, {sum(f['state'] == 'succeeded' for _, f in results)} succeeded")
    print(f"scheduled jobs kept their time; the latest started {late * 1000:.0f} ms after it")
    print(f"{kept - len(again)} of {kept} finished first steps were called exactly once")
    for line in bad[:20]:
        print("FAILED:", line)
    sys.exit(1 if bad else 0)


if sys.argv[1] == "submit":
    submit(sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5]), int(sys.argv[6]))
else:
    check(sys.argv[2], sys.argv[3], sys.argv[4])
