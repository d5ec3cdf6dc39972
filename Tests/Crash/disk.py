"""What a disk may hold when the power is cut, by the system calls that had been made until then."""
import re

from tracefile import calls

SECTOR = 512
FILES = ("jobs.db", "jobs.db-wal")
JOB = re.compile(r"job_[0-9a-z]{26}")


class Change:
    """A write, or a truncation when it has no content. `sure_at` is when a sync had brought it to the disk."""

    __slots__ = ("began", "ended", "place", "content", "sure_at")

    def __init__(self, call, place, content=None):
        self.began, self.ended, self.place, self.content, self.sure_at = call.began, call.ended, place, content, None


class History:
    """One file: its changes, in order. Places are those of events in the trace."""

    def __init__(self):
        self.changes, self.syncs, self.failed_syncs, self.pending = [], 0, 0, []

    def note(self, call):
        if call.name in ("fsync", "fdatasync"):
            self.sync(call)
        elif call.result is not None and call.result < 0:
            pass
        elif call.name == "pwrite64":
            content = call.content()
            size, offset = call.number(0), call.number(1)
            if len(content) != size:
                raise ValueError(f"{len(content)} of {size} bytes of a write are in the trace")
            self.change(Change(call, offset, content))
        elif call.name == "ftruncate":
            self.change(Change(call, call.number(0)))
        else:
            raise ValueError(f"the store is not known to use {call.name}: {call.text[:200]}")

    def change(self, change):
        self.changes.append(change)
        self.pending.append(change)

    def sync(self, call):
        """What waits for a sync that fails is given up by the system: a later sync does not bring it to the disk."""
        if call.ended is None:
            return
        if call.result == 0:
            self.syncs += 1
            for change in self.pending:
                if change.ended < call.began:
                    change.sure_at = call.ended
        else:
            self.failed_syncs += 1
        self.pending = [change for change in self.pending if change.ended >= call.began]

    def image(self, moment, dice):
        """The content after a power cut: what was synced, and whatever the dice leave of the rest, torn into sectors."""
        image, kept = bytearray(), dice.choice([0.0, 0.3, 0.7, 1.0])
        for change in self.changes:
            if change.began >= moment:
                continue
            is_sure = change.sure_at is not None and change.sure_at < moment
            if change.content is None:
                if is_sure or dice.random() < kept:
                    resize(image, change.place)
            elif is_sure:
                put(image, change.place, change.content)
            else:
                for start in range(0, len(change.content), SECTOR):
                    if dice.random() < kept:
                        put(image, change.place + start, change.content[start:start + SECTOR])
        return image


def put(image, place, content):
    if len(image) < place:
        resize(image, place)
    image[place:place + len(content)] = content


def resize(image, size):
    if size < len(image):
        del image[size:]
    else:
        image.extend(bytes(size - len(image)))


class Disk:
    """All files of the store, and when which job's id was told to a client."""

    def __init__(self, trace):
        self.files = {name: History() for name in FILES}
        self.told, self.end = {}, 0
        for call in calls(trace):
            self.end = max(self.end, call.began)
            if call.path.startswith("socket:"):
                for job in JOB.findall(call.text):
                    self.told[job] = min(call.began, self.told.get(job, call.began))
            elif history := self.files.get(call.path.rsplit("/", 1)[-1]):
                history.note(call)
        for history in self.files.values():
            history.changes.sort(key=lambda change: change.began)

    def told_before(self, moment):
        """The ids of all jobs that were acknowledged when the power was cut."""
        return {job for job, began in self.told.items() if began < moment}

    def write(self, moment, dice, folder):
        """Makes the files as the cut leaves them."""
        for name, history in self.files.items():
            with open(f"{folder}/{name}", "wb") as out:
                out.write(history.image(moment, dice))
