"""HTTP on plain sockets: each answer with the time at which the kernel had it, however late this process looked."""
import socket
import struct
import time

#: SO_TIMESTAMPNS, which Python has no name for.
STAMPS = 35


class Wire:
    """One connection."""

    def __init__(self, port, timeout=30, stamps=False):
        self.port, self.timeout, self.stamps = port, timeout, stamps
        self.socket, self.stamp = None, 0
        self.buffer = b""

    def open(self):
        self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=self.timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.stamps:
            self.socket.setsockopt(socket.SOL_SOCKET, STAMPS, 1)
        self.buffer = b""

    def close(self):
        if self.socket:
            self.socket.close()
            self.socket = None

    def send(self, method, path, token=None, body=None, kind="application/json", fields=""):
        if self.socket is None:
            self.open()
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{fields}"
        if token:
            head += f"Authorization: Bearer {token}\r\n"
        if body is not None:
            head += f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        self.socket.sendall(head.encode() + b"\r\n" + (body or b""))

    def more(self):
        if self.stamps:
            data, extra, _, _ = self.socket.recvmsg(1 << 16, 64)
            for level, what, value in extra:
                if level == socket.SOL_SOCKET and what == STAMPS:
                    seconds, nanoseconds = struct.unpack("=qq", value[:16])
                    self.stamp = seconds + nanoseconds / 1e9
        else:
            data = self.socket.recv(1 << 18)
        if not data:
            raise OSError("the server closed the connection")
        self.buffer += data

    def line(self):
        while b"\r\n" not in self.buffer:
            self.more()
        line, self.buffer = self.buffer.split(b"\r\n", 1)
        return line

    def answer(self, keep=True):
        """Status and content. Content that is not kept is only counted."""
        status, length, chunked, ends = int(self.line().split()[1]), 0, False, False
        while line := self.line():
            name, _, value = line.partition(b":")
            name, value = name.lower(), value.strip().lower()
            if name == b"content-length":
                length = int(value)
            chunked |= name == b"transfer-encoding" and b"chunked" in value
            ends |= name == b"connection" and b"close" in value
        if chunked:
            content = b""
            while size := int(self.line().split(b";")[0], 16):
                piece = self.exactly(size + 2)
                content = content + piece[:-2] if keep else b""
            self.line()
        else:
            content = self.exactly(length)
        if ends:
            self.close()
        return status, content

    def exactly(self, length):
        while len(self.buffer) < length:
            self.more()
        content, self.buffer = self.buffer[:length], self.buffer[length:]
        return content

    def ask(self, *words, **more):
        try:
            self.send(*words, **more)
            return self.answer()
        except (OSError, ValueError, IndexError):
            self.close()
            raise


def timed(wire, *words, **more):
    """Status, content, the seconds until the kernel had the answer, and those by which this process looked later."""
    began = time.time()
    wire.stamp = 0
    status, content = wire.ask(*words, **more)
    ended = time.time()
    stamp = wire.stamp or ended
    return status, content, max(stamp - began, 0), max(ended - stamp, 0)


def quantile(series, share):
    return sorted(series)[min(int(len(series) * share), len(series) - 1)] if series else 0.0
