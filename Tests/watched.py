"""Runs a part of the tests, each line of output with its name before it, and ends it when it hangs.

usage: watched.py NAME LOG SECONDS COMMAND...

A part that prints nothing for SECONDS is killed: the tests that had started and not ended are named, with the stacks of
all threads where gdb is installed. A process that a test left running does not keep the part open, and is named.
"""
import os
import re
import selectors
import signal
import shutil
import subprocess
import sys
import time

name, log_path, silence, command = sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4:]
EVENT = re.compile(rb'\S+ (Test|Suite) (.*?)(?: with \d+ test cases?)? (started|passed|failed|skipped)\b')
DRAIN_SECONDS = 5
log = open(log_path, "ab", buffering=0)
running = {}


def write(line):
    text = name.encode() + b" | " + line + b"\n"
    log.write(text)
    sys.stdout.buffer.write(text)
    sys.stdout.buffer.flush()


def note(line):
    event = EVENT.match(line)
    # The end of a case is not told.
    if not event or event[1] == b"Suite" or event[2].startswith(b"case passing"):
        return
    if event[3] == b"started":
        running[event[2]] = time.monotonic()
    else:
        running.pop(event[2], None)


def family(pid):
    """The process and all below it, parents first."""
    children = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            parent = int(open(f"/proc/{entry}/stat").read().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(int(entry))
    found = [pid]
    for member in found:
        found += children.get(member, [])
    return found


def words(pid):
    try:
        return open(f"/proc/{pid}/cmdline").read().replace("\0", " ").strip()
    except OSError:
        return ""


def kill_hung(process):
    for test, since in running.items():
        write(b"hung: %s, started %d s ago" % (test, time.monotonic() - since))
    members = family(process.pid)
    for member in members:
        write(f"running: {member} {words(member)[:300]}".encode())
        if "xctest" in words(member) and shutil.which("gdb"):
            stacks = subprocess.run(
                ["gdb", "-batch", "-nx", "-ex", "thread apply all bt 30", "-p", str(member)],
                capture_output=True, timeout=120)
            for line in stacks.stdout.splitlines():
                if line.startswith((b"#", b"Thread")):
                    write(b"stack: " + line[:240])
    for member in reversed(members):
        try:
            os.kill(member, signal.SIGKILL)
        except ProcessLookupError:
            pass


process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
os.set_blocking(process.stdout.fileno(), False)
selector = selectors.DefaultSelector()
selector.register(process.stdout, selectors.EVENT_READ)
rest, heard, ended, hung = b"", time.monotonic(), None, False
while True:
    selector.select(1)
    data = process.stdout.read(1 << 16)
    now = time.monotonic()
    if data == b"":
        break
    if data:
        heard = now
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            note(line)
            write(line)
        continue
    if ended is None and process.poll() is not None:
        ended = now
    if ended is not None and now - ended > DRAIN_SECONDS:
        write(b"error: a process that a test started still runs and holds the output of the tests")
        hung = True
        break
    if ended is None and now - heard > silence:
        write(b"error: no output for %d s" % silence)
        kill_hung(process)
        hung = True
        break
if rest:
    write(rest)
status = process.wait()
sys.exit(1 if hung or status else 0)
