import threading

from dbos import DBOS, DBOSClient, run_dbos_database_migrations

import jobs


def prepare():
    run_dbos_database_migrations(system_database_url=jobs.ADDRESS)


def connect():
    return DBOSClient(system_database_url=jobs.ADDRESS)


def submit(client, number):
    client.enqueue({"workflow_name": "call", "queue_name": "jobs"}, number, jobs.PAD)


def worker():
    DBOS(config={"name": "bench", "system_database_url": jobs.ADDRESS, "run_admin_server": False, "log_level": "ERROR",
                 "sys_db_pool_size": 20})

    @DBOS.workflow(name="call")
    def call(number, pad):
        return jobs.call(number)

    DBOS.launch()
    DBOS.register_queue("jobs", worker_concurrency=50, polling_interval_sec=0.02)
    threading.Event().wait()
