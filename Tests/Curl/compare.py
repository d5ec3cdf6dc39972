"""Sends curl lines twice, with curl and as jobs, to a server that records what arrives, and compares.

    compare.py JOBSERVER URL CURL FILE...

Each line of the files is a command for bash. It is run three times: by curl, by `jobserver run`, and as a script that is
submitted. Below it, indented, is what differs: `run:` and `script:` with `refused: WORDS` or `differs: PARTS`, then ` — `
and the reason; `nothing` is a line with which neither sends anything. Lines as browsers copy them (browsers.py) come on
top; those for cmd are compared with the line for bash that has the same words. With WRITE=1 the files are written anew,
and what has no reason yet gets none.
"""

import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import browsers

JOBSERVER, SERVER, CURL = sys.argv[1:4]
FILES = sys.argv[4:]
WORKERS = int(os.environ.get("WORKERS", "4"))
# The names in the lines, which become the address of the recorder. `ftp.` means another protocol to curl.
HOST = re.compile(
    r"(?<![\w.-])(?!ftp\.)((?:[\w-]+\.)*(?:example(?:\.com|\.org|\.net)?|haxx\.se|curl\.se)|\^?\\?\[2001[0-9a-f:]+\^?\\?\])"
    r"(?::\d+)?(?![\w.-]*[\w@])")

# The files that a line names.
FILE = re.compile(r"[@<]\\?\"?([\w.-]+)|(?:-T|--upload-file|--cookie|-b|-K|--config) (\w[\w.-]*)(?= |$)")


class Recorder:
    """A server on loopback that answers every request with 200 and keeps it."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.requests = []
        self.line = 0
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.talk, args=(connection, self.line), daemon=True).start()

    def begin(self):
        """Forgets what has arrived; connections that are open belong to an earlier line."""
        self.line += 1
        self.requests = []

    def talk(self, connection, line):
        connection.settimeout(20)
        stream = connection.makefile("rb")
        try:
            if request := self.read(stream, connection):
                if line == self.line:
                    self.requests.append(request)
                # Each line has connections of its own.
                connection.sendall(
                    b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\nConnection: close\r\n\r\nok\n")
        except (OSError, ValueError):
            pass
        finally:
            connection.close()

    def read(self, stream, connection):
        """(method, target, fields, content); None at the end."""
        first = stream.readline().rstrip(b"\r\n").decode("latin-1")
        if not first.endswith(" HTTP/1.1"):
            return None
        method, target = first.split(" ")[0], first[first.index(" ") + 1:first.rindex(" ")]
        fields = []
        while line := stream.readline().rstrip(b"\r\n").decode("latin-1"):
            name, _, value = line.partition(":")
            fields.append((name.lower(), value.strip()))
        known = dict(fields)
        if "100-continue" in known.get("expect", "").lower():
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        if known.get("transfer-encoding", "").lower() == "chunked":
            content = b""
            while size := int(stream.readline(), 16):
                content += stream.read(size)
                stream.readline()
            stream.readline()
        else:
            content = stream.read(int(known.get("content-length", "0")))
        return method, target, fields, content


def comparable(request):
    """A request without what is the client's own or means the same."""
    method, target, fields, content = request
    # curl 7.88 writes the digits of escapes in lower case where it adds to a query, curl 8 in upper case.
    target = re.sub(r"%[0-9a-fA-F]{2}", lambda found: found[0].upper(), target)
    found = {}
    boundary = None
    for name, value in fields:
        # A connection is the client's, a download must be able to go on in the middle, and of a method with a meaning
        # for content the length is told when there is none (RFC 9110 section 8.6).
        if name == "connection" or (name, value) in (("accept-encoding", "identity"), ("content-length", "0")):
            continue
        if name == "content-type" and (match := re.fullmatch(r"(multipart/form-data; boundary=)(-+[\w-]+)", value)):
            if match[2].startswith(("------------------------", "----jobserver-")):
                boundary, value = match[2], match[1] + "…"
        if name == "user-agent" and re.fullmatch(r"(curl|jobserver)/[\w.+-]+", value):
            value = "the client's"
        found.setdefault(name, []).append(value)
    if boundary:
        content = content.replace(boundary.encode(), b"boundary")
        found.pop("content-length", None)
    return {"method": method, "target": target, "fields": found, "content": content}


def difference(wanted, got):
    """The parts that differ, in words; empty when none does."""
    if len(wanted) != len(got):
        return f"{len(got)} calls instead of {len(wanted)}"
    parts = []
    for one, other in zip(map(comparable, wanted), map(comparable, got)):
        parts += [part for part in ("method", "target", "content") if one[part] != other[part]]
        for name in sorted(one["fields"].keys() | other["fields"].keys()):
            if one["fields"].get(name) != other["fields"].get(name):
                parts.append(name)
    if parts and os.environ.get("SHOW"):
        print(wanted, got, sep="\n")
    return ", ".join(dict.fromkeys(parts))


class Place:
    """A folder with the files that the lines name, and the programs that are called curl in it."""

    def __init__(self):
        self.recorder = Recorder()
        self.path = tempfile.mkdtemp(prefix="jobserver-curl.")
        for name, command in (
            ("curl", f'exec {CURL} -s -m 20 "$@"'),
            ("job", f'exec {JOBSERVER} run --timeout 30 -- curl "$@"'),
        ):
            os.mkdir(f"{self.path}/{name}")
            with open(f"{self.path}/{name}/curl", "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{command}\n")
            os.chmod(f"{self.path}/{name}/curl", 0o755)

    def loopback(self, line):
        """The line with the address of the recorder in it."""
        return HOST.sub(f"127.0.0.1:{self.recorder.port}", line.replace("https://", "http://"))

    def run(self, program, line):
        """(exit code, its messages, the requests, what the commands behind it print) of a line in bash."""
        self.recorder.begin()
        home = tempfile.mkdtemp(dir=self.path)
        for name in FILE.findall(line):
            with open(f"{home}/{name[0] or name[1]}", "w", encoding="utf-8") as file:
                file.write(f'{name[0] or name[1]}: "1"\nX-2: x=y; z\n')
        environment = {
            "PATH": f"{self.path}/{program}:/usr/bin:/bin", "HOME": home, "JOBSERVER_URL": SERVER, "LC_ALL": "C.UTF-8"}
        ended = subprocess.run(
            ["bash", "-c", self.loopback(line)], cwd=home, stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
            env=environment)
        printed = ended.stdout.decode(errors="replace") if re.search(r"(&&|;) (cat|ls)", line) else ""
        return ended.returncode, ended.stderr.decode(errors="replace"), self.recorder.requests, printed

    def submit(self, line):
        """(problems, the requests) of a script."""
        self.recorder.begin()
        while True:
            connection = http.client.HTTPConnection(SERVER.split("//")[1], timeout=60)
            connection.request("POST", "/v1/jobs", self.loopback(line).encode(), {
                "Content-Type": "text/x-shellscript", "Prefer": "wait=5"})
            answer = connection.getresponse()
            body = json.loads(answer.read())
            connection.close()
            # A machine whose disk is busy.
            if answer.status != 503:
                break
            time.sleep(1)
        if answer.status >= 400:
            problems = [item["detail"] for item in body.get("errors", [])] or [body["detail"]]
            return " ".join(re.sub(r"^At line \d+, column \d+: ", "", problem) for problem in problems), []
        return "", self.recorder.requests


def outcome(wanted, problems, got):
    """What became of a line: empty, or a text that begins with `refused`, `differs` or `nothing`."""
    if not wanted and not got:
        return "nothing"
    if not got and problems:
        return f"refused: {problems}"
    found = difference(wanted, got)
    return f"differs: {found}" if found else ""


places = threading.local()
all_places = []


def place():
    if not hasattr(places, "own"):
        places.own = Place()
        all_places.append(places.own)
    return places.own


def judged(line):
    """What differs for a line of a file, by the way it is run."""
    here = place()
    _, _, wanted, files = here.run("curl", line)
    code, messages, got, own_files = here.run("job", line)
    problems = re.sub(r"^curl: (\(\d+\) )?", "", messages.strip(), flags=re.M).replace("\n", " ") if code else ""
    found = {"run": outcome(wanted, problems, got), "script": outcome(wanted, *here.submit(line))}
    if found["run"] in ("", "nothing") and files != own_files:
        found["run"] = f"differs: the file: {own_files!r} instead of {files!r}"
    # The sentence is enough to find the problem; paths and ports differ.
    return {way: re.sub(r"127\.0\.0\.1:\d+", "example.com", text)[:110].rstrip() for way, text in found.items() if text}


def copied(item):
    """What differs for a line of a browser."""
    name, line, model = item
    here = place()
    _, _, wanted, _ = here.run("curl", model)
    return name, outcome(wanted, *here.submit(line)) if wanted else f"curl sends nothing: {model}"


def read(path):
    """[(line, {way: (outcome, reason)})]; comments are lines with a `#`."""
    found = []
    with open(path, encoding="utf-8") as file:
        for text in file.read().splitlines():
            if text.startswith("    "):
                way, _, rest = text.strip().partition(": ")
                told, _, reason = rest.partition(" — ")
                found[-1][1][way] = (told, reason)
            else:
                found.append((text, {}))
    return found


def main():
    failures = 0
    count = 0
    told = 0
    with ThreadPoolExecutor(WORKERS) as pool:
        for name, text in pool.map(copied, browsers.lines()):
            count += 1
            wanted = browsers.DIFFERENT.get(name, "").partition(" — ")[0]
            told += bool(wanted)
            if not text.startswith(wanted) or bool(text) != bool(wanted):
                failures += 1
                print(f"FAILED: {name}: {text or 'the same'}; expected: {wanted or 'the same'}")
        for path in FILES:
            rows = read(path)
            lines = [row[0] for row in rows if row[0] and not row[0].startswith("#")]
            results = dict(zip(lines, pool.map(judged, lines)))
            if os.environ.get("WRITE"):
                with open(path, "w", encoding="utf-8") as file:
                    for line, known in rows:
                        file.write(line + "\n")
                        for way, text in results.get(line, {}).items():
                            before, reason = known.get(way, ("", ""))
                            file.write(f"    {way}: {text}{' — ' + reason if reason and before == text else ''}\n")
                continue
            for line, known in rows:
                if line not in results:
                    continue
                count += 1
                told += bool(known)
                for way in sorted(results[line].keys() | known.keys()):
                    text, (before, reason) = results[line].get(way, ""), known.get(way, ("", ""))
                    if text != before:
                        failures += 1
                        print(f"FAILED: {line}\n    {way}: {text or 'the same'}\n    expected: {before or 'the same'}")
                    elif text.startswith("differs") and not reason:
                        failures += 1
                        print(f"FAILED: {line}\n    {way}: {text} has no reason")
    for one in all_places:
        shutil.rmtree(one.path, ignore_errors=True)
    print(f"{count} lines, {told} with a difference or a refusal that is written down, {failures} others")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
