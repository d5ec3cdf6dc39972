"""RabbitMQ with a quorum queue on one node."""
import os
import time

from .machine import Missing, free_port, output, program, wait_until, answers
from .server import Server

CONFIGURATION = """listeners.tcp.1 = 127.0.0.1:{port}
vm_memory_high_watermark.relative = 0.6
disk_free_limit.absolute = 500MB
log.console = false
log.file.level = error
"""


class RabbitMQ(Server):
    name = "rabbitmq"
    protocol = "rabbitmq"
    durability = "quorum queue, persistent messages: confirm after fsync of the Raft log (one node)"
    result = "none; the worker publishes it to a second quorum queue; worker in C, no retries"

    def __init__(self, bench):
        super().__init__(bench)
        self.names, self.names_port, self.own_port = None, free_port(), free_port()

    def version(self):
        text = output(["dpkg-query", "-W", "-f", "${Version}", "rabbitmq-server"])
        return f"RabbitMQ {text}" if text else "RabbitMQ"

    @staticmethod
    def script():
        """The server's own script; the one on the path wants to be another user."""
        for path in ("/usr/lib/rabbitmq/bin/rabbitmq-server", program("rabbitmq-server")):
            if os.access(path, os.X_OK):
                return path
        raise Missing("rabbitmq-server is not installed")

    def words(self):
        return [self.script()]

    def environment(self):
        configuration, plugins = os.path.join(self.folder, "rabbitmq.conf"), os.path.join(self.folder, "plugins")
        with open(configuration, "w") as file:
            file.write(CONFIGURATION.format(port=self.port))
        with open(plugins, "w") as file:
            file.write("[].\n")
        local = "-kernel inet_dist_use_interface {127,0,0,1} -start_epmd false -epmd_module erl_epmd"
        return dict(
            os.environ, HOME=self.folder, RABBITMQ_NODENAME=f"bench{self.port}@localhost", RABBITMQ_CONFIG_FILE=configuration,
            RABBITMQ_CONF_ENV_FILE="/dev/null", RABBITMQ_ENABLED_PLUGINS_FILE=plugins, RABBITMQ_DIST_PORT=str(self.own_port),
            RABBITMQ_MNESIA_BASE=os.path.join(self.folder, "data"), RABBITMQ_LOG_BASE=os.path.join(self.folder, "log"),
            ERL_EPMD_ADDRESS="127.0.0.1", ERL_EPMD_PORT=str(self.names_port), RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=local)

    def spawn(self):
        """Erlang's name server is started here too, so that it ends with the run."""
        environment = self.environment()
        if not self.names:
            self.names = self.bench.start([program("epmd"), "-address", "127.0.0.1", "-port", self.names_port], env=environment)
            wait_until(lambda: answers(self.names_port), 10, "the start of epmd")
        self.process = self.bench.start(self.words(), env=environment)

    def prepare(self):
        time.sleep(2)  # it still starts things when its port is open
        self.bench.load(self.protocol, "submit", self.port, connections=1, seconds=0.000001, count=1, **self.submit_options())
        time.sleep(0.5)
        self.bench.load(self.protocol, "work", self.port, connections=1, count=1)

    def stop(self):
        """At once: asked nicely, its script starts another Erlang machine that would outlive it."""
        if self.process:
            self.kill()
        if self.names:
            self.bench.stop(self.names)
