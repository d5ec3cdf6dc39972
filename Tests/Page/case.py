"""What the tests of the page in a browser share: one server with jobs, one browser, and what they do with it."""
import atexit
import json
import pathlib
import shutil
import sys
import tempfile
import time
import unittest

from selenium.common.exceptions import ElementClickInterceptedException, NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from world import PUBLIC_URL, World, browser, look

# How long something may take on a busy machine. A test waits for what it expects, and never that long when all is well.
PATIENCE = 40

profile = tempfile.mkdtemp(prefix="jobserver-chromium-")
world = World("--public-url", PUBLIC_URL)
atexit.register(shutil.rmtree, profile, ignore_errors=True)
atexit.register(world.stop)
made = world.fill()
driver = browser(profile)
atexit.register(driver.quit)


class Page(unittest.TestCase):
    """A test of the page."""

    def setUp(self):
        self.began, self.clicks = time.monotonic(), 0
        look(driver)
        driver.get_log("browser")

    def tearDown(self):
        print(f"{time.monotonic() - self.began:.1f} s", end=" ", file=sys.stderr)
        noise = ("status of 422", "status of 404", "status of 401", "status of 400", "status of 403", "status of 409", "status of 410", "status of 412")
        found = [line["message"] for line in driver.get_log("browser")
                 if line["level"] in ("WARNING", "SEVERE") and not any(word in line["message"] for word in noise)]
        self.assertEqual(found, self.expected_errors(found), "the console")

    def expected_errors(self, _):
        """What the console may say."""
        return []

    def open(self, route, url=None, ready="main > *", anew=False):
        """Opens a route and waits until something of it is there. `anew` loads the page again."""
        base = f"{url or world.url}/page/"
        if driver.current_url.startswith(base) and not anew:
            driver.execute_script(
                "document.querySelector('main').replaceChildren(); document.querySelector('.notices')?.replaceChildren(); history.pushState(null, '', arguments[0]);"
                "window.dispatchEvent(new HashChangeEvent('hashchange', { oldURL: location.href }))", "#/" + route)
        else:
            driver.get("about:blank")
            driver.get(f"{base}#/{route}")
        return self.find(ready)

    def own(self, *flags, **options):
        """A server for this test only, which ends after its page was left, so that the page does not complain."""
        server = World(*flags, **options)
        self.addCleanup(server.stop)
        self.addCleanup(driver.get, "about:blank")
        return server

    def find(self, selector, *texts, seconds=PATIENCE):
        """The first element that fits and has all the texts, when it is there and seen."""
        end = time.monotonic() + seconds
        while True:
            try:
                for element in driver.find_elements(By.CSS_SELECTOR, selector):
                    if element.is_displayed() and all(text.lower() in element.text.lower() for text in texts):
                        return element
            except StaleElementReferenceException:
                pass
            if time.monotonic() > end:
                body = driver.find_element(By.TAG_NAME, "body").text[:1500]
                raise AssertionError(f"no {selector} with {texts} at {driver.current_url}:\n{body}")
            time.sleep(0.03)

    def click(self, selector, *texts, button=None):
        """Clicks it, or a button or link in it; again when it was replaced or covered meanwhile. Counts in `clicks`."""
        for _ in range(20):
            try:
                found = self.find(selector, *texts)
                if button:
                    found = found.find_element(By.XPATH, f".//*[self::button or self::a][contains(., '{button}')]")
                found.click()
                self.clicks += 1
                return None
            except (StaleElementReferenceException, ElementClickInterceptedException, NoSuchElementException):
                time.sleep(0.1)
        raise AssertionError(f"{selector} is replaced or covered all the time")

    def gone(self, selector, text="", seconds=PATIENCE):
        """Waits until nothing fits."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if not any(text.lower() in each.text.lower() for each in driver.find_elements(By.CSS_SELECTOR, selector) if each.is_displayed()):
                    return
            except StaleElementReferenceException:
                pass
            time.sleep(0.03)
        raise AssertionError(f"{selector} with {text!r} is still there")

    def until(self, says, seconds=PATIENCE):
        """Waits until it says so."""
        end = time.monotonic() + seconds
        while True:
            try:
                if says():
                    return
            except StaleElementReferenceException:
                pass
            self.assertLess(time.monotonic(), end, "it did not come to be")
            time.sleep(0.05)

    def keys(self, *keys):
        """Types where the focus is."""
        ActionChains(driver, duration=0).send_keys(*keys).perform()

    def confirm(self, *keys):
        """Types in a dialog, presses Enter, and waits until the dialog is gone."""
        self.find("dialog")
        self.keys(*keys, Keys.ENTER)
        self.gone("dialog")

    def check_access(self, what):
        """Lets the checker look at what is shown."""
        script = axe()
        if not script:
            self.skipTest("needs axe (.ci/install page)")
        # The page's policy lets no text become a script; the debugger may run one.
        driver.execute_cdp_cmd("Runtime.evaluate", {"expression": f"window.axe || (() => {{ {script} }})()"})
        answer = driver.execute_cdp_cmd("Runtime.evaluate", {
            "expression": "axe.run(document, { resultTypes: ['violations'] }).then((found) => JSON.stringify("
                          "found.violations.map((each) => [each.id, each.nodes.slice(0, 3).map((node) => node.html.slice(0, 200)"
                          " + (node.any[0] ? node.any[0].message : ''))])))",
            "awaitPromise": True, "returnByValue": True})
        self.assertEqual(json.loads(answer["result"]["value"]), [], what)

    def focused(self):
        """The text of the link, button or summary that has the focus."""
        return driver.execute_script("return document.activeElement.matches('a, button, summary') ? document.activeElement.innerText : ''")

    def route(self):
        """The route in the address."""
        return driver.execute_script("return location.hash")


def axe():
    """The accessibility checker, out of a Python package; nothing without it."""
    for folder in sys.path:
        for file in pathlib.Path(folder).glob("axe_playwright_python/axe.min.js"):
            return file.read_text()
        for file in pathlib.Path(folder).glob("axe_*python*/**/axe*.min.js"):
            return file.read_text()
    return None
