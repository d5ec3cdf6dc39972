"""Shared by all frameworks: the job itself, and the record of its end.

A job has a number. When it ends it writes the time into its place of a file that the driver has mapped too, so that
finding out when all are done costs the framework nothing.
"""
import asyncio
import http.client
import mmap
import os
import struct
import threading
import time

PORT = int(os.environ.get("BENCH_PORT", "0"))
ADDRESS = os.environ.get("BENCH_ADDRESS", "")
TARGET = int(os.environ.get("BENCH_TARGET", "0"))
#: Makes the arguments of a job as long as the jobs of the other peers.
PAD = "x" * 240
_local = threading.local()
_sessions = {}
_places = None


def places():
    global _places
    if _places is None:
        with open(os.environ["BENCH_PLACES"], "r+b") as file:
            _places = mmap.mmap(file.fileno(), 0)
    return _places


def ended(number):
    struct.pack_into("<q", places(), number * 8, time.time_ns())


def call(number, pad=""):
    """The job for workers with threads: an HTTP call over a kept connection."""
    connection = getattr(_local, "connection", None)
    if connection is None:
        connection = _local.connection = http.client.HTTPConnection("127.0.0.1", TARGET)
    connection.request("GET", "/job.json")
    text = connection.getresponse().read().decode()
    ended(number)
    return text


async def call_async(number, pad=""):
    """The same for workers with an event loop."""
    import aiohttp
    loop = asyncio.get_running_loop()
    if loop not in _sessions:
        _sessions[loop] = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
    async with _sessions[loop].get(f"http://127.0.0.1:{TARGET}/job.json") as answer:
        text = await answer.text()
    ended(number)
    return text
