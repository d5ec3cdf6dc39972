"""A keep-alive HTTP/1.1 connection to this machine, fast enough to be the load of a benchmark."""
import socket


class Connection:
    """Sends whole requests, one or several at once, and gives back the answers in their order."""

    __slots__ = ("socket", "buffer")

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.buffer = b""

    def fileno(self):
        return self.socket.fileno()

    def send(self, content):
        """Raises OSError when the connection is gone."""
        try:
            sent = self.socket.send(content)
        except BlockingIOError:
            sent = 0
        if sent < len(content):
            self.socket.settimeout(10)
            self.socket.sendall(content[sent:])
            self.socket.setblocking(False)

    def receive(self):
        """The received answers: a list of (status, head, content), and whether the connection is still open."""
        is_open = True
        try:
            piece = self.socket.recv(1 << 18)
            is_open = bool(piece)
            self.buffer = self.buffer + piece if self.buffer else piece
        except BlockingIOError:
            pass
        except OSError:
            is_open = False
        return self.answers(), is_open

    def answers(self):
        found, buffer, place = [], self.buffer, 0
        while (end := buffer.find(b"\r\n\r\n", place)) >= 0:
            head = buffer[place:end]
            mark = head.find(b"\r\nContent-Length: ")
            length = 0
            if mark >= 0:
                stop = head.find(b"\r\n", mark + 18)
                length = int(head[mark + 18:stop if stop >= 0 else len(head)])
            if len(buffer) < end + 4 + length:
                break
            found.append((int(head[9:12]), head, buffer[end + 4:end + 4 + length]))
            place = end + 4 + length
        self.buffer = buffer[place:]
        return found

    def close(self):
        self.socket.close()
