"""A target that holds each call for a time and logs when it begins and ends, in a separate process.

usage: watched.py PORT_FILE LOG PARENT

`/call/NUMBER/MILLISECONDS` is answered after this time. A call ends when its answer is sent, or when its connection is
closed. The log has a record for each: the time in nanoseconds, the number of the call, and 1 for a beginning or -1 for
an end.
"""
import collections
import heapq
import os
import struct
import sys
import time

from target import Counter, Target, response, serve

RECORD = struct.Struct("<QIi")
Event = collections.namedtuple("Event", "time number step")


class Watch(Counter):
    """One loop over all connections, each with at most one call."""

    def __init__(self, listener, log):
        super().__init__(listener, log)
        self.running = {}

    def note(self, number, step):
        os.write(self.log, RECORD.pack(time.monotonic_ns(), number, step))

    def answer(self, peer, path):
        number, milliseconds = map(int, path.split(b"/")[2:])
        self.count += 1
        self.running[peer.fileno()] = number
        self.note(number, 1)
        heapq.heappush(self.late, (time.monotonic() + milliseconds / 1000, self.count, peer, response(b"{}")))

    def send(self, peer, content):
        self.end(peer.fileno())
        super().send(peer, content)

    def lose(self, place):
        self.end(place)
        super().lose(place)

    def end(self, place):
        number = self.running.pop(place, None)
        if number is not None:
            self.note(number, -1)


class WatchedTarget(Target):
    """The process with the watch, as the checks see it."""

    program = __file__

    def events(self):
        with open(self.log, "rb") as log:
            content = log.read()
        return [Event(*row) for row in RECORD.iter_unpack(content[:len(content) // RECORD.size * RECORD.size])]


if __name__ == "__main__":
    serve(Watch, *sys.argv[1:4])
