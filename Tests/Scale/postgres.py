"""A PostgreSQL in a temporary folder, on a free port of this machine, as a user without privileges."""
import glob
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

STANDBY = "standby"
NOBODY = 65534
# PostgreSQL refuses to run as root.
USER = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}


def programs():
    """The folder with the programs of the newest version that is installed."""
    found = glob.glob("/usr/lib/postgresql/*/bin/postgres")
    if not found:
        raise SystemExit("FAILED: PostgreSQL is not installed; run: .ci/install test")
    return os.path.dirname(max(found, key=lambda path: int(path.split("/")[4])))


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Session:
    """A psql that answers one question after the other."""

    END = "-- end --"

    def __init__(self, server):
        self.server, self.process = server, None

    def ask(self, sql):
        """The rows, each a list of texts. Raises OSError when the database is away."""
        if self.process is None:
            self.process = subprocess.Popen(
                [f"{self.server.programs}/psql", "-AtXq", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-h",
                 self.server.folder, "-p", str(self.server.port), "-U", "jobs", "postgres"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                start_new_session=True)
        rows = []
        try:
            self.process.stdin.write(f"{sql};\n\\echo {self.END}\n")
            self.process.stdin.flush()
            for line in self.process.stdout:
                if line == self.END + "\n":
                    return rows
                rows.append(line[:-1].split("\t"))
        except BrokenPipeError:
            pass
        reason = self.process.stderr.read()
        self.close()
        raise OSError(f"the database does not answer: {reason[:500]}")

    def close(self):
        if self.process:
            self.process.kill()
            self.process.communicate()
            self.process = None


class Postgres:
    """One server with its data, and the process, if any."""

    def __init__(self, settings=(), source=None, port=None):
        """Makes an empty database, or a copy of that of another server."""
        self.programs, self.port, self.settings = programs(), port or free_port(), settings
        self.folder = tempfile.mkdtemp(prefix="jobserver-postgres-")
        if USER:
            os.chown(self.folder, NOBODY, NOBODY)
        self.process, self.session = None, Session(self)
        if source:
            self.run("pg_basebackup", "--pgdata=data", "--host", source.folder, "--port", str(source.port),
                     "--username=jobs", "--wal-method=stream", "--checkpoint=fast", "--no-sync")
        else:
            self.run("initdb", "--pgdata=data", "--username=jobs", "--auth=trust", "--no-sync", "--encoding=UTF8")

    def run(self, program, *words):
        done = subprocess.run([f"{self.programs}/{program}", *words], cwd=self.folder, capture_output=True, text=True, **USER)
        if done.returncode:
            raise OSError(f"{program} failed: {done.stdout[-500:]} {done.stderr[-1500:]}")

    @property
    def address(self):
        """Where libpq finds it."""
        return f"host=127.0.0.1 port={self.port} user=jobs dbname=postgres"

    def follow(self, port):
        """Makes it a standby of the server on a port; before it starts."""
        open(f"{self.folder}/data/standby.signal", "w").close()
        with open(f"{self.folder}/data/postgresql.auto.conf", "a") as settings:
            settings.write(f"primary_conninfo = 'host=127.0.0.1 port={port} user=jobs application_name={STANDBY}'\n")

    def start(self, waits=True):
        words = [f"{self.programs}/postgres", "-D", "data", "-k", self.folder, "-h", "127.0.0.1", "-p", str(self.port)]
        for setting in ("max_connections=100", "log_min_messages=fatal", *self.settings):
            words += ["-c", setting]
        with open(f"{self.folder}/log", "ab") as log:
            self.process = subprocess.Popen(
                words, cwd=self.folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True, **USER)
        if waits:
            self.wait_ready()

    def wait_ready(self, seconds=60):
        deadline = time.monotonic() + seconds
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() > deadline:
                with open(f"{self.folder}/log", errors="replace") as log:
                    raise OSError(f"PostgreSQL did not start: {log.read()[-1500:]}")
            time.sleep(0.01)

    def is_ready(self):
        try:
            return self.ask("SELECT 1") == [["1"]]
        except OSError:
            return False

    def ask(self, sql):
        return self.session.ask(sql)

    def children(self):
        """The ids of its processes but for the first."""
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as children:
            return [int(word) for word in children.read().split()]

    def kill(self):
        """Ends all its processes at once, wherever they are, and waits until they are gone."""
        if self.process is None or self.process.poll() is not None:
            return
        children = self.children()
        self.process.send_signal(signal.SIGKILL)
        for child in children:
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        while any(is_alive(child) for child in children):
            time.sleep(0.001)
        self.session.close()

    def promote(self):
        """Makes a standby take writes."""
        if self.ask("SELECT pg_promote(true, 60)") != [["t"]]:
            raise OSError("the standby could not be promoted")

    def clean_up(self):
        self.session.close()
        self.kill()
        shutil.rmtree(self.folder)


def is_alive(process):
    """Whether it runs; one that is dead may still have a parent that has not noticed."""
    try:
        with open(f"/proc/{process}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False
