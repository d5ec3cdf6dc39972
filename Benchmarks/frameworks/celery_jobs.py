from celery import Celery

import jobs

app = Celery("jobs", broker=f"redis://127.0.0.1:{jobs.PORT}/0", backend=f"redis://127.0.0.1:{jobs.PORT}/1")
app.conf.update(worker_prefetch_multiplier=64, task_acks_late=True, broker_pool_limit=64, result_expires=3600,
                worker_hijack_root_logger=False, broker_transport_options={"visibility_timeout": 86400},
                broker_connection_retry_on_startup=True)
task = app.task(name="call")(jobs.call)


def connect():
    return task


def submit(client, number):
    client.apply_async((number, jobs.PAD))


def worker():
    app.worker_main(["worker", "-l", "ERROR", "-P", "threads", "-c", "8", "--without-gossip", "--without-mingle",
                     "--without-heartbeat"])
