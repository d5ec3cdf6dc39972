"""Where the time between two moments went, from what was seen of threads, processors and the disk. Nanoseconds."""
import bisect
from collections import defaultdict, namedtuple

PAUSE = "a processor ran nothing at all"
UNEXPLAINED = "unexplained"
#: What the writer did at the disk: a sync of the log, the move of the log into the database, a slow write.
LOG, MOVE, WRITE = "sync", "the log is moved into the database", "a slow write to a file of the store"

#: A span of time in which something went on.
Span = namedtuple("Span", "began ended kind", defaults=("",))
#: A thread that something waited for, and the name of the time in which it ran.
Actor = namedtuple("Actor", "name busy")


def waits(name):
    return f"waits for a processor: {name}"


class ThreadTimes:
    """How long a thread had run and had waited for a processor, at each moment. Both are known at the moments of samples
    and evenly spread between them. The kernel counts a time when it is over, so what exceeds the time between two samples
    belongs before them."""

    def __init__(self, times, ran, waited):
        self.times = times
        room = [0, *(later - earlier for earlier, later in zip(times, times[1:]))]
        self.run = self.settled(ran, room)
        self.wait = self.settled(waited, room)

    @staticmethod
    def settled(sums, room):
        """The sums with each increase where it belongs; `room` is reduced by it."""
        increases, carried = [0] * len(sums), 0
        for place in range(len(sums) - 1, 0, -1):
            carried += max(0, sums[place] - sums[place - 1])
            taken = min(carried, room[place])
            increases[place] = taken
            room[place] -= taken
            carried -= taken
        total, settled = 0, []
        for increase in increases:
            total += increase
            settled.append(total)
        return settled

    def at(self, sums, moment):
        place = bisect.bisect_left(self.times, moment)
        if place == 0 or place == len(self.times):
            return sums[min(place, len(sums) - 1)]
        first, second = self.times[place - 1], self.times[place]
        return sums[place - 1] + (sums[place] - sums[place - 1]) * (moment - first) / (second - first)

    def ran(self, began, ended):
        return self.at(self.run, ended) - self.at(self.run, began)

    def waited(self, began, ended):
        return self.at(self.wait, ended) - self.at(self.wait, began)

    def slept(self, began, ended):
        return ended - began - self.ran(began, ended) - self.waited(began, ended)


def united(spans):
    """The same spans without overlaps."""
    found = []
    for span in sorted(spans):
        if found and span.began <= found[-1].ended:
            found[-1] = Span(found[-1].began, max(found[-1].ended, span.ended))
        else:
            found.append(span)
    return found


def among(spans, began, ended):
    """The spans that overlap this time; they do not overlap each other."""
    place = bisect.bisect_right(spans, (began,))
    if place and spans[place - 1].ended > began:
        place -= 1
    while place < len(spans) and spans[place].began < ended:
        yield spans[place]
        place += 1


class Timeline:
    """All that was seen.

    `threads` has the `ThreadTimes` by name, `pauses` the times in which a processor ran nothing, `disk` those of the
    writer at the disk, `syncs` the syncs of the log."""

    def __init__(self, times, threads, pauses, disk):
        self.times, self.threads = times, threads
        self.pauses = united(pauses)
        syncs = [span for span in disk if span.kind == LOG]
        self.disk = self.with_moves(sorted(disk), syncs)
        self.syncs = sorted(syncs)

    @staticmethod
    def with_moves(disk, syncs):
        """A move of the log begins with a sync of the log and ends with one of the database."""
        ends = sorted(span.ended for span in syncs)
        moves = []
        for span in disk:
            if span.kind == MOVE:
                place = bisect.bisect_right(ends, span.began)
                moves.append(Span(ends[place - 1] if place else span.began, span.ended, MOVE))
        kept = [span for span in disk if span.kind != MOVE and not any(among(moves, span.began, span.ended))]
        return sorted([*kept, *moves])

    def slices(self, began, ended):
        """The time between two samples at most."""
        place = bisect.bisect_right(self.times, began)
        while place < len(self.times) and self.times[place] < ended:
            yield began, self.times[place]
            began, place = self.times[place], place + 1
        if began < ended:
            yield began, ended

    def split(self, account, began, ended, actors, rest=UNEXPLAINED, with_pauses=True):
        """Adds to `account` where this time went: to the first actor while it ran, to a processor that ran nothing, to
        the waits and then the work of the others, and what is left to `rest`."""
        for start, end in self.slices(began, ended):
            left = end - start
            main = self.threads[actors[0].name]
            ran = min(left, main.ran(start, end))
            paused = 0
            if with_pauses:
                overlap = sum(min(end, pause.ended) - max(start, pause.began)
                              for pause in among(self.pauses, start, end))
                paused = max(0, min(left, overlap) - ran)
            account[actors[0].busy] += ran
            account[PAUSE] += paused
            left -= ran + paused
            for actor in actors:
                thread = self.threads[actor.name]
                waited = min(left, max(0, thread.waited(start, end) - paused))
                account[waits(actor.name)] += waited
                left -= waited
                if thread is not main:
                    ran = min(left, thread.ran(start, end))
                    account[actor.busy] += ran
                    left -= ran
            account[rest] += left

    def split_store(self, account, began, ended, group, http):
        """The same of time in which the writer has a group: `group` names it."""
        moment, actors = began, [Actor("writer", f"{group} is written"), http]
        for span in among(self.disk, began, ended):
            self.split(account, moment, max(moment, span.began), actors)
            start, moment = max(began, span.began), min(ended, span.ended)
            kind = f"{group} is synced" if span.kind == LOG else span.kind
            self.split(account, start, moment, [Actor("writer", kind)], kind, with_pauses=False)
        self.split(account, moment, ended, actors)

    def own_sync(self, read, stored):
        """The sync that made a submission durable, which was read at the first moment, and of which the loop knew at the
        second that it is stored; and the sync before that one. Nothing where none fits.

        It is the first or the second that began after it was read: a group takes in what comes while it is written.
        After the first one the loop would have answered, unless it ran or waited for a processor until it did."""
        first = bisect.bisect_left(self.syncs, (read,))
        fitting = [place for place in (first, first + 1)
                   if place < len(self.syncs) and self.syncs[place].ended <= stored]
        if not fitting:
            return None, None
        loop = self.threads["http"]
        own = fitting[-1]
        late = stored - self.syncs[fitting[0]].ended
        if len(fitting) > 1 and loop.slept(self.syncs[fitting[0]].ended, stored) < late / 4:
            own = fitting[0]
        return self.syncs[own], self.syncs[own - 1] if own else None


def new_account():
    return defaultdict(float)
