"""Lets the disk fail under a server that is being submitted to, and looks whether it tells the truth and recovers.

usage: faults.py BINARY SECONDS SEED [NAME...]

Each case is run twice: once the server is killed while the disk fails, once the disk recovers first. On a disk that is
full it is also started. Needs strace, and the right to mount (as root, or in a user namespace of its own).
"""
import contextlib
import http.client
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from serving import ServerFailure
from stay import Stay
from target import Target

RECOVERY_SECONDS = 5
DISK_BYTES = 192 << 20
# The exit code of a server that cannot use its data directory.
NO_STORE = 5


class Injection:
    """System calls of the running server that strace makes fail, until the fault is removed."""

    def __init__(self, calls, error, when="1+"):
        self.rule = ("-e", f"trace={calls}", "-e", f"inject={calls}:error={error}:when={when}")
        self.is_total, self.outlives_server = when == "1+", False
        self.strace = None

    def prepare(self, server):
        pass

    def begin(self, server):
        self.strace = subprocess.Popen(
            ["strace", "-f", "-o", "/dev/null", *self.rule, "-p", str(server.process.pid)], stderr=subprocess.PIPE)
        words = self.strace.stderr.readline()
        if b"attached" not in words:
            raise ServerFailure(f"strace cannot attach: {words.decode()}")

    def end(self, server):
        self.strace.send_signal(signal.SIGINT)
        self.strace.stderr.read()
        self.strace.wait()


class FullDisk:
    """A file that fills the small disk with the data."""

    is_total, outlives_server = False, True

    def prepare(self, server):
        """The disk goes with the mount namespace, in which this program runs alone."""
        os.mkdir(server.data, 0o700)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=700", "none", server.data], check=True)

    def begin(self, server):
        for size in (1 << 20, 4096):
            with open(f"{server.data}/ballast", "ab", buffering=0) as ballast, contextlib.suppress(OSError):
                while True:
                    ballast.write(bytes(size))

    def end(self, server):
        os.remove(f"{server.data}/ballast")


FAULTS = {
    "sync-EIO": lambda: Injection("fdatasync,fsync", "EIO"),
    "one-sync-EIO": lambda: Injection("fdatasync,fsync", "EIO", "1"),
    "some-syncs-EIO": lambda: Injection("fdatasync,fsync", "EIO", "2+3"),
    "write-ENOSPC": lambda: Injection("pwrite64", "ENOSPC"),
    "write-EIO": lambda: Injection("pwrite64", "EIO"),
    "some-writes-EIO": lambda: Injection("pwrite64", "EIO", "5+40"),
    "full-disk": FullDisk,
}


class Case(Stay):
    """A server, a fault, and the server's answers during it."""

    was_disk_sound = False

    def __init__(self, binary, folder, seed, target, fault):
        super().__init__(binary, folder, seed, target)
        self.fault, self.probes, self.unready = fault, 0, 0
        self.recovery = None

    def probe(self, path, seconds):
        """The status of a health endpoint, which must come within so many seconds."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=seconds)
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        except OSError as error:
            self.server.check_alive()
            self.failures.append(f"DEAD: {path} is not answered: {error!r}")
            return 0
        finally:
            connection.close()
            self.probes += 1

    def run_probed(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.run_for(0.1)
            self.server.check_alive()
            if self.probe("/healthz", 1) not in (0, 200):
                self.failures.append("DEAD: /healthz does not answer 200")
            # Ready means able to make a write durable, which takes time on a busy disk.
            self.unready += self.probe("/readyz", 5) == 503

    def run(self, seconds, is_killed_broken):
        self.fault.prepare(self.server)
        self.start()
        self.run_for(0.3)
        self.fault.begin(self.server)
        if self.fault.is_total:
            # Earlier stores are answered before the first refusal, and both may still be unread.
            self.run_until(time.monotonic() + RECOVERY_SECONDS, lambda: self.refused)
            self.load.turn(0.002)
        self.run_for(0.1)
        before = self.load.acknowledged
        self.run_probed(seconds)
        if self.fault.is_total and self.load.acknowledged != before:
            self.failures.append(f"LIE: {self.load.acknowledged - before} acknowledgements while nothing can be stored")
        if is_killed_broken:
            self.end_by_kill("fault")
            if self.fault.outlives_server:
                self.start_broken(seconds / 2)
            self.fault.end(self.server)
        else:
            self.fault.end(self.server)
            self.recover()
            self.end_by_kill("load")
        return self.finish()

    def start_broken(self, seconds):
        """A start on a full disk: without space to requeue the jobs in flight the server reports it and exits."""
        try:
            self.start()
        except ServerFailure as error:
            if self.server.process.returncode != NO_STORE or "no space is left" not in str(error):
                raise
            return
        self.run_probed(seconds)
        self.end_by_kill("fault")

    def recover(self):
        """New jobs must be taken soon after the fault has ended."""
        ended, before = time.monotonic(), self.load.answered
        self.run_until(ended + RECOVERY_SECONDS, lambda: self.load.answered > before)
        self.server.check_alive()
        self.recovery = time.monotonic() - ended
        if self.load.answered == before:
            self.failures.append(f"DEAD: nothing is accepted {RECOVERY_SECONDS} s after the fault ended")
        self.run_for(0.3)


def run(binary, name, folder, seconds, seed, target, is_killed_broken):
    case = Case(binary, folder, seed, target, FAULTS[name]())
    try:
        case.run(seconds, is_killed_broken)
    except (ServerFailure, OSError) as error:
        case.failures += [f"SERVER: {error}", *case.load.failures]
    finally:
        case.clean_up()
    end = "killed while it lasted" if is_killed_broken else f"accepting again after {case.recovery or -1:.2f} s"
    print(f"{name}: {case.load.acknowledged} jobs acknowledged, {case.refused} refusals, {case.probes} probes, "
          f"{case.unready} times not ready; {end}; {len(case.failures)} failures", flush=True)
    return case.failures


def main():
    binary, seconds, seed = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
    folder = tempfile.mkdtemp(prefix="jobserver-faults-")
    target, bad = Target(folder), 0
    try:
        for name in sys.argv[4:] or FAULTS:
            for is_killed_broken in (True, False):
                place = f"{folder}/{name}-{'killed' if is_killed_broken else 'mended'}"
                os.mkdir(place)
                failures = run(binary, name, place, seconds, seed, target, is_killed_broken)
                for failure in failures[:5]:
                    print(f"FAILED: {name}: {failure}")
                bad += len(failures)
                if failures:
                    # A small disk goes with this program.
                    shutil.copytree(f"{place}/data", f"{place}/data-kept", ignore=shutil.ignore_patterns("control"))
                else:
                    subprocess.run(["umount", "--quiet", f"{place}/data"], stderr=subprocess.DEVNULL)
                    shutil.rmtree(place)
    finally:
        target.clean_up()
    if bad:
        sys.exit(f"FAILED: SEED={seed}; what is left is kept in {folder}")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
