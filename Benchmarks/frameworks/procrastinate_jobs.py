import asyncio

import procrastinate

import jobs

app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=jobs.ADDRESS, min_size=4, max_size=64))


@app.task(name="call")
async def call(number, pad):
    return await jobs.call_async(number)


def prepare():
    async def run():
        async with app.open_async():
            await app.schema_manager.apply_schema_async()
    asyncio.run(run())


async def connect():
    await app.open_async()
    return call


async def submit(task, number):
    await task.defer_async(number=number, pad=jobs.PAD)


def worker():
    async def run():
        async with app.open_async():
            await app.run_worker_async(concurrency=32)
    asyncio.run(run())
