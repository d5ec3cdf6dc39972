"""Ten tasks of people, from a list of jobs on, each by mouse and by keyboard.

RECORD=FOLDER keeps a picture of the end of each.
"""
import os
import pathlib

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from case import Page, driver, made, world


class Tasks(Page):
    """Each begins at the list. By mouse only texts are typed; by keyboard nothing is clicked."""

    def setUp(self):
        super().setUp()
        self.open("jobs", ready=".job-row", anew=True)
        driver.execute_script("navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }")

    def tearDown(self):
        if "RECORD" in os.environ:
            pathlib.Path(os.environ["RECORD"], f"{self._testMethodName.removeprefix('test_')}.png").write_bytes(driver.get_screenshot_as_png())
        driver.execute_script("sessionStorage.clear()")
        super().tearDown()

    def submit(self, name, *states, **spec):
        """Submits a job and waits for its state."""
        job = world.client.submit(name=name, **spec)
        world.client.until(job, *states)
        return job

    def failed(self, name):
        """A job whose upstream refused it."""
        return self.submit(name, "failed", type="network", labels={"team": "payments"}, retry={"max_attempts": 2}, request={
            "method": "POST", "url": f"{world.upstream}/status/422", "json": {"order": 7, "amount": 1999}})

    def by_mouse(self, name):
        """Opens a job by a click on its row."""
        self.click(".job-row a", name)
        self.find("h1", name)

    def by_keyboard(self, name):
        """Opens a job: filters by its name, and chooses the first row."""
        self.keys("/")
        self.keys(name, Keys.ENTER)
        self.find(".chip", name)
        self.find(".job-row", name)
        self.keys("j", Keys.ENTER)
        self.find("h1", name)

    def tab_to(self, text, steps=60):
        """Presses Tab until something that says so has the focus."""
        for _ in range(steps):
            if text in self.focused():
                return
            self.keys(Keys.TAB)
        raise AssertionError(f"Tab does not lead to {text!r}")

    # 1. Find why a job waits.

    def test_finds_why_a_job_waits_by_mouse(self):
        self.submit("ship_order", "waiting", type="await", signal="paid", timeouts={"total": "1d"})
        self.click(".state-tab", "Waiting")
        self.by_mouse("ship_order")
        self.find(".verdict", "It waits for the signal paid.", "Send")

    def test_finds_why_a_job_waits_by_keyboard(self):
        self.by_keyboard("push_to_crm")
        self.find(".verdict", "next attempt", "Goes on in")
        self.tab_to("Why the last attempt failed")
        self.keys(Keys.ENTER)
        self.find(".verdict .error-view", "maintenance until noon")

    # 2. Read what the upstream answered.

    def test_reads_the_answer_by_mouse(self):
        self.failed("answer_m")
        self.click(".state-tab", "Failed")
        self.by_mouse("answer_m")
        self.find(".verdict", "answered 422", "Item 7 is sold out")
        self.click(".tab", "Attempts")
        self.find(".message", "Answer", "Item 7 is sold out")

    def test_reads_the_answer_by_keyboard(self):
        self.failed("answer_k")
        self.by_keyboard("answer_k")
        self.find(".verdict", "Item 7 is sold out")
        self.keys("2")
        self.find(".message", "Answer", "Item 7 is sold out")

    # 3. Retry with a corrected URL.

    def corrected(self):
        """The text of the editor with another URL."""
        self.find(".plan")
        return self.find(".editor textarea").get_attribute("value").replace("/status/422", "/orders/7")

    def test_retries_with_a_corrected_url_by_mouse(self):
        self.failed("wrong_m")
        self.by_mouse("wrong_m")
        self.click(".actions a", "Retry edited")
        self.find(".compose-origin", "A copy of")
        text, area = self.corrected(), self.find(".editor textarea")
        area.clear()
        area.send_keys(text)
        self.find(".request-line", "/orders/7")
        self.click(".actions button", "Submit")
        self.find(".verdict", "It succeeded", "12345678901234567890", "19.990")

    def test_retries_with_a_corrected_url_by_keyboard(self):
        self.failed("wrong_k")
        self.by_keyboard("wrong_k")
        self.keys("e")
        self.find(".compose-origin", "A copy of")
        text = self.corrected()
        driver.switch_to.active_element.send_keys(Keys.CONTROL, "a")
        self.keys(text)
        self.find(".request-line", "/orders/7")
        driver.switch_to.active_element.send_keys(Keys.CONTROL, Keys.ENTER)
        self.find(".verdict", "It succeeded", "12345678901234567890", "19.990")

    # 4. Cancel all of a label.

    def many(self, run):
        """Seven jobs with a label."""
        return [world.client.submit(type="delay", name=f"{run}_{n}", labels={"run": run}, **{"for": "1d"}) for n in range(7)]

    def test_cancels_all_of_a_label_by_mouse(self):
        jobs = self.many("bulk_m")
        self.by_mouse("bulk_m_6")
        self.click("a.label", "run=bulk_m")
        self.find(".chip", "run = bulk_m")
        self.find(".job-row", "bulk_m_0")
        self.gone(".job-row", "charge_card")
        self.click(".job-head input")
        self.find(".pick-bar", "7 selected")
        self.click(".pick-bar button", "Cancel")
        self.click("dialog button.danger", "Cancel 7")
        for job in jobs:
            world.client.until(job, "cancelled")
        self.find("h1, .notice", "7 jobs")

    def test_cancels_all_of_a_label_by_keyboard(self):
        jobs = self.many("bulk_k")
        self.keys("/")
        self.keys("run=bulk_k", Keys.ENTER)
        self.find(".job-row", "bulk_k_3")
        self.gone(".job-row", "charge_card")
        self.keys("a")
        self.find(".pick-bar", "7 selected")
        self.keys("s")
        self.find("dialog h2", "Cancel 7 jobs?")
        self.confirm("no longer needed")
        for job in jobs:
            world.client.until(job, "cancelled")
        self.find("h1, .notice", "7 jobs")

    # 5. Approve.

    def asks(self, name, prompt):
        """A job that asks."""
        return self.submit(name, "pending", "waiting", type="network", request={"method": "DELETE", "url": f"{world.upstream}/accounts/4711"},
                           conditions=[{"type": "approval", "prompt": prompt}])

    def comments(self, job):
        """The comments of those who answered."""
        return [event.get("comment") for event in world.client.send("GET", f"/v1/jobs/{job}/events")["items"]]

    def test_approves_by_mouse(self):
        job = self.asks("delete_by_mouse", "Delete the account of customer 1?")
        self.by_mouse("delete_by_mouse")
        self.find(".approval .request", "/accounts/4711")
        self.find(".approval input").send_keys("checked")
        self.click(".approval button", "Approve")
        self.find(".job-title .state", "Succeeded")
        self.assertIn("checked", self.comments(job))

    def test_approves_by_keyboard(self):
        job = self.asks("delete_by_key", "Delete the account of customer 2?")
        self.keys("ga")
        self.find(".approval", "customer 2")
        for _ in range(20):
            if "customer 2" in driver.execute_script("return document.activeElement.closest('.approval')?.innerText ?? ''"):
                break
            self.keys("j")
        self.tab_to("Approve")
        self.keys(Keys.ENTER)
        self.gone(".approval", "customer 2")
        world.client.until(job, "succeeded")

    # 6. Pause a queue.

    def queue(self, name):
        """The state of a queue."""
        return world.client.send("GET", f"/v1/queues/{name}")["state"]

    def test_pauses_a_queue_by_mouse(self):
        world.client.send("PUT", "/v1/queues/by_mouse", {"concurrency": 2})
        self.click(".nav-link", "Queues")
        self.click("tr", "by_mouse", button="Pause")
        self.find("tr", "by_mouse", "Resume")
        self.assertEqual(self.queue("by_mouse"), "paused")
        self.click("tr", "by_mouse", button="Resume")
        self.until(lambda: self.queue("by_mouse") == "open")

    def test_pauses_a_queue_by_keyboard(self):
        world.client.send("PUT", "/v1/queues/a_key", {"concurrency": 2})
        self.keys("gq")
        self.find("tr", "a_key")
        self.keys("j", Keys.ENTER)
        self.find("h1", "a_key")
        self.find(".actions button", "Pause")
        self.keys("p")
        self.find(".job-title .pill", "Paused")
        self.assertEqual(self.queue("a_key"), "paused")
        self.keys("u")
        self.find("h1", "Queues")

    # 7. See the next runs of a schedule.

    def test_sees_the_next_runs_of_a_schedule_by_mouse(self):
        self.click(".nav-link", "Schedules")
        self.click("tr a", "nightly_report")
        self.find(".times", "03:00 +01:00")
        self.assertEqual(len(driver.find_elements(By.CSS_SELECTOR, ".times li")), 10)

    def test_sees_the_next_runs_of_a_schedule_by_keyboard(self):
        self.keys("gs")
        self.find("tr", "invoices")
        self.keys("j")
        while "invoices" not in self.focused():
            before = self.focused()
            self.keys("j")
            self.assertNotEqual(self.focused(), before, "the last row has the focus")
        self.keys(Keys.ENTER)
        self.find("h1", "invoices")
        self.find(".times", "08:00 -05:00")
        self.find(".panel", "until the audit is over")

    # 8. Turn a curl line into a job.

    def curl_line(self):
        """A line as people have it in their notes."""
        return f"curl -X PUT {world.upstream}/orders/5 --json '{{\"full\":true}}' --retry 3"

    def test_makes_a_curl_line_a_job_by_mouse(self):
        self.click(".actions a", "New job")
        self.find(".editor textarea").send_keys(self.curl_line())
        self.find(".plan", "Up to 4 attempts")
        self.find(".compose-left .code-view", "text/x-shellscript")
        self.click(".actions button", "Submit")
        self.find(".verdict", "It succeeded")

    def test_makes_a_curl_line_a_job_by_keyboard(self):
        self.keys("c")
        self.find(".editor textarea")
        self.keys(self.curl_line())
        self.find(".plan", "Up to 4 attempts")
        driver.switch_to.active_element.send_keys(Keys.CONTROL, Keys.ENTER)
        self.find(".verdict", "It succeeded")

    # 9. Follow a download.

    def download(self, name):
        """A download that takes a while."""
        return self.submit(name, "running", "succeeded", type="download", request=f"{world.upstream}/drip/40/0.1", save={"artifact": "feed.csv", "max_bytes": 5_000_000})

    def test_follows_a_download_by_mouse(self):
        self.download("feed_m")
        self.by_mouse("feed_m")
        self.find(".verdict", "of 800 kB")
        self.find(".verdict", "It succeeded")
        self.click(".tab", "Result")
        self.find(".panel", "feed.csv", "800 kB", "Save")
        self.open(f"jobs/{made['download']}/result", ready=".panel")
        self.find(".code-view", "day,orders,total")

    def test_follows_a_download_by_keyboard(self):
        self.download("feed_k")
        self.by_keyboard("feed_k")
        self.find(".verdict", "of 800 kB")
        self.find(".verdict", "It succeeded")
        self.keys("5")
        self.find(".panel", "feed.csv", "800 kB", "Save")

    # 10. Copy the curl line of an attempt.

    def check_copied(self):
        """Whether the clipboard has it."""
        self.find(".notice", "copied")
        line = driver.execute_script("return window.copied")
        self.assertIn("/status/422", line)
        self.assertIn('{"order":7,"amount":1999}', line)
        self.assertTrue(line.startswith("curl "))

    def test_copies_the_curl_line_of_an_attempt_by_mouse(self):
        self.failed("copy_m")
        self.by_mouse("copy_m")
        self.click(".tab", "Attempts")
        self.click(".wire button", "Copy as curl")
        self.check_copied()

    def test_copies_the_curl_line_of_an_attempt_by_keyboard(self):
        self.failed("copy_k")
        self.by_keyboard("copy_k")
        self.keys("2")
        self.find(".wire button", "Copy as curl")
        self.tab_to("Copy as curl")
        self.keys(Keys.ENTER)
        self.check_copied()
