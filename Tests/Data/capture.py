"""Makes a store in SQLite and one in PostgreSQL with jobs and settings, kills their servers, and keeps the stores as
`jobs-shape-N.db.gz` and `jobs-shape-N.sql.gz`, N being the number of their schema.

usage: capture.py BINARY FOLDER
"""
import gzip
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", folder) for folder in ("Scale", "Crash")]
from postgres import Postgres  # noqa: E402
from serving import Server  # noqa: E402

SCHEMA = "released"
# By the names that the tests ask for.
JOBS = [
    {"name": "done", "type": "value", "value": {"n": 1}, "queue": "own", "labels": {"of": "test"}},
    {"name": "waits", "type": "await", "signal": "go"},
    {"name": "half", "type": "group", "operations": [
        {"name": "a", "type": "await", "signal": "on"}, {"name": "b", "type": "value", "value": 2, "after": ["a"]}]},
    {"name": "running", "type": "group", "operations": [
        {"name": "a", "type": "delay", "for": "1500ms"}, {"name": "b", "type": "value", "value": 2, "after": ["a"]}]},
    {"name": "failed", "type": "network", "request": "http://127.0.0.1:1/", "retry": {"max_attempts": 1}},
]
KEPT = {"retention": {"succeeded": "3660d", "failed": "3660d"}}
SETTINGS = [
    ("PUT", "/v1/queues/own", {"concurrency": 3}),
    ("PUT", "/v1/templates/greeting", {"operation": {"type": "value", "value": "hello"}}),
    ("PUT", "/v1/schedules/nightly?paused=true", {"cron": "0 3 * * *", "tz": "Europe/Berlin", "template": "greeting"}),
    ("PUT", "/v1/hosts/api.example.com/limits", {"concurrency": 2}),
]


def send(server, method, path, body):
    request = urllib.request.Request(
        server.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def fill(server):
    """Everything that a later version has to find, and then the kill."""
    server.start()
    for setting in SETTINGS:
        send(server, *setting)
    ids = [send(server, "POST", "/v1/jobs", {**job, **KEPT})["id"] for job in JOBS]
    deadline = time.monotonic() + 10
    while send_get(server, ids[-1])["state"] != "failed" or send_get(server, ids[2])["state"] != "waiting":
        if time.monotonic() > deadline:
            raise SystemExit("FAILED: the jobs are not where they should be")
        time.sleep(0.05)
    server.kill()


def send_get(server, id):
    with urllib.request.urlopen(f"{server.url}/v1/jobs/{id}", timeout=30) as answer:
        return json.load(answer)


def keep(content, path):
    with open(path, "wb") as file, gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0) as packed:
        packed.write(content)
    print(f"{path}: {os.path.getsize(path)} bytes")


def capture_sqlite(binary, folder, target):
    server = Server(binary, f"{folder}/a")
    try:
        fill(server)
    finally:
        server.clean_up()
    path, copy = f"{folder}/a/data/jobs.db", f"{folder}/copy.db"
    store = sqlite3.connect(path)
    store.execute("VACUUM INTO ?", (copy,))
    number = store.execute("PRAGMA user_version").fetchone()[0]
    store.close()
    with open(copy, "rb") as file:
        keep(file.read(), f"{target}/jobs-shape-{number}.db.gz")


def capture_postgres(binary, folder, target):
    database = Postgres(("fsync=off",))
    try:
        database.start()
        server = Server(binary, f"{folder}/b", (
            "--store", database.address, "--schema", SCHEMA,
            "--artifacts", f"{folder}/b/artifacts"))
        try:
            fill(server)
        finally:
            server.clean_up()
        number = database.ask(f"SELECT format FROM {SCHEMA}.meta")[0][0]
        dump = subprocess.run(
            [f"{database.programs}/pg_dump", "--dbname", database.address, "--schema", SCHEMA, "--no-owner",
             "--no-privileges", "--inserts"], capture_output=True, check=True).stdout
        # Commands that older versions of psql do not know.
        lines = [line for line in dump.splitlines(keepends=True) if not line.startswith((b"\\restrict", b"\\unrestrict"))]
        keep(b"".join(lines), f"{target}/jobs-shape-{number}.sql.gz")
    finally:
        database.clean_up()


def main():
    binary, target = sys.argv[1:]
    folder = tempfile.mkdtemp(prefix="jobserver-capture-")
    try:
        for part in "ab":
            os.mkdir(f"{folder}/{part}")
        capture_sqlite(binary, folder, target)
        capture_postgres(binary, folder, target)
    finally:
        shutil.rmtree(folder)


main()
