"""The evidence of a trace about the server's acknowledgements."""
import bisect
import re

from tracefile import calls


class Evidence:
    """The evidence of a trace about marks in the log of the store and ids in answers to clients."""

    def __init__(self, path, seed):
        mark, job = re.compile(rf"mark-{seed}-(\d+)-"), re.compile(r"job_[0-9a-z]{26}")
        # The times of the first write of a job's bytes, and of the first write of its id to a socket.
        self.written, self.told = {}, {}
        syncs = []
        self.writes = 0
        for call in calls(path):
            if call.name in ("fsync", "fdatasync"):
                if call.path.endswith("-wal") and call.result == 0:
                    syncs.append((call.began, call.ended))
            elif call.path.endswith("-wal"):
                self.writes += 1
                if call.result is not None and call.result > 0:
                    for number in mark.findall(call.text):
                        self.written.setdefault(int(number), call.ended)
            elif call.path.startswith("socket:"):
                for name in job.findall(call.text):
                    self.told[name] = min(call.began, self.told.get(name, call.began))
        self.syncs = sorted(syncs)

    def complaint(self, number, name):
        """Why the acknowledgement of a job was not honest; None when it was."""
        written, told = self.written.get(number), self.told.get(name)
        if told is None:
            return "its id is in no write to a socket"
        if written is None or written > told:
            return "its bytes were not written before"
        later = self.syncs[bisect.bisect_left(self.syncs, (written, 0)):]
        if not later or min(later[:8], key=lambda sync: sync[1])[1] > told:
            return "its bytes were written, but not synced before"
        return None
