"""Redis with an append-only file that is synced before each reply."""
from .machine import output, program
from .server import Server


class Redis(Server):
    name = "redis"
    protocol = "redis"
    durability = "`appendfsync always`: fsync of the append-only file before the replies of one turn of its loop"
    result = "a key that the worker writes, kept an hour; worker in C, no retries"

    def version(self):
        return " ".join(output([program("redis-server"), "--version"]).split()[:3])

    def words(self):
        return [program("redis-server"), "--port", self.port, "--bind", "127.0.0.1", "--dir", self.folder,
                "--appendonly", "yes", "--appendfsync", "always", "--save", "", "--loglevel", "warning"]

    def command(self, *words):
        return output([program("redis-cli"), "-p", str(self.port), *words])

    def prepare(self):
        self.command("XGROUP", "CREATE", "jobs", "workers", "$", "MKSTREAM")

    def prepare_read(self):
        self.command("SET", "result:1", "x" * 250)
        return {"key": "result:1"}
