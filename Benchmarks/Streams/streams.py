"""Follows many event streams while jobs run, and compares what each saw with the list of jobs.

usage: streams.py URL PID LOAD FOLLOW STREAMS SECONDS
"""
import http.client
import json
import os
import subprocess
import sys
import threading
import time
import urllib.parse

url, pid, load, follow = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
streams, seconds = int(sys.argv[5]), float(sys.argv[6])
address = urllib.parse.urlparse(url)
local = threading.local()
CHANGES = 5_000
"""Changes of state a second: each job is stored as running, and ends."""


def connection():
    """A connection for each thread."""
    if not hasattr(local, "connection"):
        local.connection = http.client.HTTPConnection(address.netloc, timeout=60)
    return local.connection


def ask(method, path, body=None):
    connection().request(method, path, body and json.dumps(body), {"Content-Type": "application/json"})
    answer = connection().getresponse()
    content = answer.read()
    if answer.status >= 400:
        sys.exit(f"{method} {path}: {answer.status} {content[:300]}")
    return json.loads(content or b"null")


def megabytes():
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20


def hashed(text):
    value = 1469598103934665603
    for byte in text.encode():
        value = (value ^ byte) * 1099511628211 % 2**64
    return value


def submits():
    """Submissions a second of jobs for a later date, as fast as the server takes them."""
    words = [load, "http", "submit", "--port", str(address.port), "--seconds", "5", "--body",
             '{"type":"value","value":1,"run_at":"9h"}']
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)["per_s"]


class Readers:
    def __init__(self, query=""):
        self.process = subprocess.Popen(["nice", "-n", "19", follow, str(address.port), str(streams), "200000", query],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        while int(metric("jobserver_event_streams")) < streams:
            time.sleep(0.1)

    def end(self):
        output, _ = self.process.communicate("")
        return json.loads(output)


def metric(name):
    connection().request("GET", "/metrics")
    for line in connection().getresponse().read().decode().splitlines():
        if line.startswith(name + " "):
            return line.split()[1]


def run_jobs(seconds):
    """Runs jobs at a pace of CHANGES, and returns how many."""
    count, begin, batch = 0, time.monotonic(), 50
    while time.monotonic() < begin + seconds:
        ask("POST", "/v1/jobs:batch", [{"type": "value", "value": 1}] * batch)
        count += batch
        time.sleep(max(0, begin + count * 3 / CHANGES - time.monotonic()))
    while ask("GET", "/v1/jobs?state=queued,running&page_size=1")["items"]:
        time.sleep(0.1)
    return count, time.monotonic() - begin


idle = megabytes()
readers = Readers()
most = [0.0]
over = threading.Event()


def watch():
    while not over.wait(0.1):
        most[0] = max(most[0], megabytes())


watcher = threading.Thread(target=watch)
watcher.start()
count, spent = run_jobs(seconds)
time.sleep(2)
seen = readers.end()
over.set()
watcher.join()
ended, total, page = 0, 0, {}
while not ended or "next_page_token" in page:
    token = f"&page_token={page['next_page_token']}" if "next_page_token" in page else ""
    page = ask("GET", f"/v1/jobs?state=succeeded&page_size=500{token}")
    ended += len(page["items"])
    total = (total + sum(hashed(job["id"]) for job in page["items"])) % 2**64
print(f"{streams} streams, {count} jobs in {spent:.1f} s, {count * 3 / spent:.0f} changes a second, "
      f"{seen['megabytes']} MB sent, {seen['reconnects']} reconnects, {seen['resets']} resets")
print(f"the server took {idle:.0f} MB before and at most {most[0]:.0f} MB meanwhile")
missed = seen["differing"] or seen["ended"] != ended or int(seen["sum"], 16) != total


def submits_beside_jobs():
    """Submissions a second while jobs run at the same pace."""
    runner = threading.Thread(target=run_jobs, args=(7,))
    runner.start()
    time.sleep(1)
    rate = submits()
    runner.join()
    return rate


alone = submits_beside_jobs()
readers = Readers("state=succeeded")
beside = submits_beside_jobs()
readers.end()
print(f"submissions a second beside these jobs: {alone:,.0f} without streams, {beside:,.0f} with {streams} that follow "
      f"the ends: {beside / alone:.2f}")
print(f"each stream saw the end of {seen['ended']} of {ended} jobs; {seen['differing']} streams differ")
sys.exit("an end was missed" if missed else 0)
