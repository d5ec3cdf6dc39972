"""Has jobs with exclusive keys run on three servers, of which one is killed again and again, and counts at their upstream
how many hold a key at one time.

usage: keys.py BINARY KILLS SEED LEASE
"""
import http.client
import os
import random
import sys
import time

import parts  # noqa: F401
from asking import Client, Upstream, neighbours

COUNT, KEYS, JOBS_PER_KILL = 3, 4, 40
FINAL_WITHIN = 120


def submit(servers, upstream, dice, count, conditions):
    """Jobs with keys, at all servers; a submission without an answer is sent again."""
    ids = []
    for number in range(count):
        key = f"k{dice.randrange(KEYS)}"
        spec = upstream.call(dice.randrange(5, 40), key)
        spec["conditions"] = conditions(key)
        spec["name"] = f"job-{number}"
        while True:
            try:
                ids.append(Client(dice.choice(servers)).ask("POST", "/v1/jobs", spec, {
                    "Idempotency-Key": f"{count}-{time.monotonic_ns()}"})["id"])
                break
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)
    return ids


def kill_one(servers, dice):
    server = dice.choice(servers)
    server.kill()
    time.sleep(dice.uniform(0, 1))
    server.start()


def unfinished(servers, ids):
    states = (Client(servers[0]).ask("GET", f"/v1/jobs/{id}")["state"] for id in ids)
    return [(id, state) for id, state in zip(ids, states) if state != "succeeded"]


def run(servers, upstream, kills, dice):
    for server in servers:
        server.start()
    # That two at one time are found is shown first, by jobs without keys.
    ids = submit(servers, upstream, dice, JOBS_PER_KILL, lambda key: [])
    while unfinished(servers, ids):
        time.sleep(0.05)
    if upstream.most < 2:
        return ["CONTROL: no two jobs without keys ran at one time"]
    print(f"control: without keys {upstream.most} jobs ran at one time", flush=True)
    upstream.most, upstream.count, ids = 0, 0, []
    for _ in range(kills):
        ids += submit(servers, upstream, dice, JOBS_PER_KILL, lambda key: [{"type": "lock", "key": key}])
        time.sleep(dice.uniform(0, 0.5))
        kill_one(servers, dice)
    deadline = time.monotonic() + FINAL_WITHIN
    while (left := unfinished(servers, ids)) and time.monotonic() < deadline:
        time.sleep(0.5)
    print(f"{kills} servers killed, {len(ids)} jobs with {KEYS} keys made {upstream.count} calls; at most {upstream.most} at "
          f"one time held a key")
    failures = [f"STUCK: {id} is {state}" for id, state in left]
    if upstream.most != 1:
        failures.append(f"TWICE: {upstream.most} jobs held a key at one time")
    return failures


def main():
    binary, kills, seed, lease = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    with neighbours(binary, COUNT, "keys", "--lease", f"{lease}s") as servers:
        failures = run(servers, Upstream(), kills, random.Random(seed))
        for failure in failures[:20]:
            print("FAILED:", failure)
        if failures:
            sys.exit(f"FAILED: SEED={seed}; everything is kept in {os.path.dirname(servers[0].folder)}")


if __name__ == "__main__":
    main()
