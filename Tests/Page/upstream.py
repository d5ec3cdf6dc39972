"""A server that jobs call: it answers as its path says."""
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ERROR = {"error": {"code": "out_of_stock", "message": "Item 7 is sold out"}}
HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>\u202egnp.exe'


class Handler(BaseHTTPRequestHandler):
    """`/status/N`, `/slow/SECONDS`, `/text`, `/hostile`, `/orders/…`, `/csv`, `/charges/…` (503), `/drip/PARTS/SECONDS`, `/words` (the
    next one after each call of `/words/next`), `/flaky` (503 first), or a small JSON."""
    protocol_version = "HTTP/1.1"
    calls = {}
    turns = threading.Semaphore(0)
    # The last URL at which a job wants to be told.
    notified = None

    def log_message(self, *_):
        """Says nothing."""

    def answer(self):
        sent = self.rfile.read(int(self.headers.get("content-length") or 0))
        if b"notify_url" in sent:
            Handler.notified = json.loads(sent)["notify_url"]
        path = self.path.split("?")[0]
        parts = path.strip("/").split("/")
        status, kind, body, fields = 200, "application/json", None, {}
        Handler.calls[path] = Handler.calls.get(path, 0) + 1
        if parts[0] == "status":
            status, body = int(parts[1]), json.dumps(ERROR if len(parts) < 3 else {"error": parts[2]})
        elif parts[0] == "slow":
            time.sleep(float(parts[1]))
        elif parts[0] == "text":
            kind, body = "text/plain; charset=utf-8", "The report is ready.\n42 rows, 3 of them new.\n"
        elif parts[0] == "hostile":
            kind, body = "text/html", f"<!doctype html><title>x</title>{HOSTILE}"
            status = int(parts[1]) if len(parts) > 1 else 200
        elif parts[0] == "csv":
            kind, body = "text/csv", "day,orders,total\n" + "".join(f"2026-11-{n:02},{n * 7},{n * 19.99:.2f}\n" for n in range(1, 26))
        elif parts[0] == "flaky" and Handler.calls[path] % 3 != 0:
            status, body = 503, json.dumps({"error": "try again"})
        elif parts[0] == "busy":
            status, body = 503, json.dumps({"error": "maintenance until noon"})
            fields["Retry-After"] = "420"
        elif parts[0] == "charges":
            status, body = 503, json.dumps({"error": {"code": "over_capacity", "message": "Charges are over capacity"}})
        elif parts[0] == "orders":
            body = '{"order":12345678901234567890,"total":19.990,"currency":"EUR","lines":[{"sku":"A-7","count":2},' \
                   '{"sku":"B-1","count":1}],"paid":true,"note":null}'
        if path == "/words/next":
            Handler.turns.release()
        if path == "/words":
            self.words()
            return
        if parts[0] == "drip":
            self.drip(int(parts[1]), float(parts[2]))
            return
        if body is None:
            body = '{"ok":true,"id":12345678901234567890,"took":0.120}'
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(b"" if self.command == "HEAD" else data)
        except ConnectionError:
            pass  # The job was stopped.

    def drip(self, parts, seconds):
        """A file that comes part by part."""
        self.send_response(200)
        self.send_header("Content-Type", "text/csv")
        self.send_header("Content-Length", str(parts * 20_000))
        self.end_headers()
        for number in range(parts):
            self.wfile.write(f"{number},".encode().ljust(19_999, b"0") + b"\n")
            time.sleep(seconds)

    def words(self):
        """Words as they come, one of them cut inside a character."""
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in (b"Once \xe2\x82", b"\xac 5, <b>twice</b>", b" and done."):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            Handler.turns.acquire(timeout=60)
        self.wfile.write(b"0\r\n\r\n")

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = answer


def start(port=0):
    """Starts one; its base URL."""
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"
