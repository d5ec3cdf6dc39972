"""How long the jobs of dead servers wait until living ones take them."""
import time

LOOK_EVERY = 0.2


class Takeovers:
    """The jobs that wait, and how long those waited that do not any more."""

    def __init__(self, schema):
        self.schema = schema
        self.since, self.owners, self.seconds = {}, set(), []
        self.next_look = 0.0

    def begin(self, held, owners):
        """Notes that the owners of these jobs have died."""
        self.owners |= owners
        now = time.monotonic()
        self.since.update((id, now) for id, _ in held)

    def look(self):
        now = time.monotonic()
        if not self.since or now < self.next_look:
            return
        self.next_look = now + LOOK_EVERY
        try:
            left = self.schema.waiting(self.since, self.owners)
        except OSError:
            return
        for id in [id for id in self.since if id not in left]:
            self.seconds.append(now - self.since.pop(id))

    def __str__(self):
        return describe(self.seconds)


def describe(seconds):
    """The distribution of times."""
    if not seconds:
        return "none"
    half, most, all_of = (share(seconds, part) for part in (0.5, 0.99, 1))
    return f"{len(seconds)} times, half within {half:.1f} s, p99 {most:.1f} s, all within {all_of:.1f} s"


def share(values, part):
    """The value that a part of them does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


def late(seconds, limit):
    """The complaint about times of which more than one in a hundred is longer than `limit`; None when there is none."""
    over = sum(time > limit for time in seconds)
    return f"LATE: {over} of {len(seconds)} took longer than {limit} s" if over * 100 > len(seconds) else None
