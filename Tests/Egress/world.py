"""A small internet on one machine: addresses, listeners on all of them, and a name server.

usage: world.py addresses            prints "4 ADDRESS/LENGTH" or "6 ADDRESS/LENGTH", a line each
       world.py serve SEEN PARENT    listens on ports 80, 443, 8000 and 53; ends with PARENT

Every accepted connection adds a line with the address and port that were reached to SEEN.
"""
import ipaddress
import os
import socket
import struct
import sys
import threading
import time
import urllib.parse

# Permitted addresses: the internet in this world.
PUBLIC = ["93.184.216.34", "2606:2800:220:1::34"]

# Forbidden addresses, as far as they can be assigned to an interface. 127/8 and ::1 exist already.
FORBIDDEN = [
    "10.0.0.1", "10.255.255.254", "172.16.0.1", "172.31.255.254", "192.168.0.1", "192.168.255.254",
    "100.64.0.1", "100.127.255.254", "169.254.0.1", "169.254.169.254", "169.254.170.2", "100.100.100.200",
    "168.63.129.16", "192.0.0.1", "192.0.0.192", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.19.255.254",
    "198.51.100.1", "203.0.113.1", "240.0.0.1", "255.255.255.254", "fc00::1", "fd00::1", "fd00:ec2::254",
    "fe80::1", "fec0::1", "2001:db8::1", "3fff::1", "100::1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1", "2002:7f00:1::1", "2002:a9fe:a9fe::1", "2001:0:7f00:1::80ff:fffe", "::7f00:1", "::a9fe:a9fe",
    "::ffff:0:7f00:1", "2001:2::1", "2001:10::1", "5f00::1", "fd12:3456:789a::1",
]

# Names and their addresses. The answers of a list of lists are used one after the other, the last one repeatedly.
NAMES = {
    "public.test": ["93.184.216.34"],
    "public6.test": ["2606:2800:220:1::34"],
    "both.test": ["93.184.216.34", "2606:2800:220:1::34"],
    "loop.test": ["127.0.0.1"],
    "loop6.test": ["::1"],
    "zero.test": ["0.0.0.0"],
    "zero6.test": ["::"],
    "private.test": ["10.0.0.1"],
    "meta.test": ["169.254.169.254"],
    "mapped.test": ["::ffff:127.0.0.1"],
    "compatible.test": ["::7f00:1"],
    "nat64.test": ["64:ff9b::7f00:1"],
    "tunnel.test": ["2002:7f00:1::1"],
    "teredo.test": ["2001:0:7f00:1::80ff:fffe"],
    "local6.test": ["fe80::1"],
    "unique.test": ["fd00::1"],
    "mixed.test": ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1"],
    "alias.test": "loop.test",
    "alias-of-alias.test": "alias.test",
    "rebind.test": [["93.184.216.34"], ["127.0.0.1"]],
    "rebind-private.test": [["93.184.216.34"], ["10.0.0.1"]],
}
PORTS = (80, 443, 8000)


class Names:
    """A name server for A and AAAA. Its answers may not be kept."""

    def __init__(self):
        self.asked = {}

    def addresses(self, name, chain):
        found = NAMES.get(name)
        if isinstance(found, str):
            chain.append((name, found))
            return self.addresses(found, chain)
        if found and isinstance(found[0], list):
            turn = self.asked.get(name, 0)
            self.asked[name] = turn + 1
            # Both families are asked for each look-up.
            return found[min(turn // 2, len(found) - 1)]
        return found

    def answer(self, query):
        number, flags = struct.unpack("!HH", query[:4])
        labels, place = [], 12
        while query[place]:
            labels.append(query[place + 1:place + 1 + query[place]].decode("latin-1"))
            place += 1 + query[place]
        kind = struct.unpack("!H", query[place + 1:place + 3])[0]
        question = query[12:place + 5]
        name, chain = ".".join(labels).lower(), []
        addresses = self.addresses(name, chain)
        records = [self.record(owner, 5, self.name(target)) for owner, target in chain]
        owner = chain[-1][1] if chain else name
        for text in addresses or []:
            address = ipaddress.ip_address(text)
            if (kind, address.version) in ((1, 4), (28, 6)):
                records.append(self.record(owner, kind, address.packed))
        code = 0 if addresses is not None else 3
        head = struct.pack("!HHHHHH", number, 0x8180 | flags & 0x0100 | code, 1, len(records), 0, 0)
        return head + question + b"".join(records)

    @staticmethod
    def name(text):
        return b"".join(bytes([len(label)]) + label.encode() for label in text.split(".")) + b"\0"

    @classmethod
    def record(cls, owner, kind, content):
        return cls.name(owner) + struct.pack("!HHIH", kind, 1, 0, len(content)) + content

    def serve(self):
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        server.bind(("127.0.0.1", 53))
        while True:
            query, client = server.recvfrom(2048)
            server.sendto(self.answer(query), client)


def talk(connection, seen):
    reached = ipaddress.ip_address(connection.getsockname()[0].split("%")[0])
    reached = getattr(reached, "ipv4_mapped", None) or reached
    with open(seen, "a") as out:
        out.write(f"{reached} {connection.getsockname()[1]}\n")
    connection.settimeout(5)
    try:
        head = b""
        while b"\r\n\r\n" not in head:
            piece = connection.recv(65536)
            if not piece:
                return
            head += piece
        target = head.split(b" ")[1].decode("latin-1")
        url = urllib.parse.urlsplit(target)
        asked = urllib.parse.parse_qs(url.query)
        status = int(asked.get("status", ["200"])[0])
        fields = "".join(f"{name}: {asked['to'][0]}\r\n" for name in asked.get("field", []) if "to" in asked)
        body = f"here is {reached}\n"
        answer = f"HTTP/1.1 {status} X\r\n{fields}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}"
        connection.sendall(answer.encode("utf-8", "surrogateescape"))
    except OSError:
        pass
    finally:
        connection.close()


def listen(port, seen):
    server = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
    server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("::", port))
    server.listen(128)
    while True:
        connection, _ = server.accept()
        threading.Thread(target=talk, args=(connection, seen), daemon=True).start()


def serve(seen, parent):
    for port in PORTS:
        threading.Thread(target=listen, args=(port, seen), daemon=True).start()
    threading.Thread(target=Names().serve, daemon=True).start()
    time.sleep(0.2)
    open(seen, "a").close()
    while os.path.exists(f"/proc/{parent}"):
        time.sleep(0.2)


if __name__ == "__main__":
    if sys.argv[1] == "addresses":
        for text in PUBLIC + FORBIDDEN:
            version = ipaddress.ip_address(text).version
            print(version, f"{text}/{32 if version == 4 else 128}")
    else:
        serve(sys.argv[2], sys.argv[3])
