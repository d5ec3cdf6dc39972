"""Measures what limits of queues cost.

usage: queues.py URL PID LOAD COUNT ROUNDS KEYS WAITING...
"""
import http.client
import json
import os
import statistics
import subprocess
import sys
import time
import urllib.parse

url, pid, load, count, rounds, keys = sys.argv[1], int(sys.argv[2]), sys.argv[3], *map(int, sys.argv[4:7])
levels = [int(word) for word in sys.argv[7:]]
address = urllib.parse.urlparse(url)


def ask(method, path, body=None):
    # The server closes connections that were idle for a while.
    connection = http.client.HTTPConnection(address.netloc, timeout=120)
    connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    if answer.status >= 400:
        sys.exit(f"{method} {path}: {answer.status} {content[:300]}")
    return json.loads(content or b"null")


def megabytes():
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20


def cpu():
    """The seconds of processor time that the server has used."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rate(body, tries=5):
    """Jobs a second, from submission to the result that is read, and microseconds of processor time for each."""
    while ask("GET", "/v1/jobs:count?state=running")["count"]:
        time.sleep(0.05)
    before = cpu()
    already = sum(group["count"] for group in ask("GET", "/v1/jobs:count?by=state")["groups"] if group["state"] == "succeeded")
    words = [load, "http", "collect", "--port", str(address.port), "--count", str(count), "--body", body,
             "--already", str(already)]
    found = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    if found["done"] != count:
        # The machine did something else for so long that the server refused jobs.
        return rate(body, tries - 1) if tries > 1 else sys.exit(f"{found['done']} of {count} jobs were done: {found}")
    return found["per_s"], (cpu() - before) / count * 1e6


def fill(queue, number, key=lambda index: None):
    for start in range(0, number, 1_000):
        jobs = [{"type": "value", "value": 1, "queue": queue} for _ in range(start, min(start + 1_000, number))]
        for index, job in enumerate(jobs):
            if key(start + index) is not None:
                job["queue_key"] = key(start + index)
        ask("POST", "/v1/jobs:batch", jobs)


# As many jobs without keys come first, so that the memory of their submission is not counted.
ask("POST", "/v1/queues/keyless:pause")
fill("keyless", keys * 2)
time.sleep(1)
before = megabytes()
ask("PUT", "/v1/queues/keyed", {"per_key": {"concurrency": 1}})
ask("POST", "/v1/queues/keyed:pause")
fill("keyed", keys * 2, key=lambda index: f"customer-{index % keys}")
time.sleep(1)
print(f"{keys:,} keys with two waiting jobs each took {megabytes() - before:.1f} MB\n")

LIMITS = {"concurrency": 10_000, "rate": {"count": 1_000_000, "per": "1s", "burst": 100_000},
          "per_key": {"concurrency": 5_000}}
ask("PUT", "/v1/queues/limited", LIMITS)
print("The ratio is the median of those of pairs that were measured one after the other, with the lowest and the highest.\n")
print("| Jobs a second | without limits | with limits | ratio | processor time of each, µs | ratio |\n|---|---|---|---|---|---|")
# The calls go to the server itself.
KINDS = {"no-op": '"type":"value","value":1', "call": f'"type":"network","request":"{url}/healthz"'}
for kind, members in KINDS.items():
    pairs = []
    for number in range(rounds):
        # Each goes first in turn: the second finds a warmer machine, or a slower one.
        order = ["plain", "limited"] if number % 2 else ["limited", "plain"]
        found = {queue: rate('{%s,"queue":"%s"}' % (members, queue)) for queue in order}
        pairs.append((found["plain"], found["limited"]))
    (plain, spent), (limited, more) = ([statistics.median(column) for column in zip(*side)] for side in zip(*pairs))
    ratios = sorted(limited[0] / plain[0] for plain, limited in pairs)
    print(f"| {kind} | {plain:,.0f} | {limited:,.0f} | {statistics.median(ratios):.2f} ({ratios[0]:.2f}–{ratios[-1]:.2f}) "
          f"| {spent:.0f}, {more:.0f} | {spent / more:.2f} |", flush=True)

print("\n| Waiting jobs | 2,000 others run in, s | memory, MB |\n|---|---|---|")
waiting = 0
ask("POST", "/v1/queues/long:pause")
ask("PUT", "/v1/queues/short", {"concurrency": 50})
for level in levels:
    fill("long", level - waiting)
    waiting = level
    begin = time.monotonic()
    fill("short", 2_000)
    while ask("GET", "/v1/jobs?queue=short&state=queued,running&page_size=1")["items"]:
        time.sleep(0.01)
    print(f"| {level:,} | {time.monotonic() - begin:.2f} | {megabytes():.0f} |", flush=True)
