"""Runs a framework's worker, or submits jobs to it and waits for their end.

usage: drive.py NAME worker
       drive.py NAME prepare
       drive.py NAME submit FIRST COUNT      prints the jobs that were done, and the seconds that took
"""
import asyncio
import concurrent.futures
import importlib
import inspect
import itertools
import json
import os
import struct
import sys
import time

import jobs

CLIENTS, PATIENCE_SECONDS = 16, 120


async def submit_async(module, numbers):
    client = await module.connect()
    shared = iter(numbers)

    async def one_after_the_other():
        for number in shared:
            await module.submit(client, number)

    await asyncio.gather(*[one_after_the_other() for _ in range(CLIENTS)])


def submit_threads(module, numbers):
    client = module.connect()
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        for _ in pool.map(lambda number: module.submit(client, number), numbers):
            pass


def wait(first, count):
    """The end of the last job, in nanoseconds; waits until there is one for each."""
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        times = struct.unpack_from(f"<{count}q", jobs.places(), first * 8)
        if all(times) or time.monotonic() > end:
            return sum(1 for value in times if value), max(times)
        time.sleep(0.01)


def submit(module, first, count):
    numbers = itertools.islice(itertools.count(first), count)
    began = time.time_ns()
    if inspect.iscoroutinefunction(module.submit):
        asyncio.run(submit_async(module, numbers))
    else:
        submit_threads(module, numbers)
    submitted = time.time_ns()
    done, last = wait(first, count)
    print(json.dumps({"done": done, "seconds": (last - began) / 1e9, "submit_seconds": (submitted - began) / 1e9}), flush=True)


def main():
    module = importlib.import_module(sys.argv[1] + "_jobs")
    if sys.argv[2] == "worker":
        module.worker()
    elif sys.argv[2] == "prepare":
        getattr(module, "prepare", lambda: None)()
    else:
        submit(module, int(sys.argv[3]), int(sys.argv[4]))
        os._exit(0)  # clients with threads of their own would hold it up


main()
