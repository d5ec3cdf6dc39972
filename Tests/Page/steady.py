"""What must not move under a hand, be lost, or be shown for longer than it is true."""
import re

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import upstream
from case import Page, driver, made, world
from world import look


class Steady(Page):
    """The list and the job stay as a person left them."""

    def delays(self, run, count):
        """Submits jobs that wait, with a label; their ids, the oldest first."""
        made = world.client.send("POST", "/v1/jobs:batch", [{"type": "delay", "for": "1d", "name": f"{run}_{n}", "labels": {"run": run}} for n in range(count)])
        return [item["job"]["id"] for item in made["items"]]

    def rows(self):
        """The ids of the rows."""
        return driver.execute_script("return [...document.querySelectorAll('.job-row')].map((row) => row.dataset.id)")

    def test_rows_and_selections_stay_while_jobs_come(self):
        jobs = self.delays("steady", 8)
        self.open("jobs?label.run=steady&state=waiting", ready=".job-row", anew=True)
        # The counts are those of what passes the filters.
        self.find(".state-tab", "All", "8")
        self.find(".state-tab", "Waiting", "8")
        before = self.rows()
        for job in (jobs[7], jobs[4]):
            self.click(f".job-row[data-id={job}] .pick")
        driver.execute_script("document.activeElement.blur()")
        self.keys("jj")
        self.find(".pick-bar", "2 selected")
        self.delays("steady", 3)
        self.find(".new-jobs", "3 new jobs")
        self.find(".state-tab", "All", "11")
        self.assertEqual(self.rows(), before)
        focus = "return document.activeElement.closest('.job-row')?.dataset.id"
        self.assertEqual(driver.execute_script(focus), before[1])
        # What is selected stays, and is told truly, when it passes the filters no more.
        world.client.send("POST", f"/v1/jobs/{jobs[4]}:cancel", {})
        self.find(f".job-row.has-left[data-id={jobs[4]}]", "Cancelled")
        self.find(".pick-bar", "2 selected")
        self.click(".new-jobs")
        self.until(lambda: len(self.rows()) == 11)
        self.gone(".new-jobs")
        self.find(".pick-bar", "2 selected")
        self.click(".pick-bar button", "Clear")
        self.gone(".job-row.has-left")
        self.assertEqual(len(self.rows()), 10)
        self.assertIn("waiting · run=steady", driver.title)

    def test_the_way_back_leads_to_the_same_place(self):
        self.delays("place", 140)
        self.open("jobs?label.run=place", ready=".job-row", anew=True)

        def grow():
            driver.execute_script("scrollTo(0, 1e9)")
            return len(self.rows()) >= 140
        self.until(grow)
        place = "return [Math.round(scrollY), document.querySelectorAll('.job-row').length, document.activeElement.closest('.job-row')?.dataset.id]"
        row = self.rows()[90]
        driver.execute_script("document.querySelector(`[data-id=${arguments[0]}]`).scrollIntoView({ block: 'center' })", row)
        driver.execute_script("document.querySelector(`[data-id=${arguments[0]}] .job-link`).focus({ preventScroll: true })", row)
        before = driver.execute_script(place)
        self.assertEqual(before[1:], [140, row])
        for back in (lambda: self.keys("u"), driver.back):
            self.keys(Keys.ENTER)
            self.find(".verdict")
            back()
            self.find(".job-row", "place_49")
            self.assertEqual(driver.execute_script(place), before)

    def test_says_which_words_are_filters(self):
        self.open("jobs", ready=".job-row")
        self.keys("/")
        self.keys("queue:bill")
        offered = "return [...document.querySelectorAll('#filter-words option')].map((each) => each.label)"
        self.until(lambda: driver.execute_script(offered)[:1] and "queue:billing · " in driver.execute_script(offered)[0])
        self.find(".filter input").clear()
        self.find(".filter input").send_keys("code:500", Keys.ENTER)
        self.find(".filter-line + .trouble", "“code:” is no filter")
        self.assertEqual(self.route(), "#/jobs")
        self.find(".filter input").clear()
        # A key after the choice of a time is a key again.
        self.find(".filter-line select").send_keys(Keys.ARROW_DOWN)
        self.until(lambda: "since=15m" in self.route())
        self.keys("/")
        self.assertTrue(driver.execute_script("return document.activeElement.matches('.filter input')"))
        self.keys(Keys.ESCAPE)

    def test_a_job_that_runs_keeps_what_was_opened(self):
        job = world.client.submit(type="network", name="again_and_again", request={"url": f"{upstream.start()}/status/503/full", "method": "PUT", "json": {"a": 1}},
                                  retry={"max_attempts": 4, "backoff": {"type": "fixed", "initial": "900ms"}, "jitter": "none"})
        world.client.until(job, "retrying")
        self.open(f"jobs/{job}/attempts", ready=".attempt", anew=True)
        self.until(lambda: len(driver.find_elements(By.CSS_SELECTOR, ".attempt")) >= 2)
        count = len(driver.find_elements(By.CSS_SELECTOR, ".attempt"))
        opened = "return [...document.querySelectorAll('.attempt')].map((each) => [each.dataset.key, each.open])"
        for key, is_open in driver.execute_script(opened):
            if key[-1] in "12" and not is_open:
                self.click(f".attempt[data-key='{key}'] summary")
        driver.execute_script("document.querySelector(`[data-key='_root#1'] summary`).focus()")
        self.until(lambda: len(driver.find_elements(By.CSS_SELECTOR, ".attempt")) > count)
        shown = dict(driver.execute_script(opened))
        self.assertTrue(shown["_root#1"] and shown["_root#2"], shown)
        self.assertEqual(driver.execute_script("return document.activeElement.closest('.attempt')?.dataset.key"), "_root#1")
        # The verdict is one line beside the attempts.
        self.assertLess(self.find(".verdict").size["height"], 50)
        world.client.until(job, "failed")
        self.find(".job-title .state", "Failed")
        self.click(".attempt[data-key='_root#2'] button", "Compare with #1")
        self.find("dialog table", "Status", "503")
        self.find("dialog", "Body of the answer")
        self.keys(Keys.ESCAPE)
        # Phases fill their bar, however short they are.
        bars = driver.execute_script(
            "return [...document.querySelectorAll('.attempt[open] .phase-bar')].map((bar) => [bar.clientWidth, [...bar.children].at(-1).getBoundingClientRect().right - bar.getBoundingClientRect().left])")
        self.assertTrue(bars)
        for width, filled in bars:
            self.assertLess(abs(width - filled), 2)
        self.keys("1")
        self.find(".call-line", "PUT", "/status/503/", "503 after 4 attempts in")
        self.gone(".warning-line")
        self.assertTrue(self.find(".actions .primary", "Retry"))
        self.assertEqual(driver.find_elements(By.CSS_SELECTOR, ".actions > button.danger"), [])
        self.find(".job-facts", "Ended")

    def test_a_group_that_runs_says_how_far_it_is(self):
        job = world.client.submit(type="group", name="half_way", succeed_when={"max_failures": 1}, operations=[
            {"type": "network", "name": f"call_{n}", "retry": {"max_attempts": 1}, "request": f"{world.upstream}/{'slow/600' if n > 5 else 'status/404' if n == 3 else 'orders/1'}",
             "timeouts": {"attempt": "20m", "first_byte": "20m", "stall": "20m"}} for n in range(8)])
        self.addCleanup(world.client.send, "POST", f"/v1/jobs/{job}:cancel", {})
        self.open(f"jobs/{job}", ready=".verdict", anew=True)
        self.find(".members-line", "6 of 8 are over", "1 failed", "2 running")
        self.click(".members-line a", "1 failed")
        self.find("tbody tr", "call_3")

    def test_failed_members_are_told_and_found(self):
        job = world.client.submit(type="group", name="some_fail", labels={"run": "members"}, succeed_when={"max_failures": 1}, operations=[
            {"type": "network", "name": f"call_{n}", "request": {"method": "POST", "url": f"{world.upstream}/status/{422 if n == 7 else 200}"}} for n in range(9)])
        world.client.until(job, "failed", "succeeded")
        self.open(f"jobs/{job}", ready=".verdict", anew=True)
        self.click(".members-line a", "1 failed")
        self.find(".state-tab[aria-current]", "failed", "1")
        self.until(lambda: len(driver.find_elements(By.CSS_SELECTOR, "tbody tr")) == 1)
        self.find("tbody tr", "call_7", "Item 7 is sold out")
        self.click("tbody a", "call_7")
        self.find(".attempt", "POST", "/status/422")
        self.assertEqual(len(driver.find_elements(By.CSS_SELECTOR, ".attempt")), 1)
        self.find(".attempts-head", "Those of call_7")
        # The step of an error leads to its attempts.
        job = world.client.submit(type="group", name="nightly", operations=[{"type": "network", "name": "clean_orders", "request": f"{world.upstream}/status/404"}])
        world.client.until(job, "failed")
        self.open(f"jobs/{job}", ready=".verdict")
        self.click(".error-view a", "clean_orders")
        self.find(".attempts-head", "Those of clean_orders")

    def test_leads_from_one_failed_job_to_the_next(self):
        jobs = [world.client.submit(type="network", name=f"next_{n}", labels={"run": "next"}, request=f"{world.upstream}/status/404") for n in range(3)]
        for job in jobs:
            world.client.until(job, "failed")
        self.open("jobs?label.run=next", ready=".job-row", anew=True)
        self.find(".job-row", "next_2", "Item 7 is sold out", "http.status")
        self.click(".job-row a", "next_2")
        self.find("h1", "next_2")
        for name in ("next_1", "next_0"):
            self.click(".neighbours button", "Older failed")
            self.find("h1", name)
        self.keys("n")
        self.find(".notice", "No older job failed")
        self.keys("b")
        self.find("h1", "next_1")
        driver.execute_script("navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }")
        self.click("button[title='Copy the link']")
        self.until(lambda: str(driver.execute_script("return window.copied")).endswith(f"#/jobs/{jobs[1]}"))
        # An error in a row is a filter.
        self.open("jobs?label.run=next", ready=".job-row")
        self.click(".code-link", "http.status")
        self.find(".chip", "error: http.status")

    def test_looks_as_it_is_liked(self):
        self.addCleanup(driver.execute_script, "localStorage.clear()")
        self.open(f"jobs/{made['failed']}", ready=".verdict", anew=True)
        background = "return getComputedStyle(document.body).backgroundColor"
        light = driver.execute_script(background)
        self.click(".side-foot button", "Theme: system")
        self.click(".side-foot button", "Theme: light")
        self.find(".side-foot button", "Theme: dark")
        self.assertNotEqual(driver.execute_script(background), light)
        driver.refresh()
        self.find(".side-foot button", "Theme: dark")
        self.assertNotEqual(driver.execute_script(background), light)
        self.click(".side-foot button", "Times: local")
        self.find(".side-foot button", "Times: UTC")
        self.find(".job-facts", world.client.job(made["failed"])["started_at"][11:19])
        # Printed, it is the job without the frame.
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        self.addCleanup(driver.execute_cdp_cmd, "Emulation.setEmulatedMedia", {"media": ""})
        self.find(".verdict")
        self.gone(".side")
        self.gone("button")

    def test_fits_the_window_and_the_eye(self):
        self.addCleanup(look, driver)
        # In a narrow window what failed is in sight without scrolling, and a link is as high as a finger needs.
        look(driver, 360, 740)
        self.open("jobs", ready=".job-row", anew=True)
        self.until(lambda: "–" not in self.find(".state-tab", "Failed").text)
        self.assertLess(driver.execute_script("return document.querySelector('.state-tab.is-failed').getBoundingClientRect().right"), 345)
        self.open("queues", ready=".table td a")
        self.assertGreaterEqual(driver.execute_script("return document.querySelector('.table td a').getBoundingClientRect().height"), 24)
        # In a wide one rows use it, and are a line.
        look(driver, 1920, 900)
        self.open("jobs", ready=".job-row")
        row = driver.execute_script("const row = document.querySelector('.job-row').getBoundingClientRect(); return [row.width, row.height]")
        self.assertGreater(row[0], 1500)
        self.assertLessEqual(row[1], 42)
        # In the dark the current item of the navigation is seen.
        look(driver, dark=True)
        here, page = (driver.execute_script(f"return getComputedStyle(document.querySelector('{each}')).backgroundColor") for each in (".nav-link[aria-current]", "body"))
        light = [sum(int(part) for part in re.findall(r"\d+", colour)[:3]) for colour in (here, page)]
        self.assertGreater(light[0] - light[1], 45)
        # A result is not higher than a few lines beside the parts, and is there once.
        look(driver)
        self.open(f"jobs/{made['fan']}", ready=".verdict .code-view", anew=True)
        self.assertLess(self.find(".verdict .code-view").size["height"], 180)
        self.keys("5")
        self.find(".panel", "Result")
        self.gone(".verdict .code-view")
        # Nothing is said of a wait whose beginning is not known, and nothing in words of the API.
        throttled = world.client.send("GET", "/v1/jobs?queue=imports&state=queued")["items"][0]["id"]
        for job in (made["scheduled"], throttled):
            self.open(f"jobs/{job}", ready=".countdown")
            self.assertNotRegex(self.find(".verdict").text, r"waiting for \)|run_at|PT10M|:res")
        # Facts have what a job was given.
        self.open(f"jobs/{made['result']}", ready=".job-facts")
        self.find(".job-facts", "ticket", "OPS-1180", "customer=acme")
        # A copy begins at its beginning.
        self.open(f"compose?from={made['group']}", ready=".plan")
        self.assertEqual(driver.execute_script("return [scrollY, document.activeElement.selectionStart]"), [0, 0])
        driver.execute_script("sessionStorage.clear()")
