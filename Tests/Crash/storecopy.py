"""Reads a copy of the database: opening it in place would change its state for the next start.""" 
import collections
import contextlib
import os
import shutil
import sqlite3

from workload import callback_name

# The states in the table `job` (see `JobState.stored`); from 10 on they are final.
FINAL = 10


@contextlib.contextmanager
def copy_of(data, folder):
    """A connection to a copy of the database in the directory `data`, which no process may have open; None if there is none."""
    if not os.path.exists(f"{data}/jobs.db"):
        yield None
        return
    copied = f"{folder}/copy.db"
    for end in ("", "-wal"):
        if os.path.exists(f"{data}/jobs.db{end}"):
            shutil.copyfile(f"{data}/jobs.db{end}", copied + end)
    connection = sqlite3.connect(copied)
    try:
        yield connection
    finally:
        connection.close()
        for end in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.remove(copied + end)


def held(connection):
    """The names of the jobs that a run held: all whose calls may have been in flight."""
    if connection is None or not has_tables(connection):
        return set()
    return set(called(connection, "WHERE owner IS NOT NULL"))


def names(connection):
    """The names of all jobs."""
    if connection is None or not has_tables(connection):
        return set()
    return set(called(connection))


def called(connection, which=""):
    """The names of jobs, without those of schedules and hooks; those that tell of the ends of others are called after these."""
    made = {id for id, in connection.execute("SELECT id FROM label WHERE key IN ('schedule', 'hook')")}
    told = dict(connection.execute("SELECT id, value FROM label WHERE key = 'callback_of'"))
    return [callback_name(told[id]) if id in told else name
            for id, name in connection.execute(f"SELECT id, name FROM job {which}") if id not in made]


def has_tables(connection):
    return connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'job'").fetchone()[0] == 1


def tally(connection):
    """The jobs by state: the stored counts of the older ones, with the younger ones counted."""
    counts = collections.Counter(dict(connection.execute("SELECT state, jobs FROM tally")))
    bound = counts.pop(-1, None)
    if bound is not None:
        counts.update(dict(connection.execute("SELECT state, count(*) FROM job WHERE number > ? GROUP BY state", [bound])))
    return {state: count for state, count in counts.items() if count}


def complaints(connection, wanted, unsure=frozenset()):
    """What is wrong with a store at rest that has exactly the jobs `wanted`, and perhaps `unsure`, all of them final."""
    words = [row[0] for row in connection.execute("PRAGMA integrity_check")]
    found = [] if words == ["ok"] else [f"CORRUPT: integrity_check says {words[:5]}"]
    stored = collections.Counter(called(connection))
    found += [f"TWO JOBS: {count} jobs are called {name}" for name, count in stored.items() if count > 1]
    stored = set(stored)
    found += [f"TWO JOBS: nobody submitted {name}" for name in stored - wanted - unsure]
    found += [f"LOST: {name} is not in the store" for name in wanted - stored]
    counted = dict(connection.execute("SELECT state, count(*) FROM job GROUP BY state"))
    if counted != (stated := tally(connection)):
        found.append(f"CORRUPT: there are {counted} jobs by state, and the store counts {stated}")
    unfinished = sum(count for state, count in counted.items() if state < FINAL)
    if unfinished:
        found.append(f"STUCK: {unfinished} jobs are not final")
    untold = connection.execute("SELECT count(*) FROM callback").fetchone()[0]
    if untold:
        found.append(f"UNREPORTED: {untold} jobs have ended without callbacks")
    for table, column in (("spec", "number"), ("result", "number"), ("idempotency", "number"), ("wake", "number"),
                          ("hold", "number"), ("callback", "number")):
        # A key that outlives its job belongs to number 0.
        orphans = connection.execute(
            f"SELECT count(*) FROM {table} WHERE {column} <> 0 AND {column} NOT IN (SELECT number FROM job)"
        ).fetchone()[0]
        if orphans:
            found.append(f"CORRUPT: {orphans} rows of {table} belong to no job")
    return found
