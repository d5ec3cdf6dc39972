"""The page in a real browser: every screen with real jobs, every action, by mouse and by keyboard."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import fill
import upstream
from case import Page, driver, made, world
from showing import Showing  # noqa: F401, its tests are run, too
from steady import Steady  # noqa: F401, likewise
from tasks import Tasks  # noqa: F401, likewise
from world import PUBLIC_URL, ROOT, look

SCREENS = ["overview", "jobs", "compose", "approvals", "hooks", "hooks/deploy", "queues", "queues/mail", "schedules", "schedules/sync_stock", "schedules/invoices",
           "schedule-form/nightly_report", "schedule-form", "bulk", "templates", "connections", "secrets", "origins", "servers", "health"]
TABS = ["timeline", "attempts", "operations", "events", "result", "spec"]


class Screens(Page):
    """Every screen."""

    def expected_errors(self, found):
        return found if "accessible" in self.id() else []  # The checker brings styles of its own.

    def test_fits_in_both_themes_and_at_360_px(self):
        driver.get_log("performance")
        routes = SCREENS + [f"jobs/{made[name]}/{tab}" for name in ("group", "failed") for tab in TABS] + \
            [f"jobs/{made[name]}" for name in ("approval", "retrying", "running", "download", "signal", "cancelled", "paused", "scheduled")]
        for width, dark in ((1280, False), (360, True)):
            look(driver, width, 800, dark)
            for route in routes:
                self.open(route, ready="main h1")
                self.find("main")
                self.gone(".loading-panel")
                over = driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
                self.assertLessEqual(over, 0, f"{route} is too wide at {width} px")
        asked = {json.loads(line["message"])["message"]["params"]["request"]["url"]
                 for line in driver.get_log("performance") if '"Network.requestWillBeSent"' in line["message"]}
        elsewhere = [url for url in asked if not url.startswith((world.url + "/", "about:", "data:", "chrome:"))]
        self.assertEqual(elsewhere, [], "requests to elsewhere")

    def test_is_accessible(self):
        for dark in (False, True):
            look(driver, 1280, 860, dark)
            driver.get("about:blank")
            for route in ["jobs", "compose", "approvals", "queues", "queues/mail", "schedules", "schedules/sync_stock", "schedule-form/nightly_report", "bulk", "hooks/deploy",
                          "origins", "health", f"jobs/{made['approval']}",
                          f"jobs/{made['group']}/timeline", f"jobs/{made['group']}/operations"] + \
                    [f"jobs/{made['failed']}/{tab}" for tab in ("attempts", "events", "spec")]:
                self.open(route, ready="main h1")
                self.gone(".loading-panel")
                self.check_access(f"{route}, dark: {dark}")

    @unittest.skipIf("PAGE_DIR" in os.environ, "needs the files that the program carries")
    def test_first_view_takes_three_requests(self):
        driver.get_log("performance")
        self.open("jobs", ready=".job-row", anew=True)
        files = [url for line in driver.get_log("performance") if '"Network.requestWillBeSent"' in line["message"]
                 for url in [json.loads(line["message"])["message"]["params"]["request"]["url"]]
                 if "/page/" in url and not url.endswith("icon.svg")]
        self.assertEqual(len(files), 3, files)

    def test_unknown_places_lead_back(self):
        self.open("nowhere", ready=".empty-panel")
        self.open("jobs/job_00000000000000000000000000", ready=".empty-panel")
        self.find(".empty-panel", "There is no such job")


class Jobs(Page):
    """The list."""

    def test_is_live_without_reload(self):
        self.open("jobs?label.run=live", ready=".empty-panel")
        job = world.client.submit(type="delay", name="fresh", labels={"run": "live"}, **{"for": "1d"})
        self.find(".job-row .job-link", "fresh")
        self.find(".job-row .state", "Waiting")
        world.client.send("POST", f"/v1/jobs/{job}:cancel", {})
        self.find(".job-row .state", "Cancelled")

    def test_filters_live_in_the_address(self):
        self.open("jobs", ready=".job-row")
        self.keys("/")
        self.keys("queue:billing team=payments", Keys.ENTER)
        self.find(".chip", "queue: billing")
        self.gone(".job-row", "sync_inventory")
        self.find(".job-row", "charge_card")
        self.assertEqual(self.route(), "#/jobs?queue=billing&label.team=payments")
        driver.refresh()
        self.find(".job-row", "charge_card")
        self.gone(".job-row", "sync_inventory")
        self.click(".state-tab", "Failed")
        self.gone(".job-row", "pay_invoice")
        driver.back()
        self.find(".job-row", "pay_invoice")
        self.click(".chip", "queue: billing")
        self.find(".job-row", "send_receipt")

    def test_opens_jobs_by_keyboard(self):
        self.open("jobs?name=charge_card&state=failed", ready=".job-row")
        self.keys("j", Keys.ENTER)
        self.find(".verdict", "Upstream answered 422")
        self.keys("2")
        self.find(".attempt")
        self.keys("u")
        self.find(".chip", "name: charge_card")
        self.keys("?")
        self.find("dialog .key-help")
        self.keys(Keys.ESCAPE)
        self.gone("dialog")
        self.keys("gh")
        self.find("h1", "Health")

    def test_shows_many(self):
        for start in range(0, 600, 200):
            world.client.send("POST", "/v1/jobs:batch", [
                {"type": "value", "name": f"row_{n}", "value": n, "labels": {"run": "rows"}} for n in range(start, start + 200)])
        self.open("jobs?label.run=rows", ready=".job-row")
        self.scroll_to(500)
        self.find(".more-line", "The newest 500 are shown")
        self.click(".more-line a", "Older jobs")
        self.find(".page-note a", "To the newest")
        self.find(".more-line", "Show more")
        self.scroll_to(100)
        self.find(".more-line", "100 jobs")
        driver.back()
        self.scroll_to(500)

    def scroll_to(self, rows):
        """Scrolls to the end of the list until it has so many rows."""
        def is_long_enough():
            driver.execute_script("scrollTo(0, 0); scrollTo(0, 1e9)")
            time.sleep(0.2)
            return len(driver.find_elements(By.CSS_SELECTOR, ".job-row")) >= rows
        self.until(is_long_enough)

    def test_stops_while_it_is_paused(self):
        self.open("jobs?label.run=paused", ready=".empty-panel")
        self.keys("p")
        self.find(".live.is-paused")
        world.client.submit(type="value", name="unseen", value=1, labels={"run": "paused"})
        time.sleep(2.5)
        self.assertEqual(driver.find_elements(By.CSS_SELECTOR, ".job-row"), [])
        self.keys("p")
        self.find(".job-row", "unseen")


class Live(Page):
    """Changes that are told rather than asked for."""

    def streams(self):
        """How many event streams are open."""
        with urllib.request.urlopen(f"{world.url}/metrics") as answer:
            return int(re.search(r"^jobserver_event_streams (\d+)", answer.read().decode(), re.MULTILINE)[1])

    def requests(self):
        """The requests of the page since this was asked last."""
        return [url for line in driver.get_log("performance") if '"Network.requestWillBeSent"' in line["message"]
                for url in [json.loads(line["message"])["message"]["params"]["request"]["url"]]]

    def test_asks_only_when_something_has_changed(self):
        self.open("jobs?label.run=told", ready=".empty-panel", anew=True)
        self.until(lambda: self.streams() == 1)
        # Schedules whose jobs come all the time are quiet meanwhile.
        for name in ("heartbeat", "sync_stock"):
            world.client.send("POST", f"/v1/schedules/{name}:pause", {})
            self.addCleanup(world.client.send, "POST", f"/v1/schedules/{name}:resume", {})
        self.until(lambda: world.client.send("GET", "/v1/jobs?schedule=sync_stock&state=running,queued")["items"] == [])
        time.sleep(1.5)
        self.requests()
        time.sleep(5)
        # It asks every 15 s, and perhaps once more for a job of another test; every 2 s when it is told nothing.
        self.assertLess(len([url for url in self.requests() if "/v1/jobs" in url]), 3)
        job = world.client.submit(type="delay", name="told", labels={"run": "told"}, **{"for": "1d"})
        self.find(".job-row .job-link", "told")
        time.sleep(1.5)
        self.open(f"jobs/{job}", ready=".verdict")
        world.client.send("POST", f"/v1/jobs/{job}:cancel", {})
        self.find(".job-title .state", "Cancelled")

    def test_reads_one_stream_for_all_tabs(self):
        self.open("jobs?label.run=tabs", ready=".empty-panel", anew=True)
        self.until(lambda: self.streams() == 1)
        first = driver.current_window_handle
        driver.switch_to.new_window("tab")
        try:
            self.open("jobs?label.run=tabs", ready=".empty-panel")
            world.client.submit(type="delay", name="for_both", labels={"run": "tabs"}, **{"for": "1d"})
            self.find(".job-row .job-link", "for_both")
            driver.switch_to.window(first)
            self.find(".job-row .job-link", "for_both")
            # Of pages that are gone the server learns when it writes to them.
            self.until(lambda: self.streams() == 1)
            # The tab that reads the stream goes; the other one takes it over.
            driver.close()
            driver.switch_to.window(driver.window_handles[0])
            self.until(lambda: self.streams() == 1)
            world.client.submit(type="delay", name="afterwards", labels={"run": "tabs"}, **{"for": "1d"})
            self.find(".job-row .job-link", "afterwards")
        finally:
            while len(driver.window_handles) > 1:
                driver.close()
                driver.switch_to.window(driver.window_handles[0])
            driver.switch_to.window(driver.window_handles[0])

    def test_asks_again_and_again_where_browsers_have_no_locks(self):
        identifier = driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
            "source": "Object.defineProperty(navigator, 'locks', { value: undefined })"})["identifier"]
        try:
            self.open("jobs?label.run=polled", ready=".empty-panel", anew=True)
            # The server learns that the stream is closed when it writes to it.
            self.until(lambda: self.streams() == 0)
            world.client.submit(type="delay", name="polled", labels={"run": "polled"}, **{"for": "1d"})
            self.find(".job-row .job-link", "polled")
        finally:
            driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": identifier})
            driver.get("about:blank")


class Job(Page):
    """One job."""

    def test_says_why_it_waits_and_what_ends_that(self):
        self.open(f"jobs/{made['retrying']}", ready=".verdict")
        self.find(".verdict", "next attempt")
        self.find(".countdown", "min")
        self.find(".last-error", "Upstream answered 503")
        job = world.client.submit(type="network", name="behind", request=f"{world.busy}/busy")
        world.client.until(job, "waiting", "retrying", "pending")
        self.open(f"jobs/{job}", ready=".verdict")
        self.find(".verdict", "asked for a pause")
        self.find(".verdict a", "reset it")
        self.open(f"jobs/{made['paused']}", ready=".verdict")
        self.find(".verdict", "the bank is closed")

    def test_shows_what_the_upstream_answered(self):
        self.open(f"jobs/{made['failed']}/attempts", ready=".attempt")
        self.find(".message .code-view", "Item 7 is sold out")
        self.find(".delivery", "The upstream answered")
        self.open(f"jobs/{made['refused']}/attempts", ready=".attempt")
        self.find(".delivery", "Nothing was sent")

    def test_tells_what_came_to_a_callback_url(self):
        self.open(f"jobs/{made['callback']}", ready=".verdict")
        self.find(".callback", "printed:", "handed out", "nothing came yet")
        path = upstream.Handler.notified.removeprefix(PUBLIC_URL)
        world.client.send("POST", path, {"state": "warming up"})
        self.find(".callback summary", "One request did not end the wait").click()
        self.find(".callback li", "202")
        world.client.send("POST", path + "/progress", {"done": 3, "total": 10, "unit": "pages"})
        self.find(".callback", "heard from the sender", "3 of 10 pages")
        self.find(".callback li", "202")
        world.client.send("POST", path, {"state": "done"})
        self.find(".job-title .state", "Succeeded")
        self.gone(".callback")

    def test_is_held_released_signalled_and_erased(self):
        job = world.client.submit(type="await", name="steps", signal="go", timeouts={"total": "1d"})
        self.open(f"jobs/{job}", ready=".verdict")
        self.click(".actions button", "Hold")
        self.confirm("wait a bit")
        self.find(".job-title .state", "Held")
        self.find(".verdict", "wait a bit")
        self.click(".actions button", "Release")
        self.find(".job-title .state", "Waiting")
        self.click(".verdict button", "Send")
        self.find("dialog textarea")
        self.keys('{"amount": 12345678901234567890}')
        self.click("dialog button.primary", "Send")
        self.find(".job-title .state", "Succeeded")
        self.find(".verdict .code-view", "12345678901234567890")
        self.click(".menu summary")
        self.click(".menu button", "Erase")
        self.click("dialog button.danger", "Erase")
        self.find("h1", "Jobs")
        with self.assertRaises(AssertionError):
            world.client.job(job)

    def test_is_cancelled_and_retried(self):
        job = world.client.submit(type="network", name="long", request=f"{world.upstream}/slow/600")
        self.open(f"jobs/{job}", ready=".verdict")
        self.keys("s")
        self.confirm("too long")
        self.find(".job-title .state", "Cancelled")
        self.keys("r")
        self.find("dialog")
        self.click("dialog button.primary", "Retry")
        self.find(".job-title .state", "Running")
        world.client.send("POST", f"/v1/jobs/{job}:cancel", {})

    def test_folds_idle_time(self):
        self.open(f"jobs/{made['group']}", ready=".timeline")
        self.find(".fold")
        self.find(".timeline-row", "page_4")

    def test_draws_a_group(self):
        value = {"type": "value", "value": 1}
        job = world.client.submit(type="group", name="drawn", operations=[
            {**value, "name": "first"}, {"type": "await", "name": "gate", "signal": "go", "after": ["first"], "timeouts": {"total": "1d"}},
            {"type": "group", "name": "steps", "ordered": True, "after": ["gate"], "operations": [{**value, "name": "one"}, {**value, "name": "two"}]},
            {**value, "name": "evil", "value": upstream.HOSTILE, "after": ["gate", "first"]}])
        self.open(f"jobs/{job}/operations", ready=".graph")

        def drawn(state):
            return driver.execute_script(f"return [...document.querySelectorAll('.graph .is-{state} > text')].map((each) => each.textContent).sort()")
        self.until(lambda: (drawn("succeeded"), drawn("waiting")) == (["first"], ["gate"]))
        self.assertEqual(drawn("pending"), ["evil", "one", "steps", "two"])
        self.assertEqual(len(driver.find_elements(By.CSS_SELECTOR, ".graph .line")), 4)
        world.client.send("POST", f"/v1/jobs/{job}/signals/go")
        self.until(lambda: len(drawn("succeeded")) == 6)

    def test_keeps_in_sight_what_was_scrolled_to(self):
        operation = {"type": "await", "name": "gate", "signal": "go", "timeouts": {"total": "1d"}}
        for level in range(8):
            operation = {"type": "group", "name": f"level_{level}", "operations": [operation]}
        job = world.client.submit(**operation)
        look(driver, 360, 740)
        self.open(f"jobs/{job}/operations", ready=".graph .is-waiting", anew=True)
        driver.execute_script("const graph = document.querySelector('.graph-wrap'); graph.focus(); graph.scrollLeft = 40")
        sight = "return [document.querySelector('.graph-wrap').scrollLeft, document.activeElement.matches('.graph-wrap')]"
        self.assertEqual(driver.execute_script(sight), [40, True])
        world.client.send("POST", f"/v1/jobs/{job}/signals/go")
        self.find(".graph .leaf.is-succeeded")
        self.assertEqual(driver.execute_script(sight), [40, True])


class Compose(Page):
    """Writing a job."""

    def write(self, text):
        """Writes in an empty editor."""
        self.open("compose", ready=".editor textarea")
        area = self.find(".editor textarea")
        area.clear()
        area.send_keys(text)
        return area

    def test_shows_problems_at_their_place(self):
        self.write('{"type": "network", "request": {"methd": "PUT", "url": "https://example.com/"}}')
        self.find(".problem", "no member")
        self.assertEqual(self.find(".wrong").text, '"methd"')
        self.assertFalse(self.find(".actions button.primary").is_enabled())
        self.click(".problem p button", "method")
        self.find(".plan", "PUT")
        self.gone(".problem")

    def test_completes_names_and_words(self):
        def complete():
            ActionChains(driver, duration=0).key_down(Keys.CONTROL).send_keys(" ").key_up(Keys.CONTROL).perform()

        area = self.write('{"type": "netw')
        complete()
        self.find(".compose-verdict button", "network")
        self.assertEqual(self.focused(), "network")
        self.keys(Keys.ENTER)
        self.until(lambda: area.get_attribute("value") == '{"type": "network"')
        self.keys(', "requ')
        complete()
        self.click(".compose-verdict button", "request")
        self.keys('"https://example.com/"}')
        self.find(".plan", "example.com")
        driver.execute_script("sessionStorage.clear()")

    def test_begins_with_an_example_and_keeps_a_draft(self):
        self.write(" ")
        self.find(".actions select").send_keys("Steps that build")
        self.find(".plan", "profile")
        self.keys(Keys.ESCAPE)
        driver.execute_script("location.hash = '#/jobs'")
        self.find("h1", "Jobs")
        driver.execute_script("location.hash = '#/compose'")
        self.find(".plan", "profile")
        driver.execute_script("sessionStorage.clear()")

    def test_uses_a_template(self):
        self.open("templates", ready=".table")
        self.click(".table .link", "charge")
        self.find("dialog", "amount")
        self.keys(Keys.ESCAPE)
        self.click(".table a", "Use")
        self.find(".plan", "charge")
        driver.execute_script("sessionStorage.clear()")


class Queues(Page):
    """Queues and their limits."""

    def queue(self, name):
        """What the API says of it."""
        return world.client.send("GET", f"/v1/queues/{name}")

    def test_shows_what_holds_jobs_back(self):
        self.open("queues/mail", ready=".facts")
        self.find(".panel", "Queue mail has 3 of 3 running.")
        self.find("tr", "acme")
        self.find("tr", "send_newsletter", "Running")
        self.click("td a", "acme")
        self.find(".chip", "queue_key: acme")
        self.find(".job-row", "send_newsletter")
        self.open("queues/imports", ready=".facts")
        self.find(".facts", "Next may begin")

    def test_changes_limits(self):
        world.client.send("PUT", "/v1/queues/limits", {"concurrency": 2, "defaults": {"priority": 7}})
        self.open("queues/limits", ready=".facts")
        self.click(".actions button", "Limits")
        fields = {field.text.splitlines()[0]: field for field in self.find("dialog").find_elements(By.CSS_SELECTOR, ".field")}
        fields["Run at the same time"].find_element(By.TAG_NAME, "input").clear()
        fields["Begin at most"].find_element(By.TAG_NAME, "input").send_keys("5")
        self.click("dialog button.primary", "Store")
        self.find("dialog .trouble", "/rate")
        fields["in a time of"].find_element(By.TAG_NAME, "input").send_keys("1m")
        # Another person was quicker: nothing is overwritten unseen.
        world.client.send("PUT", "/v1/queues/limits", {"concurrency": 3, "defaults": {"priority": 7}})
        self.click("dialog button.primary", "Store")
        self.find("dialog .trouble", "resource has changed")
        self.keys(Keys.ESCAPE)
        self.find(".facts", "3 at once")
        self.click(".actions button", "Limits")
        self.find("dialog .field", "Begin at most").find_element(By.TAG_NAME, "input").send_keys("5")
        self.find("dialog .field", "in a time of").find_element(By.TAG_NAME, "input").send_keys("1m", Keys.ENTER)
        self.find(".facts", "3 at once · 5 in 1 min")
        stored = self.queue("limits")["spec"]
        self.assertEqual((stored["rate"], stored["defaults"]), ({"count": 5, "per": "1m"}, {"priority": 7}))
        self.click(".actions button", "Remove limits")
        self.click("dialog button.danger", "Remove")
        self.find("h1", "Queues")

    def test_cancels_what_waits(self):
        world.client.send("POST", "/v1/queues/emptied:pause", {})
        jobs = [world.client.submit(type="value", name="p", value=1, queue="emptied") for _ in range(3)]
        self.open("queues/emptied", ready=".facts")
        self.click(".actions button", "Cancel waiting")
        self.confirm("not needed")
        for job in jobs:
            world.client.until(job, "cancelled")


class Bulk(Page):
    """Actions on many jobs."""

    def many(self, run, count, **spec):
        """Submits jobs with a label."""
        spec = {"type": "delay", "for": "1d", **spec}
        made = world.client.send("POST", "/v1/jobs:batch", [{**{name: value for name, value in spec.items() if value is not None}, "name": f"{run}_{n}", "labels": {"run": run}} for n in range(count)])
        return [item["job"]["id"] if "job" in item else item["id"] for item in made["items"]]

    def states(self, run):
        """The states of these jobs."""
        return {job["state"] for job in world.client.send("GET", f"/v1/jobs?label.run={run}&page_size=500")["items"]}

    def test_cancels_all_that_pass_the_filters(self):
        self.many("wide", 120)
        self.open("jobs?label.run=wide", ready=".job-row")
        self.find(".job-head input").click()
        self.find(".pick-bar", "50 selected")
        self.click(".pick-bar button", "Select all that pass the filters")
        self.find(".pick-bar b", "All that pass the filters")
        self.click(".pick-bar button", "Cancel")
        self.find("dialog h2", "Cancel 120 jobs?")
        self.assertEqual(len(driver.find_elements(By.CSS_SELECTOR, "dialog .samples .state")), 10)
        self.find("dialog .samples", "and 110 more")
        self.click("dialog button.danger", "Cancel 120")
        self.find("h1, .notice", "120 jobs")
        self.until(lambda: self.states("wide") == {"cancelled"})

    def test_does_nothing_when_others_pass_by_now(self):
        self.many("moved", 60)
        self.open("jobs?label.run=moved", ready=".job-row")
        self.keys("a")
        self.click(".pick-bar button", "Select all that pass the filters")
        self.click(".pick-bar button", "Hold")
        self.find("dialog h2", "Hold 60 jobs?")
        self.many("moved", 1)
        self.click("dialog button.primary", "Hold 60")
        self.find("dialog .trouble", "resource has changed")
        self.keys(Keys.ESCAPE)
        self.assertNotIn("held", self.states("moved"))

    def test_requeues_and_shows_the_results(self):
        jobs = self.many("again", 3, **{"type": "value", "value": 1, "for": None})
        for job in jobs:
            world.client.until(job, "succeeded")
        self.open("jobs?label.run=again", ready=".job-row")
        self.keys("a")
        self.find(".pick-bar", "3 selected")
        self.click(".pick-bar button", "Requeue")
        self.click("dialog button.primary", "Requeue 3")
        # The notice leads to the results; a slow action shows them by itself.
        if self.find(".notice, h1", "Requeue", "3 jobs").tag_name != "h1":
            self.click(".notice", "Requeue", button="Results")
        self.find("h1", "Requeue 3 jobs")
        self.find(".facts", "3 done")
        self.find("td .pill", "done")
        self.find("td", "again_2")
        self.assertEqual(len(driver.find_elements(By.CSS_SELECTOR, "td:last-child a")), 3)
        self.keys("u")
        self.find("tr", "Requeue 3 jobs")

    def test_stops_one_that_runs(self):
        self.many("slow", 150)
        bulk = world.client.send("POST", "/v1/bulk-actions", {"action": "cancel", "filter": {"labels": {"run": "slow"}}, "per_second": 2})
        self.open(f"bulk/{bulk['id']}", ready=".facts")
        self.find(".job-title .pill", "Running")
        self.find(".facts a", "run=slow")
        self.click(".actions button", "Stop")
        self.find(".job-title .pill", "Stopped")
        self.assertEqual(world.client.send("GET", f"/v1/bulk-actions/{bulk['id']}")["state"], "cancelled")
        self.assertIn("waiting", self.states("slow"))


class Schedules(Page):
    """Schedules and their times."""

    def test_says_why_there_was_no_job(self):
        self.open("schedules/sync_stock", ready=".times")
        self.find("td .pill", "no job: overlap")
        self.click("td a", "job_")
        self.find(".job-title", "sync_stock")

    def test_pauses_and_resumes(self):
        self.open("schedules/heartbeat", ready=".times")
        self.keys("p")
        self.confirm("too loud")
        self.find(".job-title .pill", "Paused")
        self.find(".facts", "too loud")
        self.assertEqual(world.client.send("GET", "/v1/schedules/heartbeat")["pause"]["reason"], "too loud")
        self.click(".actions button", "Resume")
        self.find(".job-title .pill", "Active")

    def test_says_which_fail(self):
        failing = {"every": "1s", "job": {"type": "network", "request": f"{world.upstream}/status/404"}}
        world.client.send("PUT", "/v1/schedules/broken", failing)
        world.client.send("PUT", "/v1/schedules/self_paused", {**failing, "pause_after_failures": 2})
        self.addCleanup(world.client.send, "POST", "/v1/schedules/broken:pause", {})
        self.addCleanup(world.client.send, "DELETE", "/v1/schedules/self_paused")
        self.open("schedules", ready=".table")
        self.find("tr .tone-bad", "fail")
        self.find("tr .ticks .tone-bad")
        self.click("tr a", "broken")
        self.find(".job-title .pill", "Fail")
        self.find("td", "404 Item 7 is sold out", "http.status")
        # Those that failed alike are one row, which leads to all of them.
        self.click("td a", "× failed")
        self.find(".chip", "schedule: broken")
        # What paused one stays in sight.
        self.open("schedules/self_paused", ready=".times")
        self.find(".job-title .pill", "Paused")
        self.find("td .pill", "no job: paused")
        self.find("td", "404 Item 7 is sold out")

    def test_runs_one_beside_another(self):
        world.client.send("PUT", "/v1/schedules/beside", {"every": "1d", "overlap": "skip", "job": {"type": "network", "request": f"{world.upstream}/slow/600"}})
        first = world.client.send("POST", "/v1/schedules/beside:run", {})["id"]
        self.open("schedules/beside", ready=".times")
        self.click(".actions button", "Run now")
        self.find("dialog", "Run one more?")
        self.click("dialog button.primary", "Run beside it")
        self.find(".job-title", "beside")
        self.assertNotIn(first, self.route())

    def test_writes_one_and_sees_its_times(self):
        self.open("schedule-form", ready=".editor textarea")
        self.find(".screen-head input").send_keys("by_hand")
        self.find(".editor textarea").send_keys(
            '{"cron": "30 2 * * *", "tz": "Europe/Berlin", "job": {"type": "value", "value": 1}}')
        self.find(".times")
        self.find(".warning-line", "clocks")
        # The fields beside it write it.
        field = self.find(".schedule-form input[list='zones']")
        self.assertEqual(field.get_attribute("value"), "Europe/Berlin")
        field.clear()
        field.send_keys("America/New_York")
        self.find(".times", "02:30 -05:00")
        self.assertEqual(json.loads(self.find(".editor textarea").get_attribute("value"))["tz"], "America/New_York")
        field.clear()
        field.send_keys("Europe/Berlin")
        # A draft is kept.
        driver.execute_script("location.hash = '#/jobs'")
        self.find("h1", "Jobs")
        driver.execute_script("location.hash = '#/schedule-form'")
        self.find(".notice", "Your draft is here again")
        self.find(".warning-line", "clocks")
        self.find(".screen-head input").send_keys("by_hand")
        self.find(".editor textarea").clear()
        self.find(".editor textarea").send_keys('{"cron": "*/10 *", "job": {"type": "value", "value": 1}}')
        self.find(".problem", "cron")
        self.click(".problem p button")
        self.find(".times")
        self.find(".editor textarea").send_keys(Keys.CONTROL, Keys.ENTER)
        self.find("h1", "by_hand")
        self.click(".actions a", "Edit")
        area = self.find(".editor textarea")
        self.find(".times")
        text = area.get_attribute("value")
        area.clear()
        area.send_keys(text.replace("*/10", "*/20"))
        def are_right():
            minutes = [int(each.text.split(":")[1][:2]) for each in driver.find_elements(By.CSS_SELECTOR, ".times time")]
            return minutes and all(minute % 20 == 0 for minute in minutes)
        self.until(are_right)
        self.click(".screen-head button.primary", "Store")
        self.find(".facts", "every 20 min UTC")
        self.assertEqual(world.client.send("GET", "/v1/schedules/by_hand")["version"], 2)
        self.click(".actions button", "Remove")
        self.click("dialog button.danger", "Remove")
        self.gone("tr", "by_hand")

    def test_makes_jobs_for_the_past(self):
        world.client.send("PUT", "/v1/schedules/past", {"every": "1h", "job": {"type": "value", "value": 1}})
        self.open("schedules/past", ready=".times")
        self.click(".actions button", "Backfill")
        field = self.find("dialog input")
        driver.execute_script(
            "arguments[0].value = new Date(Date.now() - 3 * 3600e3 - new Date().getTimezoneOffset() * 60e3).toISOString().slice(0, 16);"
            "arguments[0].dispatchEvent(new Event('input', { bubbles: true }))", field)
        self.find("dialog p", "planned times would get a job")
        self.click("dialog button.primary", "Begin")
        self.find("td .label", "backfill")
        self.find("td .state", "Succeeded")


class Server(Page):
    """What is not about one job."""

    def test_approves_in_the_list(self):
        self.open("approvals", ready=".approval")
        badge = self.find(".nav-link[href*=approvals] .badge")
        before = badge.text
        self.find(f".approval a[href='#/jobs/{made['approval']}']")
        self.click(".approval", "Pay invoice 2026-0117", button="Reject")
        self.until(lambda: badge.text != before, seconds=4)
        self.gone(".approval", "Pay invoice")
        self.click(".tab", "Answered")
        self.find(".approval .pill", "Rejected")

    def test_resets_an_origin(self):
        self.open("origins", ready=".table")
        self.find(".pill", "Asked for a pause")
        # Its name leads to its jobs that failed.
        self.assertIn("state=failed%2Cexpired&host=127.0.0.1%3A", self.find("td a", world.upstream).get_attribute("href"))
        self.click(".table button", "Reset")
        self.find(".notice", "Calls go through again")

    def test_shows_what_came_to_a_hook(self):
        self.open("hooks", ready=".table")
        self.find("tr", "form", "nothing")
        self.find("tr", "deploy", "/hooks/deploy", "bearer")
        self.click("tr a", "deploy")
        self.find(".facts", "/hooks/deploy", "verified by bearer", "deploy_site")
        self.find("tr", "Job started")
        self.find("tr", "Ignored", "does not hold")
        self.assertNotIn("not to be seen", driver.page_source)
        # What was refused is taken after a question only; what a wrong condition ignored comes again, all of it.
        self.click("tr", "Refused", button="Replay")
        self.find("dialog h2", "Take a refused request?")
        self.keys(Keys.ESCAPE)
        self.click(".state-tab", "Ignored")
        self.gone("tr", "Refused")
        self.click("tr button.link")
        self.find("dialog", "refs/heads/try", "POST")
        self.keys(Keys.ESCAPE)
        hook = world.client.send("GET", "/v1/hooks/deploy")["spec"]
        world.client.send("PUT", "/v1/hooks/deploy", {**hook, "when": {"at": "/body/ref", "exists": True}})
        self.addCleanup(world.client.send, "PUT", "/v1/hooks/deploy", hook)
        self.click(".actions button", "Replay all ignored")
        self.click("dialog button.primary", "Replay")
        self.find(".notice", "1 came again")
        self.click(".state-tab", "All")
        self.until(lambda: len([row for row in driver.find_elements(By.CSS_SELECTOR, "tbody tr") if "Job started" in row.text]) == 2)
        self.click("tr a", "job_")
        self.find("h1", "deploy_site")

    def test_names_secrets_and_nothing_else(self):
        self.open("secrets", ready=".table")
        self.find("td", "crm_token")
        self.assertNotIn("not to be seen", driver.page_source)
        self.open("connections", ready=".table")
        self.find("td", "http://")
        self.click(".table .link", "crm")
        self.find("dialog .code-view", "base_url")

    def test_shows_health(self):
        self.open("health", ready=".ready-line")
        self.find(".ready-line", "Ready")
        self.find(".state-counts", "succeeded")
        # Jobs of batches and schedules are counted, which are no submissions.
        world.client.send("POST", "/v1/jobs:batch", [{"type": "value", "value": n, "name": "counted"} for n in range(200)])
        self.until(lambda: float(self.find(".panel", "Came in").find_element(By.CSS_SELECTOR, "b").text) > 20)
        self.find(".panel", "Start delay", "median", "p95", "p99", "jobs that ended in the last hour")
        self.find(".panel", "Ended", "a second")


class Servers(Page):
    """Several servers that share a PostgreSQL."""

    @unittest.skipUnless(list(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres")), "needs PostgreSQL")
    def test_shows_who_shares_the_jobs(self):
        sys.path.append(str(ROOT / "Tests/Scale"))
        from postgres import Postgres
        database, artifacts = Postgres(), tempfile.mkdtemp(prefix="jobserver-artifacts-")
        self.addCleanup(shutil.rmtree, artifacts)
        self.addCleanup(database.clean_up)
        database.start()
        shared = ("--store", database.address, "--artifacts", artifacts, "--lease", "5s")
        one, two = self.own(*shared), self.own(*shared)
        self.open("jobs", one.url, ready=".empty-panel", anew=True)
        self.click(".nav-link", "Servers")
        self.find("tr", "this one")
        self.until(lambda: len(driver.find_elements(By.CSS_SELECTOR, "tbody tr")) == 2)
        job = two.client.submit(type="network", name="long", request=f"{two.upstream}/slow/600", timeouts={"attempt": "20m", "first_byte": "20m", "stall": "20m"})
        # Each of them shows how many jobs every one runs.
        two.client.until(job, "running")
        self.until(lambda: "1" in [each.text for each in driver.find_elements(By.CSS_SELECTOR, "tbody td:nth-child(2)")])
        self.open("servers", two.url, ready="tr")
        self.until(lambda: len(driver.find_elements(By.CSS_SELECTOR, "tbody tr")) == 2)
        # One dies: the other takes its jobs over when the lease is over.
        one.process.kill()
        self.until(lambda: len(driver.find_elements(By.CSS_SELECTOR, "tbody tr")) == 1)
        self.find("tr", "this one")
        two.client.until(job, "running")


class Hostile(Page):
    """Jobs and upstreams that mean harm."""

    def test_what_others_say_stays_text(self):
        up, evil = world.upstream, upstream.HOSTILE
        failed = world.client.submit(
            type="network", name="evil_answer", queue="evil", labels={"x": evil[:200], "run": "evil"}, metadata={"m": evil, "big": 1e300},
            request={"method": "POST", "url": f"{up}/hostile/500?q=%3Cscript%3E", "headers": {"x-evil": "<b>1</b>"}, "text": evil},
            retry={"max_attempts": 1})
        page = world.client.submit(type="network", name="evil_page", labels={"run": "evil"}, request=f"{up}/hostile")
        value = world.client.submit(type="value", name="evil_value", labels={"run": "evil"},
                                    value={evil: evil, "__proto__": {"toString": 1}, "long": "x" * 900_000})
        asks = world.client.submit(type="network", name="evil_ask", labels={"run": "evil"}, request=f"{up}/text?{'a' * 3000}",
                                   conditions=[{"type": "approval", "prompt": evil}])
        world.client.send("PUT", "/v1/queues/evil", {"concurrency": 2, "per_key": {"concurrency": 1}})
        for _ in range(2):
            world.client.submit(type="network", name="evil_key", queue="evil", queue_key=evil[:120], request=f"{up}/slow/600?q={'b' * 900}",
                                timeouts={"attempt": "20m", "first_byte": "20m", "stall": "20m"})
        world.client.send("PUT", "/v1/schedules/evil", {"cron": "@daily", "job": {"type": "value", "name": "x", "value": evil}})
        world.client.send("POST", "/v1/schedules/evil:pause", {"reason": evil})
        bulk = world.client.send("POST", "/v1/bulk-actions", {"action": "hold", "filter": {"labels": {"x": evil[:200]}}, "reason": evil})["id"]
        held = world.client.submit(type="delay", name="evil_hold", labels={"run": "evil"}, **{"for": "1d"})
        world.client.send("POST", f"/v1/jobs/{held}:hold", {"reason": evil})
        world.client.until(failed, "failed")
        world.client.until(value, "succeeded")
        routes = ["jobs?label.run=evil", "approvals", "queues", "queues/evil", "schedules", "schedules/evil", "schedule-form/evil", "bulk", f"bulk/{bulk}", "jobs?name=%3Cscript%3E", f"jobs/{asks}", f"jobs/{held}", f"compose?from={failed}"] + \
            [f"jobs/{job}/{tab}" for job in (failed, page, value) for tab in ("attempts", "events", "result", "spec")]
        for route in routes:
            self.open(route, ready="main h1")
            self.gone(".loading-panel")
            found = driver.execute_script(
                "return [document.scripts.length, document.querySelectorAll('img, b b, iframe, object').length,"
                " ({}).polluted ?? 0, /\\u202e/.test(document.body.innerText), document.title]")
            self.assertEqual(found[:4], [1, 0, 0, False], route)
            self.assertIn("jobserver", found[4])
            over = driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
            self.assertLessEqual(over, 0, f"{route} is too wide")
        self.open(f"jobs/{failed}", ready=".verdict")
        self.find(".verdict .code-view", "⟨202E⟩")
        self.find(".verdict .code-view", "<script>")
        driver.execute_script("sessionStorage.clear()")

    def test_no_text_becomes_markup(self):
        self.open("jobs", ready=".job-row")
        refused = driver.execute_script(
            "try { document.body.insertAdjacentHTML('beforeend', '<p>x</p>'); return 'done' } catch (error) { return error.name }")
        self.assertEqual(refused, "TypeError")
        frame = driver.execute_async_script(
            "const done = arguments[0], seen = [];"
            "document.addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective));"
            "fetch('http://127.0.0.1:9/').catch(() => 0).then(() => setTimeout(() => done(seen), 50))")
        self.assertIn("connect-src", frame)

    def expected_errors(self, found):
        return [line for line in found if "Content Security Policy" in line or "TrustedHTML" in line or "Refused to connect" in line
                or "127.0.0.1:9/" in line]


class Security(Page):
    """Other sites in the same browser, and people who may do less than they would like."""

    def expected_errors(self, found):
        return [line for line in found if "Refused to" in line or "violates the following" in line or "blocked by CORS" in line
                or "X-Frame-Options" in line or "frame-ancestors" in line or "ERR_BLOCKED_BY_RESPONSE" in line
                or "ERR_FAILED" in line or "chromewebdata" in line]

    def elsewhere(self):
        """Opens a page of another origin, which is of another site, too."""
        driver.get(world.upstream.replace("127.0.0.1", "localhost") + "/site")

    def ask(self, guarded, method, path, **options):
        """What a page elsewhere learns of a request with the cookies of the browser."""
        return driver.execute_async_script(
            "const [url, options, done] = arguments; fetch(url, options).then((answer) => done(answer.type + answer.status), (error) => done(error.name))",
            guarded.url + path, {"method": method, "credentials": "include", **options})

    def test_pages_of_other_sites_change_nothing(self):
        guarded = self.own(tokens=[("ada", ["read", "write", "admin"])])
        self.open("jobs", guarded.url, ready=".sign-in-card")
        self.keys(guarded.tokens["ada"], Keys.ENTER)
        self.find("h1", "Jobs")
        job = guarded.client.submit(type="delay", name="fixed", **{"for": "1d"})
        self.elsewhere()
        for mode in ("cors", "no-cors"):
            for method, path, body in (("POST", f"/v1/jobs/{job}:cancel", ""), ("POST", "/v1/jobs", '{"type":"value","value":1}'),
                                       ("POST", "/v1/bulk-actions", '{"action":"cancel","filter":{"name":"fixed"}}'), ("GET", "/v1/jobs", None)):
                said = self.ask(guarded, method, path, mode=mode, **({} if body is None else {"body": body, "headers": {"Content-Type": "text/plain"}}))
                self.assertIn(said, ("TypeError", "opaque0"), path)
        # A form that sends itself, as an older attack does.
        driver.execute_script(
            "const form = document.createElement('form'); form.method = 'post'; form.enctype = 'text/plain'; form.action = arguments[0];"
            "document.body.append(form); form.submit()", f"{guarded.url}/v1/jobs/{job}:cancel")
        time.sleep(1)
        guarded.client.until(job, "waiting")
        self.assertEqual(len(guarded.client.send("GET", "/v1/jobs")["items"]), 1)
        self.assertEqual(guarded.client.send("GET", "/v1/bulk-actions")["items"], [])

    def test_is_in_no_frame_of_others(self):
        self.elsewhere()
        driver.execute_script(
            "const frame = document.createElement('iframe'); frame.src = arguments[0]; document.body.append(frame)", f"{world.url}/page/")
        time.sleep(1)
        driver.switch_to.frame(driver.find_element(By.TAG_NAME, "iframe"))
        try:
            self.assertEqual(driver.find_elements(By.CSS_SELECTOR, "main, .shell, .sign-in"), [])
        finally:
            driver.switch_to.default_content()

    def test_a_session_that_somebody_else_began_is_worth_nothing(self):
        guarded = self.own(tokens=[("ada", ["read", "write"])])
        self.addCleanup(driver.delete_all_cookies)
        self.open("jobs", guarded.url, ready=".sign-in-card")
        driver.execute_cdp_cmd("Network.setCookie", {"name": "jobserver_session", "value": "planted", "url": guarded.url, "path": "/", "httpOnly": True})
        driver.refresh()
        self.find(".sign-in-card input").send_keys(guarded.tokens["ada"], Keys.ENTER)
        self.find("h1", "Jobs")
        cookies = driver.execute_cdp_cmd("Network.getCookies", {"urls": [guarded.url]})["cookies"]
        fresh = [each for each in cookies if each["name"] == "jobserver_session" and each["value"] != "planted"]
        self.assertEqual(len(fresh), 1)
        self.assertTrue(fresh[0]["httpOnly"])
        self.assertEqual(fresh[0]["sameSite"], "Strict")
        with self.assertRaises(AssertionError):
            fill.Client(guarded.url).send("GET", "/v1/jobs", Cookie="jobserver_session=planted")
        # The one that is signed out is worth nothing, either.
        self.click(".who button")
        self.find(".sign-in-card")
        with self.assertRaises(AssertionError):
            fill.Client(guarded.url).send("GET", "/v1/jobs", Cookie=f"jobserver_session={fresh[0]['value']}")

    def test_a_page_that_shows_only_changes_nothing(self):
        shown = self.own("--page", "read")
        job = shown.client.submit(type="delay", name="fixed", **{"for": "1d"})
        shown.client.send("PUT", "/v1/queues/mail", {"concurrency": 1})
        shown.client.send("PUT", "/v1/schedules/daily", {"cron": "@daily", "job": {"type": "value", "value": 1}})
        for route, ready in (("queues", "tr"), ("queues/mail", ".facts"), ("schedules", "tr"), ("schedules/daily", ".times"), ("jobs", ".job-row")):
            self.open(route, shown.url, ready=ready)
            self.assertEqual([each.text for each in driver.find_elements(By.CSS_SELECTOR, ".actions > :not(.live), td button")], [], route)
        for method, path, body in (("POST", "/v1/queues/mail:pause", "{}"), ("PUT", "/v1/queues/mail", "{}"), ("POST", "/v1/schedules/daily:run", "{}"),
                                   ("DELETE", "/v1/schedules/daily", None), ("POST", "/v1/bulk-actions", '{"action":"cancel","filter":{"name":"fixed"}}'),
                                   ("DELETE", f"/v1/jobs/{job}", None)):
            said = self.ask(shown, method, path, **({} if body is None else {"body": body, "headers": {"Content-Type": "application/json"}}))
            self.assertEqual(said, "basic403", path)


class Access(Page):
    """Tokens, and a page that may only look."""

    def test_signs_in_and_out(self):
        guarded = self.own(tokens=[("ada", ["read", "write"]), ("eye", ["read"]), ("in", ["submit"])])
        self.open("jobs", guarded.url, ready=".sign-in-card")
        self.keys("js_wrong", Keys.ENTER)
        self.find(".trouble", "does not know")
        self.find(".sign-in-card input").clear()
        self.find(".sign-in-card input").send_keys(guarded.tokens["ada"], Keys.ENTER)
        self.find("h1", "Jobs")
        self.find(".who", "ada")
        kept = driver.execute_script(
            "return JSON.stringify([location.href, document.cookie, {...localStorage}, {...sessionStorage}])")
        self.assertNotIn("js_", kept)
        self.assertNotIn("jobserver_session", kept)
        driver.refresh()
        self.find(".who", "ada")
        self.click(".who button")
        self.find(".sign-in-card").find_element(By.CSS_SELECTOR, "input").send_keys(guarded.tokens["eye"], Keys.ENTER)
        self.find(".who", "eye")
        self.gone(".actions a", "New job")
        # One who may only look has nothing to tick.
        self.find(".read-only", "You may look only")
        guarded.client.submit(type="delay", name="seen", **{"for": "1d"})
        self.find(".job-row", "seen")
        self.assertEqual(driver.find_elements(By.CSS_SELECTOR, ".job-row input"), [])
        # One who may not even look is told so, and may sign out.
        self.click(".who button")
        self.find(".sign-in-card input").send_keys(guarded.tokens["in"], Keys.ENTER)
        self.find(".problem-panel", "This token may not look")
        self.click("main button", "Sign out, for another token")
        self.find(".sign-in-card input").send_keys(guarded.tokens["eye"], Keys.ENTER)
        self.find(".job-row", "seen")
        # The session ends while the page is open.
        guarded.end()
        guarded.start()
        self.find(".sign-in-card")
        log = (guarded.home / "log").read_text()
        for token in guarded.tokens.values():
            self.assertNotIn(token, log)

    def test_shows_a_tenant_what_is_its_own(self):
        guarded = self.own(tokens=[("ada", ["read", "write"], "acme"), ("eve", ["read", "write"], "beta")])
        guarded.client.submit(type="delay", name="mine", **{"for": "1d"})
        for _ in range(3):
            fill.Client(guarded.url, guarded.tokens["eve"]).submit(type="delay", name="theirs", **{"for": "1d"})
        self.open("jobs", guarded.url, ready=".sign-in-card")
        self.keys(guarded.tokens["ada"], Keys.ENTER)
        self.assertLess(self.find(".who", "Signed in as ada of acme").size["height"], 60)
        self.find(".job-row", "mine")
        self.gone(".job-row", "theirs")
        # The counts are those of its own jobs.
        self.find(".state-tab", "All", "1")
        self.gone(".nav-link", "Origins")
        driver.execute_script("location.hash = '#/health'")
        self.find(".empty-panel", "whole server")

    def test_looks_only_when_that_is_said(self):
        shown = self.own("--page", "read")
        job = shown.client.submit(type="delay", name="fixed", **{"for": "1d"})
        self.open(f"jobs/{job}", shown.url, ready=".verdict")
        self.assertEqual(driver.find_elements(By.CSS_SELECTOR, ".job-head-line .actions > *"), [])
        self.find(".read-only")
        self.gone(".nav-link", "Compose")
        status = driver.execute_async_script(
            "const done = arguments[1]; fetch(`../v1/jobs/${arguments[0]}:cancel`, { method: 'POST' }).then((a) => done(a.status))", job)
        self.assertEqual(status, 403)
        shown.client.until(job, "waiting")
        driver.execute_script("location.hash = '#/compose'")
        self.find(".empty-panel", "may only look")

    def test_goes_on_after_a_restart(self):
        own = self.own()
        own.client.submit(type="delay", name="before", **{"for": "1d"})
        self.open("jobs", own.url, ready=".job-row")
        own.end()
        self.find(".wire-banner", "does not answer", "from ", "ago")
        self.find(".live.is-stale", "Not up to date")
        # Long enough that it waits longer than the events are apart that come then.
        time.sleep(2)
        own.start()
        for number in range(40):
            own.client.submit(type="delay", name=f"after_{number}", **{"for": "1d"})
            if number > 4 and driver.find_elements(By.LINK_TEXT, f"after_{number - 5}"):
                break
            time.sleep(0.5)
        self.assertLess(number, 20)
        self.gone(".wire-banner")
        self.find(".live:not(.is-stale)", "Live")
        # A text that is written while the server is away is checked when it is back.
        self.open("compose", own.url, ready=".editor textarea")
        own.end()
        self.find(".editor textarea").send_keys('{"type": "value", "value": 1}')
        self.find(".compose-verdict", "does not answer", "What you wrote is kept")
        own.start()
        self.find(".compose-verdict", "This is what it would do")
        driver.execute_script("sessionStorage.clear()")

    @unittest.skipUnless(shutil.which("nginx") or pathlib.Path("/usr/sbin/nginx").exists(), "needs nginx")
    def test_works_below_a_prefix(self):
        home = pathlib.Path(tempfile.mkdtemp(prefix="jobserver-nginx-"))
        with upstream.ThreadingHTTPServer(("127.0.0.1", 0), upstream.Handler) as probe:
            port = probe.server_port
        (home / "conf").write_text(f"""
daemon off; pid {home}/pid; error_log {home}/errors;
events {{}}
http {{
  access_log off; client_body_temp_path {home}/a; proxy_temp_path {home}/b; fastcgi_temp_path {home}/c; uwsgi_temp_path {home}/d; scgi_temp_path {home}/e;
  server {{ listen 127.0.0.1:{port}; location /tools/jobs/ {{ proxy_pass {world.url}/; proxy_set_header Host $http_host; }} }}
}}""")
        nginx = subprocess.Popen([shutil.which("nginx") or "/usr/sbin/nginx", "-e", home / "errors", "-c", home / "conf"])
        self.addCleanup(shutil.rmtree, home, ignore_errors=True)
        self.addCleanup(nginx.wait, 30)
        self.addCleanup(nginx.terminate)
        self.addCleanup(driver.get, "about:blank")
        base = f"http://127.0.0.1:{port}/tools/jobs"
        for _ in range(100):
            try:
                fill.Client(base).send("GET", "/healthz")
                break
            except OSError:
                time.sleep(0.05)
        driver.get(base + "/")
        self.find("h1", "Overview")
        self.assertTrue(driver.current_url.startswith(base + "/page/"))
        self.open(f"jobs/{made['result']}/result", base, ready=".code-view")
        self.open("compose", base, ready=".editor textarea")
        self.find(".editor textarea").send_keys('{"type":"value","name":"below","value":1}')
        self.find(".code-view", f"{base}/v1/jobs")
        self.find(".plan", "below")
        self.find(".editor textarea").send_keys(Keys.CONTROL, Keys.ENTER)
        self.find(".verdict", "It succeeded")

    def expected_errors(self, found):
        return [line for line in found if "ERR_CONNECTION_REFUSED" in line or "ERR_EMPTY_RESPONSE" in line
                or "ERR_CONNECTION_RESET" in line or "status of 503" in line or "ERR_CONNECTION_CLOSED" in line
                or "ERR_INCOMPLETE_CHUNKED_ENCODING" in line]


# The suites of one half, which take about as long as all others; those have the rest of the tests.
ONE_HALF = {"Jobs", "Screens", "Showing", "Tasks"}


def load_tests(_loader, suites, _pattern):
    """The tests of the half that HALF names; all of them without it."""
    half = os.environ.get("HALF")
    return unittest.TestSuite(suite for suite in suites if not half or any(
        (type(test).__name__ in ONE_HALF) == (half == "one") for test in suite))


if __name__ == "__main__":
    unittest.main(verbosity=2)
