"""The server of this repository."""
import http.client
import json
import os

from .machine import Failed, Missing, ROOT, output, wait_until
from .server import Server

PAYLOAD = '"metadata":{"n":"{n}","t":"{t}","due":"{due}","pad":"{pad}"}}'
#: Due in an hour, like a job of a peer without a worker.
DELAYED = '{"type":"value","value":1,"run_at":"1h",' + PAYLOAD
NOOP = '{"type":"value","value":1,' + PAYLOAD


def call_body(target_port, path="/job.json"):
    return '{"type":"network","request":"http://127.0.0.1:%d%s",%s' % (target_port, path, PAYLOAD)


def steps_body(target_port, path="/job.json"):
    """Three calls, each after the one before, each with an event and a history of its own."""
    call = '{"type":"network","request":"http://127.0.0.1:%d%s"}' % (target_port, path)
    return '{"type":"group","ordered":true,"operations":[%s],%s' % (",".join([call] * 3), PAYLOAD)


def timer_body(sink_port):
    return '{"type":"network","run_at":"{at}","request":"http://127.0.0.1:%d/?due={due}",%s' % (sink_port, PAYLOAD)


class Ours(Server):
    name = "jobserver"
    protocol = "http"
    durability = "`--sync full`, the default: fsync of SQLite's log before the 202, one for all submissions of that moment"
    #: Further flags of `jobserver serve`.
    flags = ()
    result = "`GET /v1/jobs/{id}`, with state, attempts and history"

    def __init__(self, bench):
        super().__init__(bench)
        self.binary = os.environ.get("JOBSERVER") or os.path.join(ROOT, ".build", "release", "jobserver")
        if not os.access(self.binary, os.X_OK):
            raise Missing("the release binary is not built: make build")

    def version(self):
        commit = output(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"])
        return f"{output([self.binary, 'version'])} ({commit})" if commit else output([self.binary, "version"])

    def words(self):
        return [self.binary, "serve", "--port", self.port, "--data", os.path.join(self.folder, "data"),
                "--egress-allow", "127.0.0.0/8", "--log-level", "warning", *self.flags,
                *os.environ.get("JOBSERVER_FLAGS", "").split()]

    def is_up(self):
        try:
            return self.ask("GET", "/readyz")[0] == 200
        except OSError:
            return False

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, {"Content-Type": "application/json", **(headers or {})} if body else {})
            answer = connection.getresponse()
            return answer.status, answer.read()
        except http.client.HTTPException as error:
            raise OSError(str(error))
        finally:
            connection.close()

    def submit_one(self, spec, wait=False):
        """Submits a job and returns it, finished when asked for."""
        status, content = self.ask("POST", "/v1/jobs", json.dumps(spec), {"Prefer": "wait=30"} if wait else None)
        if status not in (200, 201, 202):
            raise Failed(f"submission answered with {status}: {content[:300]}")
        return json.loads(content)

    def submit_options(self, delayed=False):
        return {"body": DELAYED}

    def submit(self, **options):
        if options.get("batch", 1) > 1:
            options = {"path": "/v1/jobs:batch", "expect": '"refused":0', **options}
        return super().submit(**options)

    def resident(self):
        """Megabytes of resident memory, libraries and all."""
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024

    def memory(self):
        return self.resident()

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def counts(self):
        """How many jobs are in each state."""
        _, content = self.ask("GET", "/metrics")
        lines = [line for line in content.decode().splitlines() if line.startswith("jobserver_jobs{")]
        return {line.split('"')[1]: int(float(line.rsplit(" ", 1)[1])) for line in lines}

    def succeeded(self):
        return self.counts().get("succeeded", 0)

    def wait_idle(self, seconds):
        """Until nothing is left that could run now."""
        states = ("queued", "running", "waiting", "retrying", "pending")
        wait_until(lambda: not any(self.counts().get(state) for state in states), seconds, "finishing all jobs")
