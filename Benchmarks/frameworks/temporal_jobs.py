import asyncio
import datetime
import os

from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

import jobs


@activity.defn(name="get")
async def get(number: int) -> str:
    return await jobs.call_async(number)


@workflow.defn(name="Call")
class Call:
    @workflow.run
    async def run(self, number: int, pad: str) -> str:
        return await workflow.execute_activity("get", number, start_to_close_timeout=datetime.timedelta(seconds=30))


async def connect():
    return await Client.connect(f"127.0.0.1:{jobs.PORT}")


async def submit(client, number):
    await client.start_workflow("Call", args=[number, jobs.PAD], id=f"job-{os.getpid()}-{number}", task_queue="jobs")


def worker():
    async def run():
        await Worker(await connect(), task_queue="jobs", workflows=[Call], activities=[get],
                     workflow_runner=UnsandboxedWorkflowRunner(), max_concurrent_workflow_tasks=200,
                     max_concurrent_activities=200).run()
    asyncio.run(run())
