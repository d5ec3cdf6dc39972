"""PostgreSQL with a table of jobs and SKIP LOCKED."""
import os
import pwd
import shutil
import signal
import subprocess

from .machine import Failed, output, program
from .server import Server

BINARIES = ["/usr/lib/postgresql/%d/bin" % version for version in range(19, 12, -1)]
TABLE = """create table jobs (id bigint generated always as identity primary key, state "char" not null default 'q',
  run_at timestamptz not null, payload text not null, result text) with (fillfactor = 70);
create index on jobs (run_at, id) where state = 'q'"""
INSERT = "insert into jobs (payload, run_at) values ($1, now())"
INSERT_DUE = "insert into jobs (payload, run_at) values ($1, to_timestamp($2::bigint / 1000000.0))"
TAKE = """with next as (select id from jobs where state = 'q' and run_at <= now() order by run_at, id
  for update skip locked limit $1::int) update jobs set state = 'r' from next where jobs.id = next.id
  returning jobs.id, jobs.payload"""
FINISH = "update jobs set state = 'd', result = $2 where id = $1::bigint"


class PostgreSQL(Server):
    name = "postgresql"
    protocol = "postgresql"
    durability = "`synchronous_commit=on`, the default: fsync of its log before the commit returns, shared by connections"
    result = "a column of the row; worker in C with SKIP LOCKED that looks every 2 ms, no retries"
    template = None

    def __init__(self, bench):
        super().__init__(bench)
        self.user = pwd.getpwnam("postgres") if os.getuid() == 0 else None
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)

    def as_user(self):
        if not self.user:
            return []
        return ["setpriv", f"--reuid={self.user.pw_uid}", f"--regid={self.user.pw_gid}", "--clear-groups"]

    def version(self):
        return output([program("postgres", *BINARIES), "--version"])

    def make_data(self):
        """A new cluster, copied from one that is made once for each run."""
        data = os.path.join(self.folder, "data")
        if not PostgreSQL.template or not os.path.isdir(PostgreSQL.template):
            made = subprocess.run([*self.as_user(), program("initdb", *BINARIES), "-D", data, "-A", "trust", "-U", "postgres",
                                   "--no-instructions"], capture_output=True, text=True, timeout=120)
            if made.returncode:
                raise Failed(f"initdb: {made.stderr[-300:]}")
            PostgreSQL.template = os.path.join(self.bench.folder, "postgresql.template")
            subprocess.run(["cp", "-a", data, PostgreSQL.template], check=True)
        elif not os.path.isdir(data):
            subprocess.run(["cp", "-a", PostgreSQL.template, data], check=True)

    def words(self):
        settings = ["shared_buffers=1GB", "max_connections=200", "max_wal_size=4GB", "autovacuum_naptime=5s"]
        return [*self.as_user(), program("postgres", *BINARIES), "-D", os.path.join(self.folder, "data"), "-p", self.port,
                "-h", "127.0.0.1", "-k", self.folder, *[word for setting in settings for word in ("-c", setting)]]

    def spawn(self):
        if not os.path.isdir(os.path.join(self.folder, "data")):
            self.make_data()
        self.process = self.bench.start(self.words(), cwd="/")

    def is_up(self):
        ready = [program("pg_isready", *BINARIES), "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(ready, capture_output=True).returncode == 0

    def stop(self):
        if self.process:
            self.bench.stop(self.process, signal.SIGINT)  # SIGTERM would wait for clients
            shutil.rmtree(self.folder, ignore_errors=True)

    def kill(self):
        self.bench.stop(self.process, signal.SIGQUIT)  # the documented way to crash it: no checkpoint, no clean-up

    def sql(self, text):
        done = subprocess.run([program("psql", *BINARIES), "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-Atqc",
                               text], capture_output=True, text=True, timeout=120)
        if done.returncode:
            raise Failed(f"psql: {done.stderr[-300:]}")
        return done.stdout.strip()

    def prepare(self):
        self.sql(TABLE)

    def prepare_read(self):
        number = self.sql("insert into jobs (payload, run_at, state, result) values (repeat('x', 250), now(), 'd', "
                          "repeat('x', 250)) returning id")
        self.sql("vacuum analyze jobs")
        return {"key": number, "select": "select state, result from jobs where id = $1::bigint"}

    def submit_options(self, delayed=False):
        return {"insert": INSERT_DUE if delayed else INSERT}

    def work_options(self):
        return {"select": TAKE, "finish": FINISH}

    def address(self):
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"
