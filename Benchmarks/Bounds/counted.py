"""A server whose instructions are counted."""
import time

from Costs.profile import Profile
from Costs.server import Callgrind

from .scene import prepare
from .server import Client

#: What a server does by itself is counted for this long, and taken off.
IDLE_SECONDS = 2
#: Under callgrind everything takes some fifty times as long.
TIMEOUT = 300


class Counted:
    def __init__(self, binary, folder, receiver):
        self.binary, self.folder, self.receiver = binary, folder, receiver
        self.begin()

    def begin(self):
        self.target = Callgrind(self.binary, self.folder)
        self.client = Client(self.target.server.port, TIMEOUT)
        prepare(self.client, self.receiver)
        self.idle = self.instructions(lambda: time.sleep(IDLE_SECONDS)) / IDLE_SECONDS

    def instructions(self, act):
        """Those of all threads while something is done."""
        self.target.begin()
        act()
        return sum(Profile.read(path).total for path in self.target.end())

    def count(self, act, size):
        """The instructions of an act without those that the server spends by itself, and the bytes of its input."""
        began, more = time.monotonic(), []
        counted = self.instructions(lambda: more.append(act(self.client)[1]))
        return max(counted - self.idle * (time.monotonic() - began), 1), size + more[0]

    def renew(self):
        """Goes on with another server."""
        self.stop()
        self.begin()

    def stop(self):
        self.client.close()
        self.target.stop()
