"""A server under test: as it is, under callgrind, or with its copies counted."""
import glob
import mmap
import os
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import time

from processes import end

#: What each flag needs to be known for, since older programs do not have all of them.
FLAGS = {"--egress-allow": "127.0.0.0/8", "--http-loops": "1", "--check": "never", "--log-level": "warning",
         "--public-url": "http://127.0.0.1:9/"}
COUNTS = ["allocations", "bytes allocated", "copies", "bytes copied", "bytes written to files", "bytes sent"]


class Server:
    """One process with an empty store."""

    def __init__(self, binary, folder, store=None, before=(), environment=None):
        self.folder = tempfile.mkdtemp(prefix="server.", dir=folder)
        words = [*before, binary, "serve", "--port", "0", "--port-file", f"{self.folder}/port", "--data", f"{self.folder}/data"]
        known = subprocess.run([binary, "serve", "--help", "all"], capture_output=True, text=True).stdout
        for flag, value in FLAGS.items():
            if f"{flag} " in known:
                words += [flag, value]
        if store:
            words += ["--store", store, "--schema", f"s{os.path.basename(self.folder).split('.')[1].lower()}"]
            if "--artifacts " in known:
                os.mkdir(f"{self.folder}/artifacts")
                words += ["--artifacts", f"{self.folder}/artifacts"]
        # Hashing without a seed: otherwise the number of collisions differs from run to run.
        environment = {**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1", **(environment or {})}
        self.log = open(f"{self.folder}/log", "wb")
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=environment)
        deadline = time.monotonic() + 120
        while not self.port_text():
            if self.process.poll() is not None or time.monotonic() > deadline:
                with open(f"{self.folder}/log", errors="replace") as log:
                    raise SystemExit(f"FAILED: the server did not start: {log.read()[-1500:]}")
            time.sleep(0.02)
        self.port = int(self.port_text())

    def port_text(self):
        try:
            with open(f"{self.folder}/port") as file:
                return file.read().strip()
        except FileNotFoundError:
            return ""

    def stop(self):
        if self.process.poll() is None:
            end(self.process)
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Callgrind:
    """A server under callgrind, whose counts of a moment are those since the last one."""

    def __init__(self, binary, folder, store=None):
        self.profiles = tempfile.mkdtemp(prefix="profiles.", dir=folder)
        self.server = Server(binary, folder, store, before=(
            "valgrind", "--tool=callgrind", "--separate-threads=yes", "--fair-sched=yes",
            f"--callgrind-out-file={self.profiles}/out"))
        self.dumps = 0

    def begin(self):
        self.control("-z")

    def end(self):
        """The files with the profiles of the threads since `begin`."""
        self.control("--dump")
        self.dumps += 1
        return sorted(glob.glob(f"{self.profiles}/out.{self.dumps}-*"))

    def control(self, word):
        done = subprocess.run(["callgrind_control", word, str(self.server.process.pid)], capture_output=True, text=True)
        if done.returncode or "ERROR" in done.stderr.upper():
            raise SystemExit(f"FAILED: callgrind_control {word}: {done.stdout}{done.stderr}")

    def stop(self):
        self.server.stop()
        shutil.rmtree(self.profiles, ignore_errors=True)


class Counted:
    """A server with a library before the C library that counts allocations, copies and writes."""

    def __init__(self, binary, library, folder, store=None):
        self.file = open(f"{folder}/counts", "w+b")
        self.file.truncate(8 * len(COUNTS))
        self.server = Server(binary, folder, store, environment={"LD_PRELOAD": library, "COSTS_COUNTS": self.file.name})
        self.memory = mmap.mmap(self.file.fileno(), 8 * len(COUNTS))

    def numbers(self):
        return dict(zip(COUNTS, struct.unpack(f"={len(COUNTS)}Q", self.memory[:])))

    def stop(self):
        self.server.stop()
        self.memory.close()
        self.file.close()


def system_calls(process, act):
    """The number of system calls of a process, all its threads together, while something is done."""
    with tempfile.NamedTemporaryFile(mode="r") as out:
        trace = subprocess.Popen(["strace", "-f", "-c", "-o", out.name, "-p", str(process.pid)], stderr=subprocess.PIPE, text=True)
        threads = len(os.listdir(f"/proc/{process.pid}/task"))
        # "strace: Process 17 attached with 9 threads"
        first = trace.stderr.readline()
        if "attached" not in first:
            raise SystemExit(f"FAILED: strace cannot follow the server: {first}")
        time.sleep(0.02 * threads)
        act()
        trace.send_signal(signal.SIGINT)
        trace.communicate()
        total = re.search(r"^\s*100\.00\s+\S+\s+\S*\s+(\d+)\s.*total$", out.read(), re.MULTILINE)
    return int(total.group(1))
