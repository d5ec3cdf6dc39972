import asyncio

from arq import create_pool
from arq.connections import RedisSettings
from arq.worker import Worker, func

import jobs

SETTINGS = RedisSettings(port=jobs.PORT)


async def connect():
    return await create_pool(SETTINGS)


async def submit(pool, number):
    await pool.enqueue_job("call", number, jobs.PAD)


async def call(context, number, pad):
    return await jobs.call_async(number)


def worker():
    asyncio.set_event_loop(asyncio.new_event_loop())
    Worker(functions=[func(call, name="call")], redis_settings=SETTINGS, max_jobs=200, poll_delay=0.01,
           keep_result=3600).run()
