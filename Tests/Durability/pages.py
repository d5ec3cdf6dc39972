"""A hundred pages, and a kill at each: see `pages`.

usage: pages.py BINARY PAGES STORES
"""
import datetime
import json
import os
import random
import shutil
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", folder) for folder in ("Scale", "Crash")]
from postgres import Postgres  # noqa: E402
from serving import Server  # noqa: E402

BINARY, PAGES, STORES = sys.argv[1], int(sys.argv[2]), sys.argv[3].split()
ITEMS = 7
RULES = {
    "link": {"next": "link"}, "cursor": {"next": {"cursor": {"at": "/body/next"}, "query": "c"}},
    "page": {"next": {"page": "p"}}, "offset": {"next": {"offset": "o", "by": ITEMS}},
}


class Upstream(BaseHTTPRequestHandler):
    """Pages in each of four ways, and the number of each page that was asked for."""

    protocol_version = "HTTP/1.1"
    asked = []
    fresh = threading.Semaphore(0)

    def do_GET(self):
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        number = int(query.get("l") or query.get("c") or query.get("p") or int(query.get("o", 0)) // ITEMS + 1)
        is_fresh = number not in Upstream.asked
        Upstream.asked.append(number)
        items = [number * 1_000 + item for item in range(ITEMS)] if number <= PAGES else []
        body = json.dumps({"items": items, "next": str(number + 1) if number < PAGES else None}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if number < PAGES:
            self.send_header("Link", f"<?l={number + 1}>; rel=next")
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            pass
        if is_fresh:
            Upstream.fresh.release()

    def log_message(self, *_):
        """Says nothing."""


def stored(server, job, kill):
    """The numbers of the pages that had come to their end before a kill."""
    found = server.asked("GET", f"/v1/jobs/{job}/operations?page_size=500&state=succeeded")["items"]
    return {int(each["operation"]) for each in found if each["operation"].isdigit() and each["finished_at"] < kill}


def killed_at_each(server, url, rule, save, chance):
    """Fetches the pages with a kill soon after the first answer of each. Returns the number of pages that were asked for again."""
    Upstream.asked.clear()
    while Upstream.fresh.acquire(blocking=False):
        pass
    job = server.asked("POST", "/v1/jobs", {
        "type": "pages", "request": url, "items": {"at": "/body/items"}, **rule, **({"save": {}} if save else {})})["id"]
    wrong = set()
    for _ in range(PAGES):
        if not Upstream.fresh.acquire(timeout=60):
            raise SystemExit(f"FAILED: no further page was asked for: {server.asked('GET', f'/v1/jobs/{job}')}")
        time.sleep(chance.choice([0, 0.004, 0.016, 0.03, 0.06, 0.12]))
        server.kill()
        kill = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
        # What is asked for from here on is asked for by the next server.
        before = len(Upstream.asked)
        server.start()
        wrong |= set(Upstream.asked[before:]) & stored(server, job, kill)
    deadline = time.monotonic() + 60
    while not (state := server.asked("GET", f"/v1/jobs/{job}"))["done"] and time.monotonic() < deadline:
        time.sleep(0.05)
    name = f"{json.dumps(rule)}, {'a file' if save else 'a list'}"
    if state["state"] != "succeeded":
        raise SystemExit(f"FAILED: {name}: {state['state']} {json.dumps(state.get('error'))}")
    status = 200
    if save:
        content = [json.loads(line) for line in urllib.request.urlopen(f"{server.url}/v1/jobs/{job}/result")]
    else:
        status, content = server.ask("GET", f"/v1/jobs/{job}/result")
    wanted = [number * 1_000 + item for number in range(1, PAGES + 1) for item in range(ITEMS)]
    if content != wanted:
        raise SystemExit(f"FAILED: {name}: {len(content)} items, not {len(wanted)}, or in another order ({status})")
    if wrong:
        raise SystemExit(f"FAILED: {name}: pages that were stored were fetched again: {sorted(wrong)}")
    return len(Upstream.asked) - len(set(Upstream.asked))


def rounds(name, server, url):
    chance = random.Random(58)
    server.start()
    for word, rule in RULES.items():
        for save in (True, False):
            began = time.monotonic()
            again = killed_at_each(server, url, rule, save, chance)
            print(f"ok: {name}, by {word}, {'a file' if save else 'a list'}: {PAGES} pages with {PAGES} kills, {again} fetched again "
                  f"that were not stored, in {time.monotonic() - began:.0f} s", flush=True)


def with_sqlite(folder, url):
    server = Server(BINARY, f"{folder}/a")
    try:
        rounds("SQLite", server, url)
    finally:
        server.clean_up()


def with_postgres(folder, url):
    database = Postgres(("fsync=off",))
    try:
        database.start()
        server = Server(BINARY, f"{folder}/b", (
            "--store", database.address, "--schema", "pages", "--lease", "1s", "--artifacts", f"{folder}/b/artifacts"))
        try:
            rounds("PostgreSQL", server, url)
        finally:
            server.clean_up()
    finally:
        database.clean_up()


def main():
    upstream = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    upstream.daemon_threads = True
    upstream.handle_error = lambda *_: None  # The connections of a killed server.
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{upstream.server_port}/"
    folder = tempfile.mkdtemp(prefix="jobserver-pages-")
    try:
        for part in "ab":
            os.mkdir(f"{folder}/{part}")
        if "sqlite" in STORES:
            with_sqlite(folder, url)
        if "postgres" in STORES:
            with_postgres(folder, url)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
