"""The interface of a server under test. Each peer is one file beside this one."""
import signal

from .machine import answers, free_port, memory_of, wait_until


class Server:
    name = ""
    #: The guarantee of an acknowledgement.
    durability = ""
    #: How the result of a job can be had afterwards.
    result = ""
    #: The protocol of the load generator.
    protocol = ""
    #: How many jobs of those that are asked for are run end to end; slow peers would take too long.
    share_of_jobs = 1.0

    def __init__(self, bench):
        self.bench, self.process, self.port = bench, None, free_port()
        self.folder = bench.new_folder(self.name)

    def words(self):
        raise NotImplementedError

    def version(self):
        return ""

    def prepare(self):
        """Makes queues and tables, once, after the first start."""

    def is_up(self):
        return answers(self.port)

    def spawn(self):
        """Starts the process and does not wait."""
        self.process = self.bench.start(self.words())

    def launch(self, seconds=60):
        self.spawn()
        wait_until(self.is_up, seconds, f"the start of {self.name}")

    def start(self):
        self.launch()
        self.prepare()

    def stop(self):
        if self.process:
            self.bench.stop(self.process)

    def kill(self):
        """As a crash would."""
        self.bench.stop(self.process, signal.SIGKILL)

    def memory(self):
        return memory_of(self.process.pid)

    def submit_options(self, delayed=False):
        """Options of the generator for sending jobs; `delayed` ones carry a time at which they are due."""
        return {}

    def work_options(self):
        """Options of the generator for a worker."""
        return {}

    def submit(self, **options):
        return self.bench.load(self.protocol, "submit", self.port, **{**self.submit_options(), **options})
