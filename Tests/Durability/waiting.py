"""What jobs wait for, before and after the server was killed.

usage: waiting.py stub FILE PARENT       serves on a free port, writes its URL to FILE, ends with PARENT
       waiting.py submit URL STUB FILE
       waiting.py check URL STUB FILE
"""
import http.server
import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request

calls = {}
done = set()


class Stub(http.server.BaseHTTPRequestHandler):
    """/flaky/NAME answers 503 the first time; /poll/NAME says pending until /finish/NAME; /calls lists all calls."""
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        _, kind, *rest = self.path.split("/")
        if kind != "calls":
            calls.setdefault(self.path, []).append(time.time())
        status, body = 200, {"path": self.path}
        if kind == "calls":
            body = calls
        elif kind == "flaky" and len(calls[self.path]) == 1:
            status = 503
        elif kind == "poll":
            body = {"status": "done" if rest[0] in done else "pending"}
        elif kind == "finish":
            done.add(rest[0])
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def stub(file, parent):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with open(file + ".new", "w") as out:
        out.write(f"http://127.0.0.1:{server.server_port}")
    os.rename(file + ".new", file)
    while os.path.exists(f"/proc/{parent}"):
        time.sleep(0.2)


def ask(url, method="GET", body=None, headers=None):
    request = urllib.request.Request(
        url, json.dumps(body).encode() if body is not None else None, method=method,
        headers={"Content-Type": "application/json", **(headers or {})})
    try:
        with urllib.request.urlopen(request, timeout=70) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def specs(target):
    """Each job by what it waits for, with the state in which it waits."""
    call = {"type": "network", "name": "call"}
    key = {"type": "lock", "key": "the-only-one"}
    return {
        "delay": ("waiting", {"type": "delay", "for": "9s"}),
        "retry": ("retrying", {**call, "request": f"{target}/flaky/retry",
                               "retry": {"max_attempts": 3, "jitter": "none",
                                         "backoff": {"type": "fixed", "initial": "9s"}}}),
        "approval": ("pending", {**call, "request": f"{target}/after/approval",
                                 "conditions": [{"type": "approval", "prompt": "Really?"}]}),
        "signal": ("waiting", {"type": "group", "ordered": True, "operations": [
            {**call, "request": f"{target}/before/signal"},
            {"type": "await", "name": "go", "signal": "go"},
            {"type": "network", "name": "last", "request": f"{target}/after/signal"}]}),
        "holder": ("waiting", {"type": "group", "ordered": True, "conditions": [key], "operations": [
            {"type": "await", "name": "go", "signal": "go"},
            {**call, "request": f"{target}/category/first"}]}),
        "category": ("pending", {**call, "request": f"{target}/category/second", "conditions": [key]}),
        "poll": ("waiting", {"type": "poll", "request": f"{target}/poll/a", "every": "2s",
                             "until": {"at": "/body/status", "equals": "done"}}),
        "repeat": ("waiting", {"type": "repeat", "max_runs": 2, "every": "9s",
                               "operation": {**call, "request": f"{target}/repeat/run"}}),
        "person": ("held", {**call, "request": f"{target}/after/person", "run_at": "1s"}),
    }


def submit(url, target, file):
    jobs = {}
    for name, (state, spec) in specs(target).items():
        status, job = ask(f"{url}/v1/jobs", "POST", {"labels": {"waits": name}, **spec})
        assert status == 202, (name, status, job)
        jobs[name] = {"id": job["id"], "state": state}
        if name == "person":
            assert ask(f"{url}/v1/jobs/{job['id']}:hold", "POST", {})[0] == 200
        jobs[name]["job"] = until(url, job["id"], lambda job: job["state"] == state)
    json.dump(jobs, open(file, "w"))
    print(f"{len(jobs)} jobs wait: " + ", ".join(f"{name} {entry['state']}" for name, entry in jobs.items()))


def until(url, id, condition, seconds=30):
    end = time.time() + seconds
    while True:
        status, job = ask(f"{url}/v1/jobs/{id}")
        assert status == 200, (status, job)
        if condition(job):
            return job
        assert time.time() < end, f"not in time: {json.dumps(job)[:600]}"
        time.sleep(0.05)


def expect(what, want, got):
    if want != got:
        sys.exit(f"FAILED: {what} is {got!r}, expected {want!r}")
    print(f"ok: {what} is {got!r}")


def check(url, target, file):
    jobs = json.load(open(file))
    for name, entry in jobs.items():
        job = until(url, entry["id"], lambda job: job["state"] not in ("queued", "running"))
        if name in ("approval", "signal", "holder", "category", "person"):
            expect(f"{name} after the restart", entry["state"], job["state"])
    release(url, target, jobs)
    for name, entry in jobs.items():
        job = until(url, entry["id"], lambda job: job["done"])
        expect(f"the end of {name}", "succeeded", job["state"])
        entry["end"] = job
    counts = {path: len(times) for path, times in ask(f"{target}/calls")[1].items()}
    for path, want in {"/flaky/retry": 2, "/after/approval": 1, "/before/signal": 1, "/after/signal": 1,
                       "/category/first": 1, "/category/second": 1, "/repeat/run": 2, "/after/person": 1}.items():
        expect(f"calls of {path}", want, counts.get(path, 0))
    times = ask(f"{target}/calls")[1]
    expect("the order of the category", True, times["/category/first"] < times["/category/second"])
    for name in ("delay", "retry"):
        late = seconds(jobs[name]["end"]["finished_at"]) - due(jobs[name]["job"])
        expect(f"{name} not before its time", True, late > -0.01)
        expect(f"{name} less than 2 s after its time", True, late < 2)


def release(url, target, jobs):
    """Gives each job what it waits for."""
    status, page = ask(f"{url}/v1/approvals?state=open&job_id={jobs['approval']['id']}")
    assert status == 200 and len(page["items"]) == 1, (status, page)
    expect("approving", 200, ask(f"{url}/v1/approvals/{page['items'][0]['id']}:approve", "POST", {})[0])
    for name in ("signal", "holder"):
        expect(f"the signal to {name}", 202,
               ask(f"{url}/v1/jobs/{jobs[name]['id']}/signals/go", "POST", {"sent": True})[0])
    ask(f"{target}/finish/a")
    expect("releasing", 200, ask(f"{url}/v1/jobs/{jobs['person']['id']}:release", "POST", {})[0])


def due(job):
    return seconds(job.get("next_attempt_at") or job["waiting_on"][0]["estimated_until"])


def seconds(text):
    from datetime import datetime
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


if __name__ == "__main__":
    {"stub": stub, "submit": submit, "check": check}[sys.argv[1]](*sys.argv[2:])
