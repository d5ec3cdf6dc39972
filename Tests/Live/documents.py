"""Follows a page of the documents as a reader does: writes its files, runs its commands, compares what it shows.

    documents.py BINARY PAGE

Each section has a server and a folder of its own; a page whose commands start the server is one section. Its code is taken in
order. A block below a line that ends with "`NAME.json`:" (or another ending) is the file of that name. A block `sh` is run, all
of a section in one shell that stops at the first command which fails. A block `text` is what the block before it prints, with
`…` for a part of a line, or alone in a line for any lines.

Addresses are replaced by those of this run: 127.0.0.1:8080 and localhost:8080 by the server's, 127.0.0.1:9000 by a free one, and
https://NAME.example by an upstream with the answers of documents_upstream.py, which also checks what arrived.
"""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

from documents_upstream import SECTIONS, Upstream

FENCE = re.compile(r"^```(\w*)$")
NAMED = re.compile(r"`(\w[\w-]*\.\w+)`:$")
MARK = "-- block "


def sections(page):
    """The headings of the page with their code blocks: (language, name of the file or None, text)."""
    title, blocks, kind, lines, before = None, [], None, [], ""
    for line in page.read_text().splitlines():
        fence = FENCE.match(line)
        if kind is not None:
            if line == "```":
                named = NAMED.search(before)
                blocks.append((kind, named and named[1], "\n".join(lines) + "\n"))
                kind, lines, before = None, [], ""
            else:
                lines.append(line)
        elif fence:
            kind = fence[1]
        elif line.startswith("## "):
            if blocks:
                yield title, blocks
            title, blocks = line[3:], []
        elif line:
            before = line
    if blocks:
        yield title, blocks


def matches(shown, printed):
    """Whether the text that the page shows is what was printed, with … for a part of a line, or alone for any lines."""

    def pattern(line):
        return r"(?s:.*)" if line == "…" else "[^\n]*".join(re.escape(part) for part in line.split("…"))

    return re.fullmatch("\n".join(map(pattern, shown.strip().splitlines())), printed.strip()) is not None


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Reader:
    """A person with a shell, a server and a folder."""

    def __init__(self, binary, folder, upstream):
        self.binary, self.folder, self.upstream = binary, pathlib.Path(folder), upstream
        self.port, self.other = free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.programs = self.folder / "programs"
        self.programs.mkdir()
        (self.programs / "jobserver").symlink_to(os.path.abspath(binary))

    def here(self, text):
        text = re.sub(r"\b(127\.0\.0\.1|localhost):8080\b", f"127.0.0.1:{self.port}", text)
        text = re.sub(r"\b127\.0\.0\.1:9000\b", f"127.0.0.1:{self.other}", text).replace("= 9000", f"= {self.other}")
        text = text.replace("jobserver serve", f"jobserver serve --port {self.port} --log-level warning")
        text = re.sub(r"(?<=host set )\w+\.example\b", self.upstream.url.removeprefix("http://"), text)
        return re.sub(r"https://(\w+)\.example\b", rf"{self.upstream.url}/\1", text)

    def environment(self):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("JOBSERVER")}
        return kept | {"PATH": f"{self.programs}:{os.environ['PATH']}", "JOBSERVER_URL": self.url}

    def serve(self):
        server = subprocess.Popen(
            [self.binary, "serve", "--port", str(self.port), "--data", self.folder / "data", "--egress-allow", "127.0.0.0/8",
             "--public-url", self.url, "--log-level", "warning"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment())
        subprocess.run(["curl", "-s", "--retry", "50", "--retry-connrefused", "--retry-delay", "0", "-o", os.devnull,
                        f"{self.url}/readyz"], check=True, timeout=60)
        return server

    def follow(self, blocks):
        """Runs the blocks of a section; what is wrong, or None."""
        script, shown, place = ["set -euo pipefail"], {}, 0
        for number, (kind, name, text) in enumerate(blocks):
            if name:
                (self.work / name).write_text(self.here(text))
            elif kind == "sh":
                place = number
                script += [f"echo; echo '{MARK}{number}'", self.here(text)]
            elif kind == "text":
                shown[place] = self.here(text)
        # A background process keeps the pipe of the output open: it goes to a file.
        with open(self.work / ".output", "w+") as output:
            shell = subprocess.Popen(["bash", "-c", "\n".join(script)], cwd=self.work, stdin=subprocess.DEVNULL, stdout=output,
                                     stderr=subprocess.STDOUT, env=self.environment(), start_new_session=True)
            try:
                status = shell.wait(timeout=100)
            except subprocess.TimeoutExpired:
                status = "no end after 100 s"
            finally:
                try:
                    os.killpg(shell.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            output.seek(0)
            text = output.read()
        if status != 0:
            return f"exit {status}:\n{text}"
        printed = dict(zip(*[iter(re.split(rf"^{MARK}(\d+)\n", text, flags=re.M)[1:])] * 2))
        for number, wanted in shown.items():
            if not matches(wanted, printed.get(str(number), "")):
                return f"the page shows:\n{wanted}\nand this was printed:\n{printed.get(str(number), '')}"
        return None

    @property
    def work(self):
        work = self.folder / "work"
        work.mkdir(exist_ok=True)
        return work


def read(binary, page):
    failures, count = 0, 0
    parts = list(sections(page))
    serves = any("jobserver serve" in text for _, blocks in parts for kind, _, text in blocks if kind == "sh")
    if serves:
        parts = [("the page", [block for _, blocks in parts for block in blocks])]
    for title, blocks in parts:
        if not any(kind == "sh" for kind, _, _ in blocks):
            continue
        count += 1
        folder = tempfile.mkdtemp(prefix="jobserver-documents.")
        answers, check = SECTIONS.get(title, (None, None))
        upstream = Upstream(answers)
        reader = Reader(binary, folder, upstream)
        server = None if serves else reader.serve()
        try:
            trouble = reader.follow(blocks)
            if trouble is None and check is not None:
                trouble = check(upstream.requests)
        finally:
            if server:
                server.kill()
                server.wait()
            upstream.stop()
            shutil.rmtree(folder, ignore_errors=True)
        print(f"{'ok' if trouble is None else 'FAILED'}: {title}")
        if trouble is not None:
            failures += 1
            print(trouble)
    if count == 0:
        print(f"FAILED: {page} has no commands")
    return failures == 0 and count > 0


if __name__ == "__main__":
    if not read(sys.argv[1], pathlib.Path(sys.argv[2])):
        sys.exit(1)
