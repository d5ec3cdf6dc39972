"""Reads strace output: the order in which system calls began and ended, over all threads."""
import codecs
import re
import time

# With -D the server remains the child of its starter, and strace is the grandchild.
OPTIONS = ("-D", "-f", "-y", "-s", "140000", "-e", "signal=kill", "-e",
           "trace=pwrite64,pwritev,write,writev,sendto,sendmsg,fsync,fdatasync,ftruncate,fallocate,unlink,rename")
LINE = re.compile(r"(\d+) +(?:<\.\.\. )?(\w+)(\(| resumed>)")
RESULT = re.compile(r" = (-?\d+)[^\"]*$")
NUMBER = re.compile(r"(?<=, )\d+")
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

    def content(self):
        """The bytes that were written."""
        return codecs.escape_decode(self.text[self.text.index('"') + 1:self.text.rindex('"')].encode("latin-1"))[0]

    def number(self, place):
        """An argument after the last string, or after the file without one: 0 is the first."""
        words = self.text[self.text.rfind('"') + 1:] if '"' in self.text else self.text[self.text.index(","):]
        return int(NUMBER.findall(words)[place])


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
