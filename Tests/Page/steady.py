"""What must not move under a hand, be lost, or be shown for longer than it is true."""
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from case import Page, driver, world


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
        self.find(".filter input").send_keys("status:500", Keys.ENTER)
        self.find(".filter-line + .trouble", "“status:” is no filter")
        self.assertEqual(self.route(), "#/jobs")
        self.find(".filter input").clear()
        # A key after the choice of a time is a key again.
        self.find(".filter-line select").send_keys("Last 24")
        self.until(lambda: "since=24h" in self.route())
        self.keys("/")
        self.assertTrue(driver.execute_script("return document.activeElement.matches('.filter input')"))
        self.keys(Keys.ESCAPE)
