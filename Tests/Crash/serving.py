"""The server under test as a process: started, stopped and killed, always on the same data."""
import http.client
import json
import os
import signal
import subprocess
import time
import urllib.request


class ServerFailure(Exception):
    """The server did what it never may: did not start, ended by itself, did not stop."""


class Server:
    """One data directory, and the process that serves it, if any.

    `wrapper` is what the server is started by, such as `("strace", "-f")`.
    """

    def __init__(self, binary, folder, flags=(), wrapper=()):
        self.folder, self.data = folder, f"{folder}/data"
        self.port_file, self.log = f"{folder}/port", f"{folder}/server.log"
        self.command = [*wrapper, binary, "serve", "--port", "0", "--port-file", self.port_file, "--data", self.data,
                        "--egress-allow", "127.0.0.0/8", "--log-level", "error", *flags]
        self.process, self.port, self.began = None, None, 0.0

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def spawn(self):
        """Starts the process and does not wait until it answers."""
        if os.path.exists(self.port_file):
            os.remove(self.port_file)
        with open(self.log, "ab") as output:
            self.process = subprocess.Popen(self.command, stdout=output, stderr=output, start_new_session=True)
        self.began = time.monotonic()

    def wait_ready(self, seconds=30):
        """Waits until the server takes requests, and returns how long that took from the spawn on."""
        while not self.is_ready(seconds):
            time.sleep(0.001)
        return time.monotonic() - self.began

    def is_ready(self, seconds=30):
        """Whether the server takes requests."""
        if os.path.exists(self.port_file) and (text := open(self.port_file).read().strip()):
            self.port = int(text)
            return True
        if self.process.poll() is not None or time.monotonic() > self.began + seconds:
            raise ServerFailure(f"the server did not start (exit code {self.process.poll()}): {self.last_words()}")
        return False

    def start(self):
        self.spawn()
        return self.wait_ready()

    def has_jobs(self, filters):
        """Whether there are jobs that a list with these filters shows."""
        with urllib.request.urlopen(f"{self.url}/v1/jobs?{filters}&page_size=1", timeout=30) as answer:
            return bool(json.load(answer)["items"])

    def ask(self, method, path, body=None, headers=None):
        """The status of an answer and its JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            content = None if body is None else json.dumps(body)
            connection.request(method, path, content, {"Content-Type": "application/json", **(headers or {})})
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        return answer.status, json.loads(text) if text else None

    def asked(self, method, path, body=None):
        """The JSON of an answer, which must not be a refusal."""
        status, found = self.ask(method, path, body)
        if status >= 300:
            raise ServerFailure(f"{method} {path} was answered with {status}: {json.dumps(found)[:500]}")
        return found

    def pages(self, path):
        """The items of all pages of a list."""
        step = path
        while step:
            page = self.asked("GET", step)
            yield from page["items"]
            token = page.get("next_page_token")
            step = token and f"{path}{'&' if '?' in path else '?'}page_token={token}"

    def kill(self):
        """Ends the process at once, wherever it is."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def ask_to_stop(self):
        self.process.send_signal(signal.SIGTERM)

    def check_alive(self):
        if self.process.poll() is not None:
            raise ServerFailure(f"the server ended by itself, exit code {self.process.poll()}: {self.last_words()}")

    def words(self):
        with open(self.log, errors="replace") as log:
            return log.read()

    def last_words(self):
        return self.words()[-2000:].strip() or "(nothing in its log)"

    def clean_up(self):
        if self.process and self.process.poll() is None:
            self.kill()
