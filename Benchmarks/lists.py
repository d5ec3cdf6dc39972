"""Times the pages of lists over many jobs, and those of one large job.

usage: lists.py URL FINISHED UNFINISHED MAP
"""
import http.client
import json
import multiprocessing
import os
import statistics
import sys
import time
import urllib.parse

url, finished, unfinished, members = sys.argv[1], *map(int, sys.argv[2:5])
address = urllib.parse.urlparse(url).netloc
LIST_MS, JOB_MS, STATS_MS = 10, 30, 20
late = []


class Client:
    def __init__(self):
        self.connection = http.client.HTTPConnection(address, timeout=120)

    def ask(self, method, path, body=None):
        self.connection.request(method, path, body and json.dumps(body), {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        content = json.loads(answer.read())
        if answer.status >= 400:
            sys.exit(f"{method} {path}: {answer.status} {content}")
        return content

    def timed(self, path, times=9):
        """The median time of a page in milliseconds, and the page."""
        spent = []
        for _ in range(times):
            start = time.perf_counter()
            page = self.ask("GET", path)
            spent.append((time.perf_counter() - start) * 1e3)
        return statistics.median(spent), page


client = Client()


def batch(specs):
    for start in range(0, len(specs), 500):
        client.ask("POST", "/v1/jobs:batch", specs[start:start + 500])


def names(number):
    """One of three names and four queues, of which one is rare; a label for all, one for few."""
    rare = number % 10_000 == 7
    return {"name": "rare" if rare else ["order", "report", "mail"][number % 3],
            "queue": "seldom" if rare else ["default", "bulk"][number % 2],
            **({"queue_key": f"c{number % 5000}"} if number % 4 == 0 else {}),
            "labels": {"team": ["red", "blue"][number % 2], "customer": f"c{number % 5000}"}}


def fill():
    start = time.monotonic()
    done = 0
    while done < finished:
        count = min(10_000, finished - done)
        batch([{"type": "value", "value": n, **names(n)} if n % 20 else
               {"type": "group", **names(n), "operations": [
                   {"type": "value", "name": "a", "value": n},
                   {"type": "value", "name": "b", "value": {"$get": "a", "at": "/body/none"}}]}
               for n in range(done, done + count)])
        done += count
        while sum(state_counts().get(s, 0) for s in ("succeeded", "failed")) < done:
            time.sleep(0.05)
    kinds = [lambda n: {"type": "delay", "for": "9h"}, lambda n: {"type": "await", "signal": "go"},
             lambda n: {"type": "value", "value": 1, "run_at": "8h"},
             lambda n: {"type": "value", "value": 1, "unique": {"key": "one", "on_conflict": "wait"}, "run_at": "8h"}]
    batch([{**kinds[n % 3](n), **names(n)} for n in range(unfinished)])
    while state_counts().get("queued", 0) + state_counts().get("running", 0):
        time.sleep(0.1)
    print(f"{finished:,} finished and {unfinished:,} unfinished jobs in {time.monotonic() - start:.0f} s")


def state_counts():
    client.connection.request("GET", "/metrics")
    text = client.connection.getresponse().read().decode()
    return {line.split('"')[1]: int(float(line.split()[-1])) for line in text.splitlines()
            if line.startswith("jobserver_jobs{")}


def show(name, path, most):
    """The first page, and one after every 20th of the rest, as far as there are pages; the longest counts."""
    first, page = client.timed(path)
    deep, pages, size = 0, 1, len(page.get("items", page.get("operations", [])))
    while "next_page_token" in page and pages < 200:
        step = path + ("&" if "?" in path else "?") + "page_token=" + page["next_page_token"]
        if pages % 20 in (1, 19):
            spent, page = client.timed(step, 5)
            deep = max(deep, spent)
        else:
            page = client.ask("GET", step)
        pages += 1
    if max(first, deep) > most:
        late.append(name)
    print(f"| {name} | {size} | {first:.1f} | {pages} | {deep:.1f} |", flush=True)


FILTERS = [
    "", "order_by=created_at", "page_size=500",
    *(f"state={s}" for s in ("pending", "scheduled", "queued", "running", "waiting", "retrying", "held",
                             "cancelling", "succeeded", "failed", "cancelled", "expired", "skipped")),
    "state=failed,cancelled,expired", "state=queued,running,waiting,scheduled",
    "name=order", "name=rare", "name=none", "queue=default", "queue=seldom", "queue=none", "type=value",
    "type=group", "type=delay", "type=network", "label.team=red", "label.customer=c7", "label.team=none",
    "created_from=2020-01-01T00:00:00Z", "created_to=2020-01-01T00:00:00Z",
    "finished_from=2020-01-01T00:00:00Z", "finished_to=2020-01-01T00:00:00Z",
    "finished_from=2020-01-01T00:00:00Z&state=failed", "finished_from=2020-01-01T00:00:00Z&name=rare",
    "state=failed&name=rare", "state=failed&name=order", "state=waiting&name=order", "state=waiting&queue=seldom",
    "state=succeeded&queue=bulk", "state=scheduled&type=value", "state=running&type=value",
    "state=failed&label.team=red", "state=failed&label.customer=c7", "state=waiting&label.team=blue",
    "name=rare&queue=bulk", "name=order&type=group", "queue=bulk&type=group", "name=order&label.team=red",
    "label.team=red&label.customer=c7", "state=failed&created_from=2020-01-01T00:00:00Z",
    "name=order&created_to=2030-01-01T00:00:00Z",
    "host=", "host=api.example.com", "status=500", "method=POST&state=failed", "queue_key=c7", "queue_key=none", "error.code=reference.missing", "error.code=none", "schedule=none", "name_prefix=or",
    "name_prefix=x", "id_prefix=job_0", "id_prefix=job_7zz", "state=waiting&queue_key=c7",
    *(f"waiting_on.kind={kind}" for kind in ("time", "signal", "approval", "condition", "lock", "origin", "hold",
                                             "unique", "queue")),
    "waiting_on.kind=signal&name=order", "waiting_on.kind=signal&queue=seldom", "origin=api.example",
]
COUNTS = ["", "by=state", "by=state,queue", "by=type&state=failed", "by=state&label.team=red", "by=state&queue=bulk",
          "by=queue&waiting_on.kind=signal"]


def statistics_of_ends():
    """The bins have a bound, so the number of jobs is not to matter."""
    day = "from=" + time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 86_000))
    while client.ask("GET", f"/v1/stats?{day}")["total"]["count"] < finished:
        time.sleep(0.2)
    print("\n| Statistics | ends | steps | ms |\n|---|---|---|---|")
    for words in ("", "by=name", f"by=queue&step=minute&{day}", f"by=name&step=hour&{day}"):
        spent, found = client.timed("/v1/stats?" + words)
        report(f"/v1/stats?{words.split('&from')[0]}", spent, found["total"]["count"], len(found["points"]))
    for words in ("", day, f"step=minute&{day}"):
        spent, found = client.timed("/v1/failures?" + words)
        steps = len(found["groups"][0]["counts"]) if found["groups"] else 0
        report(f"/v1/failures?{words.split('from')[0]}", spent, found["count"], steps)


def report(name, spent, count, steps):
    if spent > STATS_MS:
        late.append(name)
    print(f"| `{name}` | {count} | {steps} | {spent:.1f} |", flush=True)


def submissions(seconds):
    """The median and the 99th hundredth of submissions, in milliseconds."""
    spent, end, own = [], time.monotonic() + seconds, Client()
    while time.monotonic() < end:
        start = time.perf_counter()
        own.ask("POST", "/v1/jobs", {"type": "value", "value": 1, "run_at": "9h"})
        spent.append((time.perf_counter() - start) * 1e3)
        time.sleep(0.005)
    return statistics.median(spent), sorted(spent)[len(spent) * 99 // 100]


def large_job():
    job = client.ask("POST", "/v1/jobs", {"type": "group", "name": "all", "map": {
        "items": list(range(members)), "concurrency": 50, "operation": {
            "type": "network", "name": "call", "request": f"{url}/healthz"}}})
    path = f"/v1/jobs/{job['id']}"
    print("\n| Page of a map while it runs | items | first, ms | pages | deep, ms |\n|---|---|---|---|---|")
    while client.ask("GET", f"{path}/events?after=200")["items"] == []:
        time.sleep(0.05)
    for what in ("explain", "operations", "attempts", "events"):
        show(f"`/{what}`", f"{path}/{what}", JOB_MS)
    while not client.ask("GET", path)["done"]:
        time.sleep(0.5)
    print("\n| Page of a map that is over | items | first, ms | pages | deep, ms |\n|---|---|---|---|---|")
    for what in ("explain", "operations", "attempts", "events", f"operations/{members // 2}",
                 f"operations/{members // 2}/result", f"attempts?operation={members // 2}"):
        show(f"`/{what}`", f"{path}/{what}", JOB_MS)
    alone = submissions(5)
    # Processes of their own and at low priority: what reading costs the readers is not the server's.
    readers = [multiprocessing.Process(target=read, args=(path, n), daemon=True) for n in range(8)]
    for reader in readers:
        reader.start()
    beside = submissions(5)
    for reader in readers:
        reader.terminate()
    print(f"\nA submission takes {alone[0]:.1f} ms (p99 {alone[1]:.1f}) alone, {beside[0]:.1f} ms (p99 {beside[1]:.1f}) "
          "beside 8 readers, each a process")


def read(path, number):
    os.nice(19)
    own, what = Client(), ("operations", "attempts", "events", "explain")[number % 4]
    while True:
        page = own.ask("GET", f"{path}/{what}")
        while "next_page_token" in page:
            page = own.ask("GET", f"{path}/{what}?page_token={page['next_page_token']}")


fill()
print("\n| Filter | items | first, ms | pages | deep, ms |\n|---|---|---|---|---|")
for words in FILTERS:
    show(f"`{words}`" if words else "none", "/v1/jobs" + ("?" + words if words else ""),
         LIST_MS * (4 if "page_size" in words else 1))
print("\n| Count | jobs | at least | ms |\n|---|---|---|---|")
for words in COUNTS:
    spent, found = client.timed("/v1/jobs:count" + ("?" + words if words else ""))
    print(f"| `{words or 'all'}` | {found['count']} | {found['lower_bound']} | {spent:.1f} |", flush=True)
statistics_of_ends()
large_job()
if late:
    sys.exit("slower than they may be: " + ", ".join(late))
