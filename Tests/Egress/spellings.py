"""Ways to write a URL that reaches something it should not."""
import ipaddress
import struct

from world import FORBIDDEN

HOSTS4 = ["127.0.0.1", "169.254.169.254", "10.0.0.1", "192.168.0.1", "0.0.0.0", "100.64.0.1"]


def version4(text):
    """Spellings that inet_aton, browsers and old libraries accept for this address."""
    a, b, c, d = (int(part) for part in text.split("."))
    number = struct.unpack("!I", ipaddress.IPv4Address(text).packed)[0]
    yield text
    yield text + "."
    yield str(number)
    yield f"0x{number:08x}"
    yield f"0X{number:X}"
    yield f"0{number:o}"
    yield f"000000000{number:o}"
    yield f"0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}"
    yield f"0{a:o}.0{b:o}.0{c:o}.0{d:o}"
    yield f"{a:03d}.{b:03d}.{c:03d}.{d:03d}"
    yield f"0{a:o}.{b}.0x{c:x}.{d}"
    yield f"{a}.{(b << 16) | (c << 8) | d}"
    yield f"{a}.{b}.{(c << 8) | d}"
    yield f"0x{a:x}.{(b << 16) | (c << 8) | d}"
    yield f"{a}.0x{(b << 16) | (c << 8) | d:x}"
    yield text.replace(".", "%2e")
    yield "".join(f"%{ord(letter):02x}" for letter in text)
    yield text.replace(".", "\u3002")
    yield "".join(chr(0xFF10 + int(letter)) if letter.isdigit() else letter for letter in text)
    yield f"[::ffff:{text}]"
    yield f"[::FFFF:{a << 8 | b:x}:{c << 8 | d:x}]"
    yield f"[0:0:0:0:0:ffff:{a << 8 | b:x}:{c << 8 | d:x}]"
    yield f"[0000:0000:0000:0000:0000:ffff:{a << 8 | b:04x}:{c << 8 | d:04x}]"
    yield f"[::{text}]"
    yield f"[::ffff:0:{text}]"
    yield f"[64:ff9b::{text}]"
    yield f"[2002:{a << 8 | b:x}:{c << 8 | d:x}::1]"


def version6(text):
    address = ipaddress.IPv6Address(text)
    yield f"[{address.compressed}]"
    yield f"[{address.exploded}]"
    yield f"[{address.exploded.upper()}]"


def hosts():
    seen = set()
    for text in HOSTS4:
        seen.update(version4(text))
    for text in FORBIDDEN + ["::1", "::", "127.0.0.2", "127.255.255.254", "255.255.255.255", "224.0.0.1", "0.1.2.3",
                             "ff02::1", "ff0e::1"]:
        seen.update(version6(text) if ":" in text else [text])
    seen.update(["localhost", "LOCALHOST", "localhost.", "LocalHost..", "a.localhost", "a.b.localhost.", "[::1%25lo]",
                 "[::1%lo]", "[fe80::1%25lo]", "[fe80::1%lo]", "127.0.0.1%00.public.test", "127.0.0.1%20",
                 "\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3", "loc\u00adalhost", "[127.0.0.1]", "127.0.0.1:80:80"])
    return sorted(seen)


# The host is hidden from a careless reader of the URL.
TRICKS = [
    "http://public.test@127.0.0.1/", "http://public.test:80@127.0.0.1/", "http://a:b@127.0.0.1/",
    "http://127.0.0.1@public.test/", "http://127.0.0.1:80#@public.test/", "http://127.0.0.1:80?@public.test/",
    "http://127.0.0.1\\@public.test/", "http://public.test\\@127.0.0.1/", "http://127.0.0.1\\.public.test/",
    "http://public.test#@127.0.0.1:80/../..", "http://127.0.0.1:80\t/", "http://127.0.0.1\n/", "http://127.0.0.1\r\n/",
    "\thttp://127.0.0.1/", " http://127.0.0.1/", "http://127.0.0.1 /", "http://\t127.0.0.1/", "http:127.0.0.1/",
    "http:/127.0.0.1/", "http:///127.0.0.1/", "http:////127.0.0.1/", "http:\\\\127.0.0.1/", "//127.0.0.1/",
    "127.0.0.1", "localhost:80", "HTTP://127.0.0.1/", "hTTps://127.0.0.1/", "http://127.0.0.1:080/",
    "http://127.0.0.1:65616/", "http://127.0.0.1:/", "http://127.0.0.1:-1/", "http://127.0.0.1:80a/",
    "http://127.0.0.1:8080/v1/jobs", "http://localhost:8080/metrics", "https://127.0.0.1:443/", "http://127.0.0.1:8000/",
    "http://{h}/", "http://[::1]:80:80/", "http://[::1/", "http://::1/", "http://0:80/", "http://0/", "http://0x0/",
    "http://127.1/", "http://127.0.1/", "http://0177.1/", "http://4294967295/", "http://4294967296/", "http://127.0.0.256/",
    "http://256.0.0.1/", "http://1.2.3.4.127.0.0.1/", "http://127.0.0.1.nip/", "http://.127.0.0.1/",
    "http://127..0.0.1/",
    # Other schemes
    "file:///etc/passwd", "file://127.0.0.1/etc/passwd", "FILE:///etc/passwd", "ftp://127.0.0.1/", "ftps://127.0.0.1/",
    "gopher://127.0.0.1:80/_GET%20/", "dict://127.0.0.1:80/x", "ldap://127.0.0.1:80/", "ldaps://127.0.0.1/",
    "tftp://127.0.0.1/x", "scp://127.0.0.1/x", "sftp://127.0.0.1/x", "smb://127.0.0.1/x", "smtp://127.0.0.1:80/",
    "imap://127.0.0.1:80/", "pop3://127.0.0.1:80/", "rtsp://127.0.0.1:80/", "telnet://127.0.0.1:80/", "mqtt://127.0.0.1:80/",
    "ws://127.0.0.1/", "wss://127.0.0.1/", "jar:http://127.0.0.1!/", "data:text/plain,x", "javascript:alert(1)",
    "netdoc:///etc/passwd", "unix:///run/x.sock", "http+unix://%2Frun%2Fx.sock/", "view-source:http://127.0.0.1/",
    "url:http://127.0.0.1/", "httpx://127.0.0.1/", "http//127.0.0.1/",
]

# Names that a look-up makes forbidden.
NAMED = ["loop.test", "loop6.test", "zero.test", "zero6.test", "private.test", "meta.test", "mapped.test",
         "compatible.test", "nat64.test", "tunnel.test", "teredo.test", "local6.test", "unique.test", "mixed.test",
         "alias.test", "alias-of-alias.test", "LOOP.test", "loop.test."]


def direct():
    """URLs that must be refused when the job is submitted: their host is an address, or they are no URLs."""
    return [f"http://{host}/" for host in hosts()] + TRICKS


def looked_up():
    return [f"http://{name}/" for name in NAMED]
