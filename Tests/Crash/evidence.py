"""Reads what strace wrote: which system calls began and ended in which order, over all threads."""
import bisect
import re
import time

# With -D the server stays the child of who started it, and strace is its grandchild.
OPTIONS = ("-D", "-f", "-y", "-s", "70000", "-e", "trace=pwrite64,pwritev,write,writev,sendto,sendmsg,fsync,fdatasync",
           "-e", "signal=kill")
LINE = re.compile(r"(\d+) +(?:<\.\.\. )?(\w+)(\(| resumed>)")
RESULT = re.compile(r" = (-?\d+)[^\"]*$")
PLACE = re.compile(r"\((\d+)(?:<([^>]*)>)?")


def wait_complete(path, process):
    """Waits until the trace of a process that has ended is written."""
    deadline = time.monotonic() + 60
    end = re.compile(rb"(?m)^%d +\+\+\+ " % process)
    while time.monotonic() < deadline:
        with open(path, "rb") as trace:
            trace.seek(max(0, trace.seek(0, 2) - 65536))
            if end.search(trace.read()):
                return
        time.sleep(0.02)
    raise RuntimeError("strace did not come to an end")


class Call:
    """One system call: `began` and `ended` are places in the order of all events."""

    __slots__ = ("name", "path", "text", "began", "ended", "result")

    def __init__(self, name, path, text, began):
        self.name, self.path, self.text, self.began, self.ended, self.result = name, path, text, began, None, None


def calls(path):
    """All calls in the order in which they ended; those that never did come last.

    strace holds a thread at the entry and at the exit of a call until it has taken note. So a call that is seen to
    begin after another was seen to end did begin after it.
    """
    open_calls = {}
    with open(path, errors="replace") as lines:
        for place, line in enumerate(lines):
            found = LINE.match(line)
            if not found:
                continue
            thread, name, how = found.groups()
            if how == "(":
                target = PLACE.search(line, found.end() - 1)
                call = Call(name, target[2] or "" if target else "", line, place)
                if line.endswith("<unfinished ...>\n"):
                    open_calls[thread] = call
                    continue
            else:
                call = open_calls.pop(thread, None)
                if call is None:
                    continue
            result = RESULT.search(line)
            call.ended, call.result = place, int(result[1]) if result else None
            yield call
    yield from open_calls.values()


class Evidence:
    """What a trace says about marks that were written to the log of the store and ids that were told to clients."""

    def __init__(self, path, seed):
        mark, job = re.compile(rf"mark-{seed}-(\d+)-"), re.compile(r"job_[0-9a-z]{26}")
        # When the bytes of a job had first been written, and when its id was first handed to a socket.
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
