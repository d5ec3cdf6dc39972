import redis
import rq

import jobs


def connect():
    return rq.Queue("jobs", connection=redis.Redis(port=jobs.PORT, max_connections=200))


def submit(queue, number):
    queue.enqueue(jobs.call, number, jobs.PAD, result_ttl=3600)


def worker():
    """Without a process for each job, which would be slower still."""
    queue = connect()
    rq.SimpleWorker([queue], connection=queue.connection).work(logging_level="ERROR")
