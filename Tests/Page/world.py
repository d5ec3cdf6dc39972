"""A server with upstreams to call, for the tests and pictures of the page."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

import fill
import upstream

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("JOBSERVER", str(ROOT / ".build/debug/jobserver"))


# The address at which others reach the server: needed for callback URLs, and never called.
PUBLIC_URL = "https://jobs.example.com"


class World:
    """A server in a directory of its own. Ended with `stop`."""

    def __init__(self, *flags, tokens=()):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="jobserver-page-"))
        self.upstream, self.busy = upstream.start(), upstream.start()
        self.flags, self.port, self.tokens = list(flags), 0, {}
        if "PAGE_DIR" in os.environ:
            self.flags += ["--page-dir", os.environ["PAGE_DIR"]]
        for name, scopes, *tenant in tokens:
            self.tokens[name] = subprocess.run(
                [PROGRAM, "token", "create", "--token-file", self.home / "tokens", "--name", name]
                + [word for scope in scopes for word in ("--scope", scope)]
                + [word for each in tenant for word in ("--tenant", each)],
                check=True, capture_output=True, text=True).stdout.strip()
        if tokens:
            self.flags += ["--token-file", str(self.home / "tokens")]
        self.start()

    def start(self):
        """Starts the server, again at the same port."""
        port_file = self.home / "port"
        port_file.unlink(missing_ok=True)
        self.log = open(self.home / "log", "ab")
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--port", str(self.port), "--port-file", port_file, "--data", self.home / "data",
             "--egress-allow", "127.0.0.0/8", "--egress-connections", "127.0.0.0/8", "--drain-timeout", "0s", *self.flags],
            stdout=self.log, stderr=self.log)
        end = time.monotonic() + 60
        while not port_file.exists():
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError((self.home / "log").read_text())
            time.sleep(0.01)
        self.port = int(port_file.read_text())
        self.url = f"http://127.0.0.1:{self.port}"
        self.client = fill.Client(self.url, next(iter(self.tokens.values()), None))

    def fill(self):
        """Makes jobs as people have them."""
        return fill.fill(self.client, self.upstream, self.busy)

    def end(self):
        """Ends the server, and keeps its data."""
        self.process.terminate()
        self.process.wait(60)
        self.log.close()

    def stop(self):
        """Ends the server and removes its data."""
        self.end()
        shutil.rmtree(self.home, ignore_errors=True)


def browser(profile):
    """Chromium without a window, which asks nothing of the network by itself."""
    options = Options()
    options.binary_location = shutil.which("chromium")
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
                 "--disable-background-networking", "--disable-component-update", "--disable-sync",
                 "--disable-dev-shm-usage", "--force-color-profile=srgb", f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.set_script_timeout(60)
    return driver


def look(driver, width=1280, height=860, dark=False, scale=1):
    """How large the window is, and which theme it asks for."""
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                     {"name": "prefers-reduced-motion", "value": "reduce"}]})
