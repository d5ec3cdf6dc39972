import asyncio

from saq import Queue, Worker

import jobs


async def connect():
    queue = Queue.from_url(f"redis://127.0.0.1:{jobs.PORT}/0", name="jobs")
    await queue.connect()
    return queue


async def submit(queue, number):
    await queue.enqueue("call", number=number, pad=jobs.PAD, timeout=0, ttl=3600)


async def call(context, *, number, pad):
    return await jobs.call_async(number)


def worker():
    async def run():
        await Worker(await connect(), [("call", call)], concurrency=50).start()
    asyncio.run(run())
