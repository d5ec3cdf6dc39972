"""What is shown rather than told: the overview, the call of a job, a thousand members at a glance."""
import json
import urllib.request

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import history
from case import Page, driver, made, world
from world import look


class Showing(Page):
    """Charts, cells and lines."""

    def expected_errors(self, found):
        return found if "accessible" in self.id() else []  # The checker brings styles of its own.

    def with_history(self):
        """Lets the page see a server with a past."""
        identifier = driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": history.script(made["failed"])})["identifier"]
        self.addCleanup(driver.get, "about:blank")
        self.addCleanup(driver.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", {"identifier": identifier})

    def test_begins_with_what_broke(self):
        self.with_history()
        driver.get("about:blank")
        driver.get(f"{world.url}/page/")
        row = self.find(".failure", "422 card_declined: insufficient funds", "POST api.acme.com/v2/charges", "charge_card", "45\ntimes")
        self.find(".stuck li", "exports", "queue is paused, 5 jobs wait")
        self.find(".stuck li", "requests wait for a person")
        self.find(".figures", "120 ms median", "900 ms", "4.1 s")
        # What an upstream says is a text.
        self.find(".failure", "<b>bold</b>⟨202E⟩", "<img src=x")
        # Retry of all: one click, and one more after a look.
        row.find_element(By.XPATH, ".//button[contains(., 'Retry all 45')]").click()
        self.find("dialog h2", "Retry 45 jobs?")
        asked = [json.loads(each) for each in driver.execute_script("return window.asked") if each.startswith("{")]
        self.assertEqual((asked[0]["action"], asked[0]["filter"]["host"], asked[0]["filter"]["error.code"]), ("retry", "api.acme.com", "http.status"))
        self.keys(Keys.ESCAPE)
        self.gone("dialog")
        # The failed jobs of one upstream in the last hour: one click.
        address = self.find(".table a", "crm.example.com").get_attribute("href")
        self.assertIn("state=failed%2Cexpired&host=crm.example.com&from=", address)

    def test_the_words_of_a_call_as_they_arrive(self):
        job = world.client.submit(name="story", type="group", operations=[
            {"type": "network", "name": "tell", "stream": True, "request": f"{world.upstream}/words"}])
        self.open(f"jobs/{job}", ready=".job-arriving pre", anew=True)
        text = ".job-arriving pre"
        self.find(".job-arriving", "Arriving · tell", "Once")
        self.turn()
        self.find(text, "Once € 5, <b>twice</b>")
        self.assertEqual(driver.find_elements(By.CSS_SELECTOR, ".job-arriving b"), [])
        self.turn()
        self.find(text, "Once € 5, <b>twice</b> and done.")
        self.turn()
        world.client.until(job, "succeeded")
        self.gone(".job-arriving pre")

    def turn(self):
        """Lets the upstream say the next word."""
        urllib.request.urlopen(f"{world.upstream}/words/next").read()

    def test_says_what_is_stuck_without_a_history(self):
        self.open("overview?from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z", ready=".problem-panel", anew=True)
        self.find(".stuck li", "exports", "queue is paused")

    def test_a_time_is_chosen_in_the_bars(self):
        self.with_history()
        self.open("overview", ready=".chart rect", anew=True)
        bars = driver.execute_script("return window.asked.filter((each) => each.includes('by=state')).length")
        chart = self.find(".chart")
        chart.send_keys(Keys.HOME, Keys.ARROW_RIGHT, Keys.SHIFT, Keys.ARROW_RIGHT)
        self.assertIn("ended", chart.get_attribute("aria-valuetext"))
        chart.send_keys(Keys.ENTER)
        self.until(lambda: "from=" in self.route() and "to=" in self.route())
        self.find(".chosen-time", "–")
        self.until(lambda: driver.execute_script("return window.asked.filter((each) => each.includes('by=state')).at(-1)").count("to=") == 1)
        self.assertGreaterEqual(bars, 1)
        # By mouse, too.
        self.click(".spans a", "24 h")
        self.until(lambda: "span=24h" in self.route())
        driver.execute_script("""const chart = document.querySelector('.chart'), { left, top } = chart.getBoundingClientRect();
          for (const [type, x] of [['pointerdown', 100], ['pointermove', 160], ['pointerup', 200]]) chart.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerId: 1, clientX: left + x, clientY: top + 40 }));""")
        self.until(lambda: "from=" in self.route())
        self.keys(Keys.ESCAPE)
        self.until(lambda: self.route() == "#/overview")

    def test_overview_is_accessible(self):
        self.with_history()
        for width, dark in ((1280, False), (1280, True), (360, True)):
            look(driver, width, 860, dark)
            self.open("overview", ready=".failure", anew=True)
            over = driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
            self.assertLessEqual(over, 0, width)
            self.check_access(f"{width}, dark: {dark}")

    def test_a_row_shows_the_call(self):
        self.with_history()
        self.open("jobs?name=charge_card", ready=".job-row", anew=True)
        row = self.find(".job-row", "charge_card", "POST", "api.acme.com", "/v2/charge_card?page=1", "422 Item 7 is sold out")
        self.assertLessEqual(row.size["height"], 42)
        self.click(".job-row .call a", "api.acme.com")
        self.find(".chip", "host: api.acme.com")

    def test_says_what_a_retry_of_many_does(self):
        made_now = [world.client.submit(type="network", name="risk", labels={"run": "risk"}, retry={"max_attempts": 1}, request={"method": "POST", "url": f"{world.upstream}/{path}", **more}, **rest)
                    for path, more, rest in (("status/422", {}, {}), ("slow/5", {}, {"timeouts": {"total": "300ms"}}))]
        for job in made_now:
            world.client.until(job, "failed")
        self.open("jobs?label.run=risk&state=failed", ready=".job-row", anew=True)
        self.keys("a")
        self.click(".pick-bar button", "Retry")
        self.find("dialog .warning-line", "1 may have reached the upstream without an answer", "1 got an answer", "Errors: 1 × ", "1 × http.status")
        self.keys(Keys.ESCAPE)

    def test_an_id_in_a_sentence_is_a_link(self):
        held = {"type": "await", "signal": "go", "timeouts": {"total": "1d"}, "conditions": [{"type": "lock", "key": "the_one"}]}
        first = world.client.submit(name="holder", **held)
        world.client.until(first, "waiting")
        second = world.client.submit(name="follower", **held)
        world.client.until(second, "waiting", "pending")
        self.open(f"jobs/{second}", ready=".verdict", anew=True)
        self.click(f".verdict a[href='#/jobs/{first}']")
        self.find("h1", "holder")
        # The queue that holds a job back is one click away, and can be resumed there.
        self.open(f"jobs/{world.client.send('GET', '/v1/jobs?queue=exports&state=queued')['items'][0]['id']}", ready=".verdict")
        self.click(".verdict a", "exports")
        self.find(".actions button", "Resume")

    def test_draws_what_is_run_after_a_failure(self):
        value = {"type": "value", "value": 1}
        job = world.client.submit(type="group", name="branches", operations=[
            {**value, "name": "charge"}, {**value, "name": "ship", "after": ["charge"]}, {**value, "name": "refund", "after": [{"operation": "charge", "states": ["failed"]}]}])
        world.client.until(job, "succeeded")
        self.open(f"jobs/{job}/operations", ready=".graph .line", anew=True)
        drawn = "return [...document.querySelectorAll('.graph .line')].map((each) => [each.classList.contains('is-critical'), each.classList.contains('is-for-failure'), each.textContent])"
        self.assertEqual(driver.execute_script(drawn), [[True, False, ""], [False, True, "when it is failed"]])
        self.find(".graph-key", "after a failure", "what the end waited for")

    def test_a_member_of_a_thousand_is_found(self):
        bad = {4, 99, 980}
        items = [{"id": f"cust_{n}", "code": 422 if n in bad else 200} for n in range(1000)]
        job = world.client.submit(type="group", name="sync_many", succeed_when={"max_failures": 3}, map={"items": items, "concurrency": 50, "operation": {
            "type": "network", "retry": {"max_attempts": 1}, "request": {"method": "POST", "url": f"{world.upstream}/status{{/code}}{{/id}}", "vars": {"code": {"$item": "/code"}, "id": {"$item": "/id"}}}}})
        # From the list to what went over the wire of the last of them: three clicks.
        self.open("jobs?name=sync_many", ready=".job-row", anew=True)
        world.client.until(job, "succeeded", "failed")
        self.find(".job-row .state", "Succeeded")
        self.click(".job-row a", "sync_many")
        self.find(".timeline-name", "1 · cust_0")
        self.click(".members-line a", "3 failed")
        self.find("tbody tr", "981 · cust_980", "POST", "/status/422/cust_980")
        self.until(lambda: len(driver.find_elements(By.CSS_SELECTOR, "tbody tr")) == 3)
        self.click("tbody a", "981 · cust_980")
        self.find(".attempts-head", "Those of 981 · cust_980")
        self.find(".attempt .message", "/status/422/cust_980")
        self.assertEqual(self.clicks, 3)
        # All of them are cells; those behind the first rows are a click away.
        driver.back()
        self.click(".state-tab", "All")
        self.find(".graph .cells")
        cells = "return [...document.querySelectorAll('.graph .cells rect')].map((each) => [each.dataset.operation, each.classList.contains('is-failed')])"
        self.assertEqual([int(name) - 1 for name, failed in driver.execute_script(cells) if failed], sorted(bad))
        self.assertEqual(len(driver.execute_script(cells)), 1000)
        ActionChains(driver, duration=0).move_to_element(self.find(".cells .is-failed")).perform()
        self.find(".hover-card", "5 · cust_4", "failed", "Upstream answered 422")
        last = "return [document.querySelectorAll('tbody tr').length, document.querySelector('tbody tr:last-child').innerText.split('\\n')[0]]"
        self.assertEqual(driver.execute_script(last), [500, "499 · cust_498"])
        self.click(".more-line button", "Show more")
        self.until(lambda: driver.execute_script(last) == [1000, "999 · cust_998"])
        driver.execute_script("document.querySelector('.cells .is-failed').dispatchEvent(new MouseEvent('click', { bubbles: true }))")
        self.find(".attempts-head", "Those of 5 · cust_4")
        self.click(".tab", "Timeline")
        self.click(".timeline button", "Show all")
        self.until(lambda: len(driver.find_elements(By.CSS_SELECTOR, ".timeline-row")) >= 500)

    def test_failures_are_found_and_retried_without_typing(self):
        jobs = [world.client.submit(type="network", name="broken_kind", retry={"max_attempts": 1}, request={"method": "PUT", "url": f"{world.upstream}/status/409"}) for _ in range(3)]
        for job in jobs:
            world.client.until(job, "failed")
        driver.get("about:blank")
        driver.get(f"{world.url}/page/")
        self.find(".failure", "broken_kind", "PUT", "/status/409", "3\ntimes")
        # What failed at one upstream in the last hour: one click.
        self.click(".table a", world.upstream.removeprefix("http://"))
        self.find(".job-row", "broken_kind", "409")
        self.find(".chip", "host: 127.0.0.1")
        self.assertEqual(self.clicks, 1)
        # Retry of all of a kind: two clicks.
        driver.back()
        self.click(".failure", "broken_kind", button="Retry all 3")
        self.find("dialog h2", "Retry 3 jobs?")
        self.click("dialog button.primary", "Retry 3")
        self.assertEqual(self.clicks, 3)
        for job in jobs:
            self.until(lambda: len([event for event in world.client.send("GET", f"/v1/jobs/{job}/events")["items"] if event["type"] == "retried"]) == 1)
