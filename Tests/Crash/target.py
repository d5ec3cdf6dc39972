"""The target of the jobs' calls: counts every call, in a separate process.

usage: target.py PORT_FILE LOG PARENT

`/call/NUMBER`, with any method, is answered with `answer_to(NUMBER)`, one in eight late. Each call is written to the
log as its number, four bytes, in the order of arrival. `/mark` is answered with how many calls the log has, when
everything that had arrived before it has been counted.
"""
import heapq
import http.client
import json
import os
import select
import socket
import struct
import subprocess
import sys
import time


def scattered(number):
    """A number that looks random and is always the same."""
    return number * 2654435761 & 0xFFFFFFFF


def answer_to(number):
    """The JSON with which a call is answered."""
    return {"call": number, "check": scattered(number)}


def lateness(number):
    """How many seconds the answer to a call takes; mostly none."""
    return (1 + scattered(number) % 60) / 1000 if scattered(number) >> 8 & 7 == 0 else 0


def response(content):
    return (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(content)) + content


class Counter:
    """One loop over all connections."""

    def __init__(self, listener, log):
        self.listener, self.log = listener, log
        self.poll = select.epoll()
        self.poll.register(listener.fileno(), select.EPOLLIN)
        self.peers, self.held, self.late, self.marks = {}, {}, [], []
        self.count, self.fresh, self.turns = 0, [], 0

    def turn(self):
        wait = max(0, self.late[0][0] - time.monotonic()) if self.late else 0.2
        events = self.poll.poll(0 if self.marks else wait, 4096)
        for number, _ in events:
            self.accept() if number == self.listener.fileno() else self.read(number)
        while self.late and self.late[0][0] <= time.monotonic():
            _, _, peer, content = heapq.heappop(self.late)
            self.send(peer, content)
        if self.fresh:
            os.write(self.log, struct.pack(f"<{len(self.fresh)}I", *self.fresh))
            self.fresh = []
        self.turns = 0 if events else self.turns + 1
        if self.marks and self.turns >= 2:
            for peer in self.marks:
                self.send(peer, response(b"%d" % self.count))
            self.marks = []

    def accept(self):
        try:
            while True:
                peer, _ = self.listener.accept()
                peer.setblocking(False)
                peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.peers[peer.fileno()] = peer
                self.poll.register(peer.fileno(), select.EPOLLIN)
        except BlockingIOError:
            pass

    def read(self, place):
        peer = self.peers[place]
        try:
            piece = peer.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            piece = b""
        if not piece:
            self.lose(place)
            return
        held = self.held.pop(place, b"") + piece
        while held:
            head = held.find(b"\r\n\r\n")
            mark = held.lower().find(b"content-length: ", 0, head)
            length = int(held[mark + 16:held.find(b"\r\n", mark)]) if 0 <= mark < head else 0
            if head < 0 or len(held) < head + 4 + length:
                self.held[place] = held
                return
            self.answer(peer, held.split(b" ", 2)[1])
            held = held[head + 4 + length:]

    def lose(self, place):
        self.poll.unregister(place)
        self.peers.pop(place).close()
        self.held.pop(place, None)

    def answer(self, peer, path):
        if path == b"/mark":
            self.marks.append(peer)
            return
        number = int(path[len(b"/call/"):])
        self.count += 1
        self.fresh.append(number)
        content = response(json.dumps(answer_to(number)).encode())
        if late := lateness(number):
            heapq.heappush(self.late, (time.monotonic() + late, self.count, peer, content))
        else:
            self.send(peer, content)

    def send(self, peer, content):
        """An answer for a peer that has gone is dropped."""
        try:
            peer.send(content)
        except OSError:
            pass


def serve(kind, port_file, log, parent):
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    listener.setblocking(False)
    counter = kind(listener, os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
    with open(port_file + ".new", "w") as out:
        out.write(str(listener.getsockname()[1]))
    os.rename(port_file + ".new", port_file)
    while os.path.exists(f"/proc/{parent}"):
        counter.turn()


class Target:
    """The counting process, as the rounds see it."""

    program = __file__

    def __init__(self, folder):
        self.log = f"{folder}/calls"
        port_file = f"{folder}/target"
        self.process = subprocess.Popen([sys.executable, self.program, port_file, self.log, str(os.getpid())])
        deadline = time.monotonic() + 20
        while not os.path.exists(port_file):
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise RuntimeError("the target did not start")
            time.sleep(0.005)
        self.port = int(open(port_file).read())
        self.control = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def mark(self):
        """How many calls have come until now, including unread ones."""
        self.control.request("GET", "/mark")
        return int(self.control.getresponse().read())

    def calls(self, first, end):
        """The numbers of the calls from place `first` to before `end`."""
        with open(self.log, "rb") as log:
            log.seek(4 * first)
            content = log.read(4 * (end - first))
        return [number for number, in struct.iter_unpack("<I", content)]

    def clean_up(self):
        self.process.kill()
        self.process.wait()


if __name__ == "__main__":
    serve(Counter, *sys.argv[1:4])
