"""Several servers on one schema of a PostgreSQL, with load on all of them, from the first start to the last stop."""
import os
import re
import signal
import time
import urllib.request

from lives import CallReport, Life
from schema import Schema
from serving import Server, ServerFailure
from stay import Stay
from takeovers import Takeovers

COUNT = 3
LEASE = 15
# How many jobs are submitted in a second. More would only make the last look at all of them longer.
RATE = 400
# The numbers of states, see `JobState.stored`.
STATES = {2: "queued", 10: "succeeded", 11: "failed", 12: "cancelled"}


class FleetReport(CallReport):
    """Calls of servers that run at one time: a life is the time between two faults, whichever server they met."""

    def complaint_about_repeat(self, caller, first, second):
        if any(caller in life.held for life in self.lives[first:second]):
            return None
        return "no server that was killed meanwhile held the job"


class Fleet(Stay):
    """The servers, by default three, and a database that may be shared by several fleets."""

    make_report = FleetReport

    def __init__(self, binary, folder, seed, target, database, address=None, count=COUNT, lease=LEASE, rate=RATE):
        self.count, self.lease, self.rate = count, lease, rate
        self.database, self.address = database, address or database.address
        self.schema = Schema(database, f"s{seed}")
        self.takeovers = Takeovers(self.schema)
        # The names under which each server holds jobs, and those that were known when the last one was started.
        self.owners, self.known = {}, set()
        # Whether a server lost its lease for no other reason than a busy machine.
        self.is_spoiled = False
        # When the load began, without the times in which it was held up.
        self.began, self.is_finishing = time.monotonic(), False
        super().__init__(binary, folder, seed, target)

    def make_servers(self, binary, folder):
        servers = []
        for number in range(self.count):
            place = f"{folder}/server-{number + 1}"
            os.mkdir(place)
            servers.append(Server(binary, place, (
                *self.flags, "--store", self.place_of_store(number), "--artifacts", f"{folder}/artifacts", "--schema",
                self.schema.name, "--lease", f"{self.lease}s")))
        return servers

    def place_of_store(self, number):
        """The address of the database for a server, whose connections it recognizes by their name."""
        return f"{self.address} application_name={self.schema.name}_{number}"

    # Lives of servers

    def start(self):
        """Starts all servers that do not run."""
        for server in self.servers:
            if not is_running(server):
                self.start_server(server)

    def start_server(self, server):
        self.spawn(server)
        while not server.is_ready():
            self.turn(0.002)
        self.starts.append(time.monotonic() - server.began)
        self.owners[server] = self.schema.owners() - self.known
        if self.planned_from is None:
            self.server = server
            self.limit_queue()
            self.begin_schedules()
        self.load.open(server.port)
        # Clients that come back to it.
        for lane in self.dice.sample(list(self.load.lanes.values()), len(self.load.lanes) // self.count):
            self.load.lose(lane)

    def spawn(self, server):
        self.known = self.schema.owners() if self.starts else set()
        server.spawn()

    def end_by_kill(self, moment):
        """Kills `server`. Returns whether it was killed; a drain may be over before. One that does not stop in time is
        killed, too."""
        server = self.server
        if server.process.poll() is None:
            server.kill()
        code = server.process.returncode
        was_killed = code == -signal.SIGKILL
        if not was_killed and (code, moment) not in ((0, "drain"), (0, "stop")):
            server.check_alive()
        self.load.close(server.port)
        self.wait_for_end_of(server)
        # What it held when its last transaction was over.
        owners = self.owners.pop(server, None) or self.schema.owners() - self.known
        held = self.schema.held(owners)
        self.takeovers.begin(held, owners)
        if was_killed:
            self.kills[moment] = self.kills.get(moment, 0) + 1
        else:
            self.stops += 1
            self.failures += [f"STUCK: {name} is held by a server that has stopped in order" for _, name in held]
        self.lives.append(Life(was_killed, self.target.mark(), {name for _, name in held}))
        return was_killed

    def wait_for_end_of(self, server):
        """Until the database has noticed that the server is gone."""
        number = self.servers.index(server)
        deadline = time.monotonic() + 10
        while self.schema.number(
                f"SELECT count(*) FROM pg_stat_activity WHERE application_name = '{{0}}_{number}'"):
            if time.monotonic() > deadline:
                raise ServerFailure("the database keeps connections of a server that is dead")
            time.sleep(0.005)

    def begin_life(self, held):
        """For a fault that met no process: calls of these jobs may have to be made again."""
        self.lives.append(Life(True, self.target.mark(), {name for _, name in held}))

    # Load

    def turn(self, seconds):
        self.pace()
        self.takeovers.look()
        self.load.turn(seconds)

    def pace(self):
        wanted = self.rate * (time.monotonic() - self.began)
        self.load.is_submitting = not self.is_finishing and len(self.workload.jobs) < wanted

    # The end

    def finish(self):
        self.is_finishing = True
        self.server = self.dice.choice(self.servers)
        return super().finish()

    def stop(self):
        """A clean end of all servers; before it each knows the counts of all jobs."""
        stored = {STATES.get(state, state): count for state, count in self.schema.counts().items()}
        for server in self.servers:
            deadline = time.monotonic() + 5
            while (counts := counted(server)) != stored and time.monotonic() < deadline:
                time.sleep(0.05)
            if counts != stored:
                self.failures.append(f"CORRUPT: there are {stored} jobs by state, and a server counts {counts}")
        super().stop()
        for server in self.servers:
            if "lease of this server was lost" in server.words():
                self.note_lost_lease(server)

    def note_lost_lease(self, server):
        """A server that lost its lease though nothing had happened to it."""
        if self.lease < LEASE:
            # A busy machine may pause for a short lease. It is not known what the server held then.
            self.is_spoiled = True
        else:
            self.failures.append(f"LEASE: a server that lived lost its lease: {server.last_words()[:500]}")

    def complaints_about_store(self, workload):
        return self.schema.complaints(workload.names(), workload.unsure_names())


def is_running(server):
    return server.process is not None and server.process.poll() is None


def counted(server):
    """The number of jobs by state as the server knows it."""
    with urllib.request.urlopen(f"{server.url}/metrics", timeout=30) as answer:
        lines = re.findall(r'^jobserver_jobs\{state="(\w+)"\} (\d+)', answer.read().decode(), re.MULTILINE)
    return {state: int(count) for state, count in lines if int(count)}
