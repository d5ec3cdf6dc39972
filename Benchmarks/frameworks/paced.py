"""Procrastinate at a fixed rate: each job tells a sink when it was planned.

usage: paced.py worker
       paced.py submit SINK_PORT RATE SECONDS      prints how many were sent
"""
import asyncio
import json
import sys
import time

import jobs
from procrastinate_jobs import app

CLIENTS = 32
_session = None


@app.task(name="paced")
async def paced(port, due, pad):
    import aiohttp
    global _session
    if _session is None:
        _session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
    async with _session.get(f"http://127.0.0.1:{port}/?due={due}") as answer:
        return await answer.text()


async def submit(port, rate, seconds):
    started, planned, sent = time.time(), 0, 0
    count = int(rate * seconds)

    async def client():
        nonlocal planned, sent
        while planned < count:
            due = started + planned / rate
            planned += 1
            await asyncio.sleep(max(0, due - time.time()))
            if time.time() > started + seconds:
                return
            await paced.defer_async(port=port, due=str(int(due * 1e9)), pad=jobs.PAD)
            sent += 1

    async with app.open_async():
        await asyncio.gather(*[client() for _ in range(CLIENTS)])
    print(json.dumps({"done": sent}), flush=True)


async def work():
    async with app.open_async():
        await app.run_worker_async(concurrency=32)


if sys.argv[1] == "worker":
    asyncio.run(work())
else:
    asyncio.run(submit(int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])))
