"""The machine: its description, supervised processes, free ports, temporary folders, and the load generator."""
import json
import os
import platform
import shutil
import signal
import socket
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
#: A prefix of every command, such as `chrt -r 1` on a busy machine.
PREFIX = os.environ.get("PREFIX", "").split()
TOOLS = os.path.join(ROOT, ".build", "benchmarks")


class Missing(Exception):
    """A program that a measurement needs is not installed."""


class Failed(Exception):
    """A measurement that did not work out."""


def facts():
    """The facts about the machine that a comparison of figures needs."""
    with open("/proc/cpuinfo") as file:
        models = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    with open("/proc/meminfo") as file:
        memory = int(file.readline().split()[1]) // 1024 // 1024
    return {
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "processor": f"{os.cpu_count()} × {models[0] if models else platform.machine()}",
        "memory": f"{memory} GB",
        "kernel": f"{platform.system()} {platform.release()}",
        "disk": output(["stat", "-f", "-c", "%T", tempfile.gettempdir()]),
        "load": f"{os.getloadavg()[0]:.1f}",
    }


def output(words):
    """The output of a program; empty when it does not exist."""
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=20).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def program(name, *folders):
    """Where a program is. Servers lie in folders that are not on everyone's path."""
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin", *folders])
    found = shutil.which(name, path=path)
    if not found:
        raise Missing(f"{name} is not installed")
    return found


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(holds, seconds, what):
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise Failed(f"{what} took longer than {seconds} s")
        time.sleep(0.02)


def answers(port):
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def began(pid):
    """When a process was started, which tells it from a later one with its number; nothing when it is gone."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[19]
    except OSError:
        return None


def family(pid):
    """A process and all that it started."""
    found = [pid]
    for parent in found:
        try:
            with open(f"/proc/{parent}/task/{parent}/children") as file:
                found += [int(child) for child in file.read().split()]
        except OSError:
            pass
    return found


def processor_seconds(pid):
    """What a process has used so far."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def memory_of(pid):
    """Megabytes of a process and its children; shared memory counts once."""
    total = 0
    for member in family(pid):
        try:
            with open(f"/proc/{member}/smaps_rollup") as file:
                total += next(int(line.split()[1]) for line in file if line.startswith("Pss:"))
        except (OSError, StopIteration):
            pass
    return total / 1024


class Bench:
    """One run: its folder and its processes. All of them end with it."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="jobserver-bench.", dir=os.environ.get("BENCH_DIR"))
        os.chmod(self.folder, 0o711)
        self.running = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in list(self.running):
            self.stop(process)
        shutil.rmtree(self.folder, ignore_errors=True)

    def new_folder(self, name):
        return tempfile.mkdtemp(prefix=name + ".", dir=self.folder)

    def start(self, words, **more):
        """In the folder of the run, since some leave files where they stand."""
        more.setdefault("cwd", self.folder)
        log = open(os.path.join(self.folder, "log"), "ab")
        process = subprocess.Popen([*PREFIX, *[str(word) for word in words]], stdin=subprocess.DEVNULL, stdout=log, stderr=log, **more)
        log.close()
        self.running.append(process)
        return process

    def stop(self, process, how=signal.SIGTERM, seconds=20):
        """Ends a process and its descendants by their numbers; SIGKILL is sent to all of them at once."""
        members = [(member, began(member)) for member in family(process.pid)]
        try:
            if how != signal.SIGKILL and process.poll() is None:
                process.send_signal(how)
                process.wait(seconds)
        except subprocess.TimeoutExpired:
            pass
        self.kill(members)
        process.wait(10)
        if process in self.running:
            self.running.remove(process)

    @staticmethod
    def kill(members):
        for member, start in members:
            try:
                if start and began(member) == start:
                    os.kill(member, signal.SIGKILL)
            except OSError:
                pass

    def log_tail(self):
        with open(os.path.join(self.folder, "log"), errors="replace") as file:
            return file.read()[-1500:]

    @staticmethod
    def load_words(protocol, role, port, **options):
        words = [*PREFIX, os.path.join(TOOLS, "load"), protocol, role, "--port", str(port)]
        for name, value in options.items():
            if value is not None:
                words += ["--" + name.replace("_", "-"), str(value)]
        return words

    def load(self, protocol, role, port, limit=180, **options):
        """Runs the load generator to its end and returns its counts."""
        return self.result(self.load_later(protocol, role, port, **options), limit)

    def load_later(self, protocol, role, port, **options):
        """Starts the load generator and returns it."""
        return self.tool_later(self.load_words(protocol, role, port, **options))

    def tool_later(self, words):
        """Starts a program that prints lines of JSON and returns it."""
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.running.append(process)
        return process

    def result(self, process, limit=180):
        """The counts of a started generator; `series` has its lines per period."""
        try:
            text, errors = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failed(f"the load generator took longer than {limit} s")
        finally:
            if process in self.running:
                self.running.remove(process)
        lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        if process.returncode or not lines:
            raise Failed(f"the load generator failed: {errors.strip()[-400:]}")
        found = lines[-1]
        found["series"], found["stderr"] = lines[:-1], errors.strip()[:400]
        return found

    def limit(self, tool, *words):
        """Runs one of the programs that measure a limit of the machine; returns its number."""
        return float(output([*PREFIX, os.path.join(TOOLS, tool), *[str(word) for word in words]]) or 0)
