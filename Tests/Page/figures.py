"""Measures the page in Chromium, on a server of its own: how fast a long list opens and scrolls, how soon the page
answers beside a large group and a storm of events, and the memory of a tab over time.

figures.py [--jobs 1000000] [--members 999] [--rate 2000] [--seconds 30] [--minutes 60] [--slow-rate 200]

JOBSERVER=.build/release/jobserver measures what is released. The load shares the processors with the browser.
"""
import argparse
import json
import shutil
import statistics
import tempfile
import threading
import time
import urllib.request

from world import World, browser, look

# How late a timer of the page comes, which is how long a click would wait; every 20 ms.
LAG = """
window.lags = []; let due = performance.now() + 20;
clearInterval(window.lagTimer);
window.lagTimer = setInterval(() => { const now = performance.now(); window.lags.push(Math.max(0, now - due)); due = now + 20; }, 20);
"""


def lags(driver, seconds):
    """The median, the 99th of 100 and the longest delay of the page in a time."""
    driver.execute_script(LAG)
    time.sleep(seconds)
    return lag_text(driver)


def lag_text(driver):
    """What was measured since LAG began, which ends."""
    found = sorted(driver.execute_script("clearInterval(window.lagTimer); return window.lags.splice(0)"))
    return f"median {statistics.median(found):.1f} ms, p99 {found[int(len(found) * 0.99)]:.1f} ms, longest {found[-1]:.1f} ms"


def memory(driver):
    """The script memory of the tab after a collection, in MB, and the elements of its document."""
    driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
    heap = driver.execute_cdp_cmd("Runtime.getHeapUsage", {})["usedSize"] / 1e6
    return heap, driver.execute_cdp_cmd("Memory.getDOMCounters", {})["nodes"]


def fill(world, count):
    """Submits jobs: of ten nine wait for a day (a server has a limit for those that have not ended), and one ends at once."""
    batch = [{**({"type": "delay", "for": "1d"} if n % 10 else {"type": "value", "value": n}), "name": f"job_{n}", "labels": {"run": "many"}}
             for n in range(1000)]
    for _ in range(0, count, 1000):
        world.client.send("POST", "/v1/jobs:batch", batch)
    while world.client.send("GET", "/v1/jobs?state=queued&page_size=1")["items"]:
        time.sleep(0.2)


class Storm(threading.Thread):
    """Submits jobs that end at once, and counts the messages of the event stream."""

    def __init__(self, world, rate):
        super().__init__(daemon=True)
        self.world, self.rate, self.messages, self.is_over = world, rate, 0, False
        threading.Thread(target=self.count, daemon=True).start()

    def count(self):
        """Counts messages."""
        request = urllib.request.Request(self.world.url + "/v1/events", headers={"Accept": "text/event-stream"})
        with urllib.request.urlopen(request) as stream:
            for line in stream:
                self.messages += line.startswith(b"data:")
                if self.is_over:
                    return

    def run(self):
        """Submits batches; the changes of such a job are sent as one."""
        due = time.monotonic()
        while not self.is_over:
            self.world.client.send("POST", "/v1/jobs:batch", [{"type": "value", "value": n} for n in range(max(1, self.rate // 20))])
            due += 0.05
            time.sleep(max(0, due - time.monotonic()))


def main():
    """Measures what is asked for."""
    parser = argparse.ArgumentParser()
    for name, least in (("jobs", 1_000_000), ("members", 999), ("rate", 2000), ("seconds", 30), ("minutes", 60), ("slow-rate", 200)):
        parser.add_argument(f"--{name}", type=float if name == "minutes" else int, default=least)
    wanted = parser.parse_args()
    world, profile = World(), tempfile.mkdtemp(prefix="jobserver-chromium-")
    driver = browser(profile)
    look(driver)
    try:
        fill(world, wanted.jobs)
        times = []
        for _ in range(5):
            driver.get("about:blank")
            driver.get(f"{world.url}/page/#/jobs")
            times.append(driver.execute_async_script(
                "const done = arguments[0]; const look = () => document.querySelectorAll('.job-row').length >= 50"
                " ? requestAnimationFrame(() => done(performance.now())) : setTimeout(look, 2); look()"))
        print(f"a list of {wanted.jobs} jobs opens in {statistics.median(times):.0f} ms (longest {max(times):.0f} ms)", flush=True)
        driver.execute_script(LAG)
        for _ in range(30):
            driver.execute_script("scrollTo(0, 0); scrollTo(0, 1e9)")
            time.sleep(0.2)
        rows = driver.execute_script("return document.querySelectorAll('.job-row').length")
        print(f"it scrolls to {rows} rows: {lag_text(driver)}", flush=True)

        group = world.client.submit(type="group", name="members", operations=[
            {"type": "network", "name": f"member_{n}", "request": f"{world.upstream}/slow/0.{n % 10}"} for n in range(wanted.members)])
        driver.get(f"{world.url}/page/#/jobs/{group}")
        print(f"a group of {wanted.members} members while it runs: {lags(driver, 8)}", flush=True)

        driver.get(f"{world.url}/page/#/jobs")
        time.sleep(2)
        storm = Storm(world, wanted.rate)
        storm.start()
        time.sleep(3)
        before, began = storm.messages, time.monotonic()
        print(f"a storm: {lags(driver, wanted.seconds)}", flush=True)
        print(f"in it: {(storm.messages - before) / (time.monotonic() - began):.0f} events a second", flush=True)
        storm.rate = wanted.slow_rate
        end = time.monotonic() + wanted.minutes * 60
        step = max(5, wanted.minutes * 60 / 20)
        while True:
            heap, nodes = memory(driver)
            print(json.dumps({"minute": round((time.monotonic() - began) / 60, 1), "heap_mb": round(heap, 2), "nodes": nodes,
                              "events": storm.messages}), flush=True)
            if time.monotonic() + step > end:
                break
            time.sleep(step)
        storm.is_over = True
    finally:
        driver.quit()
        world.stop()
        shutil.rmtree(profile, ignore_errors=True)


if __name__ == "__main__":
    main()
