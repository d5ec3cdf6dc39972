"""The upstream that the sections of the documents call: its paths /NAME/… are those of https://NAME.example."""
import hashlib
import json
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Upstream:
    """An HTTP server that keeps each request, and answers with what `answers` returns for it."""

    def __init__(self, answers):
        self.requests = requests = []
        lock = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                body = self.rfile.read(int(self.headers["Content-Length"] or 0))
                request = Request(self.command, self.path, self.headers, body)
                with lock:
                    earlier = sum(other.line == request.line for other in requests)
                    requests.append(request)
                answer = answers(request, earlier) if answers else None
                status, content, *fields = answer or (404, {"error": "no such page"})
                if not isinstance(content, bytes):
                    content = json.dumps(content).encode()
                    fields = [("Content-Type", "application/json"), *fields]
                self.send_response(status)
                for name, value in fields:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = handle_any

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Request:
    def __init__(self, method, path, fields, body):
        self.method, self.path, self.fields, self.body = method, path, fields, body
        self.at = time.monotonic()
        self.line = f"{method} {path}"

    @property
    def json(self):
        return json.loads(self.body)


def arrived(*wanted):
    """A check: these requests arrived, in this order, and no others."""

    def check(requests):
        lines = [request.line for request in requests]
        return None if lines == list(wanted) else f"arrived: {lines}\nwanted: {list(wanted)}"

    return check


def each(requests, line):
    return [request for request in requests if request.line == line]


def pages(request, earlier):
    number = {"/shop/orders?limit=100": 1, "/shop/orders?page=2": 2}.get(request.path)
    return number and (200, {"orders": [number]}, *[("Link", "<?page=2>; rel=next")][: 2 - number])


def quotes(request, earlier):
    if request.path == "/suppliers/list":
        return 200, [{"id": "a"}, {"id": "b"}, {"id": "c"}]
    if request.path == "/suppliers/b/price":
        return 404, {}
    return 200, {"price": {"a": 7, "c": 5}.get(request.path.split("/")[2], 0)}


def quoted(requests):
    told = each(requests, "PUT /shop/quotes/7")
    return None if [request.json for request in told] == [{"price": 5}] else f"told: {[each.body for each in told]}"


def trip(request, earlier):
    return (409, {"error": "no car"}) if request.path.startswith("/car") else (200, {})


def undone(requests):
    lines = [request.line for request in requests]
    wanted = ["PUT /hotel/bookings/7", "PUT /flight/bookings/7", "PUT /car/bookings/7"]
    undo = ["DELETE /flight/bookings/7", "DELETE /hotel/bookings/7"]
    return None if lines[:3] == wanted and sorted(lines[3:]) == undo else f"arrived: {lines}"


def renderer(request, earlier):
    if request.method == "POST":
        return 202, {"status": "accepted"}, ("Location", "/render/exports/1")
    if request.path == "/render/exports/1":
        return (200, {"status": "done", "file": "f 1"}) if earlier else (202, {"status": "working"})
    return 200, b"%PDF-", ("Content-Type", "application/pdf")


def words(request, earlier):
    deltas = [{"role": "assistant"}, {"content": "Say "}, {"content": "hello."}]
    events = [json.dumps({"choices": [{"delta": delta}]}) for delta in deltas] + ["[DONE]"]
    content = "".join(f"data: {event}\n\n" for event in events).encode()
    return 200, content, ("Content-Type", "text/event-stream")


def archived(requests):
    lines = [request.line for request in requests]
    if lines != ["POST /sign/documents", "PUT /archive/documents/7"]:
        return f"arrived: {lines}"
    reference, content = requests[0].json["reference"], requests[1].json
    return None if reference.startswith("job_") and content == {"signed_by": "Ada"} else f"{reference} {content}"


def soon(*calls):
    """Sends requests, in order, while the answer is on its way: each is (URL, body or None, fields)."""

    def send():
        for url, body, fields in calls:
            urllib.request.urlopen(urllib.request.Request(url, body, fields), timeout=20).read()

    threading.Thread(target=send, daemon=True).start()


def printer(request, earlier):
    states = [{"state": "printing"}, {"state": "done", "sheets": 3}]
    soon(*[(request.json["notify_url"], json.dumps(state, separators=(",", ":")).encode(),
            {"Content-Type": "application/json"}) for state in states])
    return 202, {}


def reader_of_mail(request, earlier):
    if request.method == "POST":
        # A scanner opens the link, then the person, who presses the button.
        link = request.json["link"]
        page = {"Accept": "text/html"}
        soon((link, None, {}), (link, None, page), (link, b"confirmed=true", page))
    return 200, {}


def importer(request, earlier):
    """The other field, and the size of the file, of a form with one of each."""
    fields = request.body.split(b"\r\n--")
    month = next(field for field in fields if b'name="month"' in field).rpartition(b"\r\n\r\n")[2]
    file = next(field for field in fields if b'name="file"' in field).partition(b"\r\n\r\n")[2]
    return 201, {"month": month.decode(), "bytes": len(file)}


def evenly(requests):
    times = sorted(request.at for request in requests)
    if len(times) != 21:
        return f"{len(times)} calls"
    # At most 20 and a burst of 1 begin in a second, as an upstream sees it with some unrest of the machine.
    return None if times[-1] - times[0] > 0.8 else f"21 calls in {times[-1] - times[0]:.2f} s"


def fine(request, earlier):
    return 200, {"sent": True}


def report(request, earlier):
    return (200, b"%PDF-", ("Content-Type", "application/pdf")) if "day=20" in request.path else (400, {})


def lost_once(request, earlier):
    return (200, {}) if earlier else (404, {"error": "not yet"})


def rates(request, earlier):
    return (200, {"eur": 1.08}) if request.path == "/mirror/today" else (500, {})


def people(request, earlier):
    if request.method == "GET":
        lines = "".join(json.dumps({"id": number, "name": f"Person {number}"}) + "\n" for number in (1, 2, 3))
        return 200, lines.encode(), ("Content-Type", "application/x-ndjson")
    number = int(request.path.rpartition("/")[2])
    return (422, {}) if number == 2 else (200, {"created": number})


RELEASE = b"the release" * 1000


def release(request, earlier):
    if request.path.endswith(".json"):
        return 200, {"sha256": hashlib.sha256(RELEASE).hexdigest()}
    return 200, RELEASE, ("Content-Type", "application/gzip")


# The heading of a section: its answers, and a check of all requests.
SECTIONS = {
    "All pages of an API into one file": (pages, arrived("GET /shop/orders?limit=100", "GET /shop/orders?page=2")),
    "One call for each element": (quotes, quoted),
    "Undo what was done": (trip, undone),
    "Wait for a long task of an API": (
        renderer,
        arrived("POST /render/exports", "GET /render/exports/1", "GET /render/exports/1", "GET /render/files/f%201")),
    "Wait for a webhook": (fine, archived),
    "A printer reports": (printer, arrived("POST /printer/orders")),
    "A link to confirm": (reader_of_mail, arrived("POST /mail/send", "PUT /shop/orders/7/shipped")),
    "Ask a person first": (fine, arrived("POST /bank/payments")),
    "An API with a rate limit": (fine, evenly),
    "Customers in turn": (fine, arrived("PUT /mail/messages/7")),
    "A report every night": (report, None),
    "Instead of cron and curl": (fine, arrived("PUT /api/sync")),
    "Dead letters": (lost_once, arrived("PUT /orders/7", "PUT /orders/7")),
    "A fallback": (rates, arrived("GET /rates/today", "GET /mirror/today")),
    "Each line of a file": (people, None),
    "An answer word by word": (words, arrived("POST /llm/v1/chat")),
    "A file from disk in a form": (importer, arrived("POST /files/imports")),
    "A large file, checked": (release, arrived("GET /releases/latest.json", "GET /releases/latest.tar.gz")),
    "One job for each row": (fine, arrived("POST /mail/send")),
}
