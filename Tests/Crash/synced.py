"""Proves from the system calls of the server that every acknowledged job was on disk before its client was told.

usage: synced.py BINARY JOBS SEED

For each acknowledgement: its job's own bytes were written to the log of the store, a sync of that file began after
this write and ended well before the answer was handed to the socket. That the proof can fail is shown first, with a
server that does not sync.
"""
import os
import shutil
import sys
import tempfile
import time

from evidence import Evidence
from load import Load
from serving import Server
from tracefile import OPTIONS, wait_complete
from workload import Workload

CONTROL_JOBS = 60
MIX = {"value": 4, "delayed": 1, "waited": 3}


def acknowledgements(binary, folder, jobs, seed, sync):
    """The jobs that a traced server acknowledged, and the trace."""
    trace = f"{folder}/trace"
    server = Server(binary, folder, ("--sync", sync), ("strace", *OPTIONS, "-o", trace))
    workload = Workload(seed, 0, MIX, batch_share=0.1)
    load = Load(workload)
    try:
        server.start()
        load.open(server.port)
        deadline = time.monotonic() + 30 + jobs / 50
        while load.acknowledged < jobs:
            load.turn(0.01)
            server.check_alive()
            if time.monotonic() > deadline or load.failures:
                sys.exit(f"FAILED: {load.acknowledged} of {jobs} jobs acknowledged; {load.failures[:3]}")
    finally:
        server.clean_up()
    load.close()
    wait_complete(trace, server.process.pid)
    return [job for job in workload.jobs if job.id], Evidence(trace, seed)


def check(binary, folder, jobs, seed, sync):
    """Which acknowledgements were not honest."""
    folder += f"/{sync}"
    os.mkdir(folder)
    acknowledged, evidence = acknowledgements(binary, folder, jobs, seed, sync)
    bad = [(job, complaint) for job in acknowledged if (complaint := evidence.complaint(job.number, job.id))]
    print(f"--sync {sync}: {len(acknowledged)} acknowledgements checked, {len(evidence.syncs)} syncs, "
          f"{evidence.writes} writes to the log, {len(bad)} violations", flush=True)
    return bad


def main():
    binary, jobs, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    folder = tempfile.mkdtemp(prefix="jobserver-synced-")
    if not check(binary, folder, CONTROL_JOBS, seed, "normal"):
        sys.exit(f"FAILED: a server that does not sync was not found out; everything is kept in {folder}")
    bad = check(binary, folder, jobs, seed, "full")
    for job, complaint in bad[:20]:
        print(f"FAILED: {job} was acknowledged, but {complaint}")
    if bad:
        sys.exit(f"FAILED: SEED={seed}; everything is kept in {folder}")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
