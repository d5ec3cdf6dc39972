"""Cuts the power at hundreds of points of one run, and checks that every acknowledged job is on the disk.

usage: powercut.py BINARY CUTS SEED

The system calls of the server are recorded while jobs are submitted and checkpoints happen. For a moment of the run
the files are made as a disk might hold them: everything that was synced, and of the rest some sectors and others not.
In a second run some syncs fail, and what they were to bring to the disk is gone unless it is written again. That a
loss is found is shown first, with a server that does not sync.
"""
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import time

from disk import Disk
from load import Load
from serving import Server
from storecopy import has_tables, tally
from tracefile import OPTIONS, wait_complete
from workload import Workload

JOBS, CHECKPOINTS = 450, 3
CONTROL_CUTS = 40
STARTS = 5
# The three servers: their flag, and the faults that strace injects, none of them while a new store is made.
RUNS = {"without sync": ("normal", ()), "with sync": ("full", ()),
        "with syncs that fail": ("full", ("-e", "inject=fdatasync:error=EIO:when=60+9"))}
MIX = {"value": 4, "delayed": 1, "cancelled": 1}


def record(binary, folder, seed, sync, injection):
    """Runs the server with some checkpoints, and returns its disk operations and its jobs."""
    server = Server(binary, folder, ("--sync", sync), ("strace", *OPTIONS, *injection, "-o", f"{folder}/trace"))
    workload = Workload(seed, 0, MIX)
    load = Load(workload)
    try:
        server.start()
        load.open(server.port)
        for part in range(1, CHECKPOINTS + 1):
            load.is_submitting = True
            turn_until(load, server, lambda: load.acknowledged >= part * JOBS, 60)
            load.is_submitting = False
            before = os.stat(f"{server.data}/jobs.db").st_mtime_ns
            turn_until(load, server, lambda: os.stat(f"{server.data}/jobs.db").st_mtime_ns != before, 3)
        load.is_submitting = True
        turn_until(load, server, lambda: load.acknowledged >= (CHECKPOINTS + 0.5) * JOBS, 60)
    finally:
        server.clean_up()
    load.close()
    wait_complete(f"{folder}/trace", server.process.pid)
    return Disk(f"{folder}/trace"), workload


def turn_until(load, server, is_over, seconds):
    deadline = time.monotonic() + seconds
    while not is_over() and time.monotonic() < deadline:
        load.turn(0.01)
        server.check_alive()


def moments(disk, count, dice):
    """Half of them right after an acknowledgement, the others anywhere."""
    told = sorted(disk.told.values())
    return [dice.choice(told) + 1 if number % 2 else dice.randrange(disk.end) for number in range(count)]


def complaints(data, jobs, told):
    """The jobs missing from a store after a power cut. `jobs` are all possible ones, by id."""
    connection = sqlite3.connect(f"{data}/jobs.db")
    try:
        if not has_tables(connection):
            return [f"{len(told)} acknowledged jobs and no store"] if told else []
        words = [row[0] for row in connection.execute("PRAGMA integrity_check")]
        found = [] if words == ["ok"] else [f"integrity_check says {words[:3]}"]
        stored = {name for name, in connection.execute("SELECT name FROM job")}
        lost = [jobs[job].name for job in told if job in jobs and jobs[job].name not in stored]
        if lost:
            found.append(f"{len(lost)} of {len(told)} acknowledged jobs are lost, such as {lost[:3]}")
        counted = dict(connection.execute("SELECT state, count(*) FROM job GROUP BY state"))
        stated = tally(connection)
        return found if counted == stated else [*found, f"{counted} jobs by state, {stated} counted"]
    except sqlite3.DatabaseError as error:
        return [f"the store cannot be read: {error}"]
    finally:
        connection.close()


def start_on(binary, folder, workload, told):
    """Starts the server on the content of the disk; every acknowledged job must end correctly."""
    server, load = Server(binary, folder), Load(workload)
    load.is_submitting = False
    try:
        server.start()
        for job in workload.jobs:
            if job.id in told and job.kind != "cancelled":
                job.seen = None
                load.read_later(job, 0)
        load.open(server.port)
        turn_until(load, server, lambda: not load.to_read and not any(l.asked for l in load.lanes.values()), 30)
        return load.failures + [f"STUCK: {job}" for _, _, job in load.to_read]
    finally:
        server.clean_up()


def check(binary, folder, cuts, seed, run):
    """The number of images, and the violations of each."""
    sync, injection = RUNS[run]
    folder += f"/{run.replace(' ', '-')}"
    os.mkdir(folder)
    disk, workload = record(binary, folder, seed, sync, injection)
    jobs, dice, bad = {job.id: job for job in workload.jobs if job.id}, random.Random(seed), []
    for number, moment in enumerate(moments(disk, cuts, dice)):
        place, told = f"{folder}/cut-{number}", disk.told_before(moment)
        os.makedirs(f"{place}/data", mode=0o700)
        disk.write(moment, dice, f"{place}/data")
        shutil.copytree(f"{place}/data", f"{place}/copy")
        failures = complaints(f"{place}/copy", jobs, told)
        if sync == "full" and number % max(1, cuts // STARTS) == 1:
            failures += start_on(binary, place, workload, told)
        bad += [f"cut {number}, at event {moment}: {failure}" for failure in failures]
        if not failures or sync != "full":
            shutil.rmtree(place)
    files = disk.files.values()
    print(f"{run}: {cuts} power cuts in a run of {sum(len(file.changes) for file in files)} writes, "
          f"{sum(file.syncs for file in files)} syncs, {sum(file.failed_syncs for file in files)} failed syncs and "
          f"{len(disk.told)} acknowledged jobs, {len(bad)} violations", flush=True)
    return bad


def main():
    binary, cuts, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    folder = tempfile.mkdtemp(prefix="jobserver-powercut-")
    if not check(binary, folder, CONTROL_CUTS, seed, "without sync"):
        sys.exit(f"FAILED: a server that does not sync was not found out; everything is kept in {folder}")
    bad = check(binary, folder, cuts, seed, "with sync") + check(binary, folder, cuts, seed, "with syncs that fail")
    for failure in bad[:20]:
        print("FAILED:", failure)
    if bad:
        sys.exit(f"FAILED: SEED={seed}; everything is kept in {folder}")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
