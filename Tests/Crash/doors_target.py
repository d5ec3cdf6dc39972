"""A target whose callers hand out a callback URL with `?notify=`, each of which it writes down.

usage: doors_target.py PORT_FILE LOG PARENT
"""
import os
import sys
import urllib.parse

from target import Counter, Target, serve


class DoorsCounter(Counter):
    """Writes the URLs to `LOG.urls`, a line for each, with the number of the call."""

    def __init__(self, listener, log):
        super().__init__(listener, log)
        self.urls = os.open(f"{sys.argv[2]}.urls", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def answer(self, peer, path):
        path, _, query = path.partition(b"?")
        if query:
            url = urllib.parse.parse_qs(query.decode())["notify"][0]
            os.write(self.urls, f"{self.count} {path.rpartition(b'/')[2].decode()} {url}\n".encode())
        super().answer(peer, path)


class DoorsTarget(Target):
    program = __file__

    def urls_before(self, call):
        """The place in the file of URLs that is behind those of the calls before one."""
        place, end = 0, 0
        for line in self.lines(0):
            end += len(line)
            if int(line.split()[0]) < call:
                place = end
        return place

    def urls(self, place):
        """The numbers of calls and the paths of their URLs from a place in the file on, and the next place."""
        lines = self.lines(place)
        found = [line.split() for line in lines]
        return ([(int(number), urllib.parse.urlsplit(url.decode()).path) for _, number, url in found],
                place + sum(map(len, lines)))

    def lines(self, place):
        if not os.path.exists(f"{self.log}.urls"):
            return []
        with open(f"{self.log}.urls", "rb") as file:
            file.seek(place)
            return [line for line in file if line.endswith(b"\n")]


if __name__ == "__main__":
    serve(DoorsCounter, *sys.argv[1:4])
