"""Submits short jobs and polls each until it is final, over keep-alive connections.

usage: soak.py URL PID SECONDS CONNECTIONS
"""
import http.client
import json
import os
import sys
import threading
import time
import urllib.parse

url, pid, seconds, connections = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
address = urllib.parse.urlparse(url).netloc
end = time.monotonic() + seconds
statuses, lock = {}, threading.Lock()
problems, overloaded, finished = [], 0, 0


def ask(connection, method, path, body=None):
    global overloaded
    connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
    answer = connection.getresponse()
    content = answer.read()
    with lock:
        statuses[answer.status] = statuses.get(answer.status, 0) + 1
        if answer.status == 503 and answer.getheader("Retry-After") and b"/overloaded" in content:
            overloaded += 1
        elif answer.status >= 500:
            problems.append((answer.status, content[:200]))
    return answer, content


def work(number):
    global finished
    connection = http.client.HTTPConnection(address, timeout=30)
    turn = 0
    while time.monotonic() < end:
        turn += 1
        spec = {"type": "delay", "for": f"{(number + turn) % 5 * 20}ms"} if turn % 2 else {"type": "value", "value": turn}
        spec["retention"] = {"succeeded": "2s"}
        answer, content = ask(connection, "POST", "/v1/jobs", json.dumps(spec))
        if answer.status != 202:
            continue
        path, job = answer.getheader("Location"), json.loads(content)
        while not job["done"]:
            answer, content = ask(connection, "GET", path)
            if answer.status != 200:
                break
            job = json.loads(content)
            if not job["done"]:
                time.sleep(0.005)
        with lock:
            finished += 1
    connection.close()


def facts():
    with open(f"/proc/{pid}/status") as status:
        memory = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
    return len(os.listdir(f"/proc/{pid}/fd")), memory / 1024


descriptors_before, _ = facts()
threads = [threading.Thread(target=work, args=(n,)) for n in range(connections)]
for thread in threads:
    thread.start()
samples, started = [], time.monotonic()
print(f"{'second':>6} {'finished':>9} {'descriptors':>11} {'memory MB':>9}", flush=True)
while any(thread.is_alive() for thread in threads):
    time.sleep(min(5, max(0.5, seconds / 12)))
    descriptors, memory = facts()
    samples.append((time.monotonic() - started, descriptors, memory))
    print(f"{samples[-1][0]:6.0f} {finished:9} {descriptors:11} {memory:9.1f}", flush=True)
for thread in threads:
    thread.join()
time.sleep(1)
descriptors_after, memory_after = facts()
early = [m for second, _, m in samples if second >= min(10, seconds / 4)][:1] or [memory_after]
print(f"answers by status: {dict(sorted(statuses.items()))}")
print(f"jobs finished: {finished}, {finished / seconds:.0f} per second")
print(f"descriptors: {descriptors_before} before, {descriptors_after} after")
print(f"memory: {early[0]:.1f} MB after the first seconds, {memory_after:.1f} MB at the end")
bad = []
if problems:
    bad.append(f"{len(problems)} answers with 5xx, the first {problems[0]}")
# A disk that others keep busy for a second makes the server refuse; a server that is slow by itself refuses often.
if overloaded * 100 > sum(statuses.values()):
    bad.append(f"{overloaded} answers said that the server is overloaded")
if descriptors_after > descriptors_before + 2:
    bad.append("descriptors stayed open")
if memory_after > early[0] * 1.25 + 8:
    bad.append("memory grew")
if not finished:
    bad.append("no job finished")
print("FAILED: " + "; ".join(bad) if bad else "ok: no faults, no descriptor left open, memory flat")
sys.exit(1 if bad else 0)
