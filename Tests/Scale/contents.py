"""Copies files of many sizes between a data directory and a PostgreSQL, with kills and damage.

usage: contents.py BINARY FILES LARGEST KILLS
"""
import hashlib
import http.client
import http.server
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import parts  # noqa: F401
from postgres import Postgres
from serving import Server, ServerFailure

PIECE = 1 << 16
# What a copy may take, whatever the files are: pieces of a MiB of four files, and the program.
MEMORY_MAX = 256 << 20


def content(number, size):
    """The bytes of a file, a piece at a time."""
    block = hashlib.sha256(b"%d" % number).digest() * (PIECE // 32)
    for place in range(0, size, PIECE):
        head = b"%016d" % place
        yield (head + block[len(head):])[:size - place]


class Upstream(http.server.ThreadingHTTPServer):
    """`/NUMBER/SIZE` is answered with a file."""

    daemon_threads = True

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            number, size = map(int, self.path[1:].split("/"))
            self.send_response(200)
            self.send_header("Content-Length", str(size))
            self.end_headers()
            try:
                for piece in content(number, size):
                    self.wfile.write(piece)
            except OSError:
                pass

        def log_message(self, *words):
            pass

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Copy:
    """A running copy, with the most memory that it took."""

    def __init__(self, binary, source, target, *flags):
        words = ["--schema", (source if source.store else target).schema, "--artifacts", source.artifacts, *flags]
        self.errors = tempfile.TemporaryFile()
        self.output = tempfile.TemporaryFile()
        self.process = subprocess.Popen([binary, "copy", "--from", source.words, "--to", target.words, *words],
                                        stdout=self.output, stderr=self.errors)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)

    def wait(self):
        """Its exit code, output, errors and the bytes of memory."""
        _, status, use = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (self.output, self.errors):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
            file.close()
        return self.process.returncode, *texts, use.ru_maxrss << 10


class Place:
    """A store, its artifacts, and a server on it."""

    def __init__(self, binary, folder, name, database=None):
        self.store, self.schema = database and database.address, name
        self.folder = f"{folder}/{name}"
        os.mkdir(self.folder)
        self.artifacts = f"{folder}/shared"
        flags = ["--lease", "3s", "--store", self.store, "--schema", name, "--artifacts", self.artifacts] if database else []
        self.server = Server(binary, self.folder, flags)

    @property
    def words(self):
        return self.store or self.server.data

    @property
    def contents(self):
        """The folder with its files."""
        return self.artifacts if self.store else f"{self.server.data}/artifacts"

    def stop(self):
        self.server.ask_to_stop()
        if self.server.process.wait(timeout=120):
            raise ServerFailure(f"the server did not stop in order: {self.server.last_words()}")

    def file(self, digest):
        return f"{self.contents}/{digest[:2]}/{digest[2:]}"


def fill(server, upstream, sizes):
    """Downloads the files. Returns their digests by the ids of their jobs."""
    found = {}
    for number, size in enumerate(sizes):
        url = f"http://127.0.0.1:{upstream.server_address[1]}/{number}/{size}"
        spec = {"type": "download", "request": url, "timeouts": {"attempt": "20m", "total": "20m"}}
        id = server.asked("POST", "/v1/jobs", spec)["id"]
        digest = hashlib.sha256()
        for piece in content(number, size):
            digest.update(piece)
        found[id] = digest.hexdigest()
    for id in found:
        deadline = time.monotonic() + 1200
        while not (job := server.asked("GET", f"/v1/jobs/{id}"))["done"]:
            if time.monotonic() > deadline:
                raise ServerFailure(f"{id} does not end")
            time.sleep(0.05)
        if job["state"] != "succeeded":
            raise ServerFailure(f"{id} is {job['state']}: {job.get('error')}")
    return found


def digest_of(server, id):
    """The digest of a result, or what is answered instead."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    connection.request("GET", f"/v1/jobs/{id}/result")
    answer = connection.getresponse()
    if answer.status != 200:
        return f"{answer.status} {answer.read()[:300]}"
    digest = hashlib.sha256()
    while piece := answer.read(1 << 20):
        digest.update(piece)
    connection.close()
    return digest.hexdigest()


def differing(place, found):
    """What a server on a copy shows otherwise."""
    place.server.start()
    seen = {id: digest_of(place.server, id) for id in found}
    place.stop()
    return [f"{place.schema}: {id} is {seen[id]} and not {found[id]}" for id in found if seen[id] != found[id]]


class Proof:
    def __init__(self, binary, folder, database, dice):
        self.binary, self.folder, self.database, self.dice = binary, folder, database, dice
        self.failures, self.memory, self.killed, self.took = [], 0, 0, []

    def copy(self, source, target, *flags, after=None):
        """A copy that is killed after some seconds, if it still runs then."""
        began = time.monotonic()
        copy = Copy(self.binary, source, target, *flags)
        timer = threading.Timer(after, copy.kill) if after is not None else None
        if timer:
            timer.start()
        code, output, errors, memory = copy.wait()
        if timer:
            timer.cancel()
        if code == -signal.SIGKILL:
            self.killed += 1
        elif code == 0:
            self.took.append(time.monotonic() - began)
            self.memory = max(self.memory, memory)
        return code, output, errors

    def move(self, source, target, found, kills):
        """Copies are killed and repeated until one is whole."""
        code, output, errors = self.copy(source, target)
        if code:
            self.failures.append(f"{target.schema}: the copy ends with {code}: {output[-500:]} {errors[-1500:]}")
            return
        whole = self.took[-1]
        self.failures += self.count(output, found, target)
        shutil.rmtree(target.contents, ignore_errors=True)
        self.empty(target)
        for _ in range(kills):
            code, _, errors = self.copy(source, target, "--restart", after=self.dice.uniform(0, whole))
            if code not in (0, -signal.SIGKILL):
                self.failures.append(f"{target.schema}: a repeated copy ends with {code}: {errors[-1500:]}")
            if code == 0:
                self.empty(target)
        code, output, errors = self.copy(source, target, "--restart")
        if code:
            self.failures.append(f"{target.schema}: the last copy ends with {code}: {errors[-1500:]}")
            return
        self.failures += self.count(output, found, target)
        self.failures += differing(target, found)

    def empty(self, place):
        if place.store:
            self.database.ask(f"DROP SCHEMA IF EXISTS {place.schema} CASCADE")
        else:
            shutil.rmtree(place.server.data, ignore_errors=True)

    def count(self, output, found, target):
        files = len(set(found.values()))
        return [] if f" {files} artifact" in output else [f"{target.schema}: {files} files are told as: {output[:300]}"]

    def damage(self, source, found):
        """A file of the source is missing, cut or changed: the copy names it and ends with an error, or is equal."""
        for kind in ("missing", "cut", "changed"):
            digest = self.dice.choice([each for each in found.values() if os.path.exists(source.file(each))])
            path, kept = source.file(digest), f"{self.folder}/kept"
            shutil.copy(path, kept)
            if kind == "missing":
                os.remove(path)
            elif kind == "cut":
                os.truncate(path, os.path.getsize(path) // 2)
            else:
                with open(path, "r+b") as file:
                    place = self.dice.randrange(os.path.getsize(path))
                    file.seek(place)
                    byte = file.read(1)
                    file.seek(place)
                    file.write(bytes([byte[0] ^ 1]))
            name = f"{source.schema}_{kind}"
            target = Place(self.binary, self.folder, name, None if source.store else self.database)
            if not source.store:
                # Content that an earlier copy stored there would do.
                target.artifacts = source.artifacts = f"{self.folder}/shared-{kind}"
            code, output, errors = self.copy(source, target)
            if code == 0:
                self.failures.append(f"{name}: the copy without {digest} ends with 0: {output[:500]}")
            elif digest not in output + errors:
                self.failures.append(f"{name}: the copy ends with {code} and does not name {digest}: {errors[-500:]}")
            shutil.copy(kept, path)
            self.empty(target)


def main():
    binary, files, largest, kills = sys.argv[1], *map(int, sys.argv[2:5])
    seed = int(os.environ.get("SEED", "1"))
    dice, folder, database, upstream = random.Random(seed), tempfile.mkdtemp(prefix="jobserver-contents-"), Postgres(), Upstream()
    sizes = [int(largest ** (number / max(1, files - 1))) for number in range(files)]
    try:
        database.start()
        proof = Proof(binary, folder, database, dice)
        one, shared, two = Place(binary, folder, "one"), Place(binary, folder, "shared", database), Place(binary, folder, "two")
        one.server.start()
        found = fill(one.server, upstream, sizes)
        one.stop()
        print(f"{files} files of 1 to {sizes[-1]} bytes, {sum(sizes)} together", flush=True)
        for source, target in ((one, shared), (shared, two)):
            proof.move(source, target, found, kills)
            print(f"from {source.schema} to {target.schema}: {proof.killed} copies killed until now, whole ones took "
                  f"{', '.join(f'{each:.1f}' for each in proof.took)} s, at most {proof.memory >> 20} MiB", flush=True)
            if target is shared:
                time.sleep(4)
        for source in (shared, one):
            proof.damage(source, found)
        if proof.memory > MEMORY_MAX:
            proof.failures.append(f"a copy took {proof.memory >> 20} MiB")
    finally:
        database.clean_up()
        if not os.environ.get("KEEP"):
            shutil.rmtree(folder)
    for failure in proof.failures[:30]:
        print("FAILED:", failure)
    print(f"{len(proof.failures)} failures, {proof.killed} copies killed, at most {proof.memory >> 20} MiB of memory")
    sys.exit(1 if proof.failures else 0)


main()
