"""A server under test: the processor time of its threads, the slices of its loops, and the bytes it has allocated."""
import mmap
import os
import re
import socket
import struct
import sys

from .contract import ROOT

sys.path.append(f"{ROOT}/Benchmarks")
from Costs.server import Server  # noqa: E402


class Watched:
    """One process whose memory is counted."""

    def __init__(self, binary, folder, tools, store=None):
        self.file = open(f"{folder}/live", "w+b")
        self.file.truncate(16)
        self.server = Server(binary, folder, store, environment={"LD_PRELOAD": f"{tools}/live.so", "BOUNDS_LIVE": self.file.name})
        self.memory = mmap.mmap(self.file.fileno(), 16)
        self.pid, self.port = self.server.process.pid, self.server.port
        self.client = Client(self.port)
        self.has_slices = "jobserver_loop_slice_seconds_max" in self.client.ask("GET", "/metrics")[1].decode()

    def spent(self):
        """Seconds of processor time by thread, as (id, name)."""
        found = {}
        folder = f"/proc/{self.pid}/task"
        for thread in os.listdir(folder):
            try:
                with open(f"{folder}/{thread}/schedstat") as file:
                    seconds = int(file.read().split()[0]) / 1e9
                with open(f"{folder}/{thread}/comm") as file:
                    found[thread, file.read().strip()] = seconds
            except (FileNotFoundError, ProcessLookupError):
                continue
        return found

    def live(self):
        return struct.unpack("=qq", self.memory[:])

    def begin_memory(self):
        live = self.live()[0]
        self.memory[8:16] = struct.pack("=q", live)
        return live

    def most_memory(self):
        return self.live()[1]

    def slices(self):
        """The longest slice of each loop since the last call, in seconds; nothing when the server does not tell."""
        if not self.has_slices:
            return {}
        page = Client(self.port).ask("GET", "/metrics")[1].decode()
        return {loop: float(text) for loop, text in re.findall(r'^jobserver_loop_slice_seconds_max{loop="([^"]+)"} (\S+)$',
                                                               page, re.MULTILINE)}

    def is_alive(self):
        return self.server.process.poll() is None

    def stop(self):
        self.client.close()
        self.server.stop()
        self.memory.close()
        self.file.close()


class Client:
    """One connection. Names in braces in a path stand for ids and tokens of this server."""

    def __init__(self, port, timeout=120):
        self.port, self.timeout, self.names = port, timeout, {}
        self.open()

    def open(self):
        self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=self.timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = self.socket.makefile("rb")

    def ask(self, method, path, content=None, kind="application/json", fields=""):
        """The status and the content of the answer."""
        for name, word in self.names.items():
            path = path.replace(f"{{{name}}}", word)
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{fields}"
        if content is not None:
            head += f"Content-Type: {kind}\r\nContent-Length: {len(content)}\r\n"
        self.socket.sendall(head.encode() + b"\r\n" + (content or b""))
        status = int(self.stream.readline().split()[1])
        length, chunked, ends = 0, False, False
        for line in iter(self.stream.readline, b"\r\n"):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
            ends = ends or (name.lower() == b"connection" and b"close" in value.lower())
            chunked = chunked or (name.lower() == b"transfer-encoding" and b"chunked" in value)
        content = self.chunks() if chunked else self.stream.read(length)
        if ends:
            self.close()
            self.open()
        return status, content

    def chunks(self):
        parts = []
        while size := int(self.stream.readline().split(b";")[0], 16):
            parts.append(self.stream.read(size))
            self.stream.readline()
        self.stream.readline()
        return b"".join(parts)

    def close(self):
        self.stream.close()
        self.socket.close()
