"""What one server does while its PostgreSQL is further and further away.

Between both is a proxy that hands everything on after half of the added time in each direction, and after none for the
row that the others are compared with.
"""
import os
import signal
import sys

from . import rates
from .machine import Bench, Failed, Missing, TOOLS, answers, facts, free_port, wait_until
from .nginx import Nginx
from .settings import Settings
from .shared import Shared
from .targets import title

MEASURES = {"submit": rates.submit, "batch": rates.batch, "noop": rates.noop, "call": rates.call}
ADDED = [float(word) for word in os.environ.get("ADDED", "0 1 5 20").split()]


class Distant(Shared):
    """Our server with its jobs in a PostgreSQL that is some milliseconds away, there and back."""

    def __init__(self, bench, milliseconds):
        super().__init__(bench)
        self.milliseconds, self.proxy, self.proxy_port = milliseconds, None, free_port()

    def words(self):
        near, far = (f"@127.0.0.1:{port}/" for port in (self.database.port, self.proxy_port))
        return [word.replace(near, far) if isinstance(word, str) else word for word in super().words()]

    def spawn(self):
        words = [os.path.join(TOOLS, "distance"), self.proxy_port, self.database.port, self.milliseconds]
        self.proxy = self.bench.start(words)
        wait_until(lambda: answers(self.proxy_port), 10, "the start of the proxy")
        super().spawn()

    def stop(self):
        super().stop()
        if self.proxy:
            self.bench.stop(self.proxy)


class Run(Settings):
    """The settings, the bench, and nginx for calls."""

    def __init__(self, bench):
        super().__init__(False)
        if not os.environ.get("JOBS"):
            self.jobs = int(self.seconds * 3000)
        if not os.environ.get("MEASURES"):
            self.measures = list(MEASURES)
        self.bench, self.target = bench, Nginx(bench)

    def once(self, name, milliseconds):
        """Jobs a second, on an empty store."""
        server = Distant(self.bench, milliseconds)
        try:
            server.start()
            found = MEASURES[name](self, server)
            if server.proxy.poll() is not None:
                raise Failed(f"the proxy ended: {self.bench.log_tail()[-300:]}")
        finally:
            server.stop()
        if found.get("errors"):
            raise Failed(f"{found['errors']} answers were errors: {found.get('stderr')}")
        return found["value"]

    def row(self, name):
        """The medians of all distances, which are measured in turn."""
        found = {milliseconds: [] for milliseconds in ADDED}
        for _ in range(self.repetitions):
            for milliseconds, values in found.items():
                values.append(self.once(name, milliseconds))
        medians = [sorted(values)[len(values) // 2] for values in found.values()]
        cells = [f"{medians[0]:,.0f}", *(f"{median:,.0f}, {median / medians[0]:.2f}" for median in medians[1:])]
        return f"| {title(name)[0]} | {' | '.join(cells)} |"


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    with Bench() as bench:
        run = Run(bench)
        unknown = [name for name in run.measures if name not in MEASURES]
        if unknown:
            raise SystemExit(f"unknown: {' '.join(unknown)}; MEASURES are {' '.join(MEASURES)}")
        print(f"{', '.join(facts().values())}; {run.described()}\n")
        heads = " | ".join(f"{milliseconds:g} ms added" for milliseconds in ADDED)
        print(f"| jobs/s, and beside the first | {heads} |\n|---|{'--:|' * len(ADDED)}", flush=True)
        try:
            run.target.start()
            for name in run.measures:
                print(run.row(name), flush=True)
        except (Failed, Missing) as reason:
            raise SystemExit(f"FAILED: {reason}")


if __name__ == "__main__":
    main()
