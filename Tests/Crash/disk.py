"""What a disk may hold when the power is cut, by the system calls that had been made until then."""
import re

from tracefile import calls

SECTOR = 512
FILES = ("jobs.db", "jobs.db-wal")
JOB = re.compile(r"job_[0-9a-z]{26}")


class History:
    """One file: its changes, in order, and its syncs. Places are those of events in the trace."""

    def __init__(self):
        self.changes, self.syncs = [], []

    def note(self, call):
        if call.name in ("fsync", "fdatasync"):
            if call.result == 0:
                self.syncs.append((call.began, call.ended))
        elif call.name == "pwrite64":
            content = call.content()
            size, offset = call.number(0), call.number(1)
            if len(content) != size:
                raise ValueError(f"{len(content)} of {size} bytes of a write are in the trace")
            self.changes.append((call.began, call.ended, offset, content))
        elif call.name == "ftruncate":
            self.changes.append((call.began, call.ended, call.number(0), None))
        else:
            raise ValueError(f"the store is not known to use {call.name}: {call.text[:200]}")

    def image(self, moment, dice):
        """The content after a power cut: what was synced, and whatever the dice leave of the rest, torn into sectors."""
        synced = max((began for began, ended in self.syncs if ended < moment), default=-1)
        image, kept = bytearray(), dice.choice([0.0, 0.3, 0.7, 1.0])
        for began, ended, place, content in self.changes:
            if began >= moment:
                continue
            is_sure = ended is not None and ended < synced
            if content is None:
                if is_sure or dice.random() < kept:
                    resize(image, place)
            elif is_sure:
                put(image, place, content)
            else:
                for start in range(0, len(content), SECTOR):
                    if dice.random() < kept:
                        put(image, place + start, content[start:start + SECTOR])
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
            history.changes.sort(key=lambda change: change[0])

    def told_before(self, moment):
        """The ids of all jobs that were acknowledged when the power was cut."""
        return {job for job, began in self.told.items() if began < moment}

    def write(self, moment, dice, folder):
        """Makes the files as the cut leaves them."""
        for name, history in self.files.items():
            with open(f"{folder}/{name}", "wb") as out:
                out.write(history.image(moment, dice))
