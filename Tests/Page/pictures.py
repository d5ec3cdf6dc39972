"""Takes the pictures of the page: `pictures.py [FOLDER]`, Docs/Pictures unless another folder is said."""
import pathlib
import shutil
import sys
import tempfile
import time

import fill
import history
from world import PUBLIC_URL, ROOT, World, browser, look

SIZES = {"": (1280, 800, False), "-dark": (1280, 800, True), "-narrow": (360, 740, False)}


def main():
    """Makes jobs, and a picture of each screen in both themes and at 360 px."""
    # Those that Docs/Page.md shows; another folder gets all.
    kept = {"overview", "members", "schedules", "jobs", "jobs-dark", "job-failed", "job-timeline-dark", "attempts", "operations", "compose", "approvals", "queues", "queue-dark", "schedule",
            "schedule-form", "bulk", "health", "hook", "jobs-narrow", "job-failed-narrow", "schedules-narrow"}
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "Docs/Pictures"
    folder.mkdir(parents=True, exist_ok=True)
    world, profile = World("--public-url", PUBLIC_URL), tempfile.mkdtemp(prefix="jobserver-chromium-")
    driver = browser(profile)
    try:
        # Names that end so are this machine.
        shop, crm, payments = (base.replace("127.0.0.1", name + ".localhost") for base, name in ((world.upstream, "shop"), (world.busy, "crm"), (world.upstream, "payments")))
        client = world.client
        made = fill.fill(client, shop, crm)
        made["failed"] = client.submit(
            type="network", name="charge_card", queue="billing", labels={"team": "payments", "order": "7"}, retry={"max_attempts": 3, "backoff": "400ms"},
            request={"method": "PUT", "url": f"{payments}/charges/4711", "json": {"order": 7, "amount": 1999, "currency": "EUR"}})
        client.send("POST", "/v1/jobs:batch", [{"type": "delay", "for": "3d", "name": "remind_customer", "labels": {"campaign": "winter"}}
                                               for _ in range(240)])
        client.send("POST", "/v1/bulk-actions", {"action": "hold", "filter": {"labels": {"campaign": "winter"}}, "reason": "until Monday"})
        bulk = client.send("POST", "/v1/bulk-actions", {"action": "cancel", "filter": {"labels": {"campaign": "winter"}}, "per_second": 1,
                                                "reason": "The campaign is off."})["id"]
        members = client.submit(type="group", name="sync_customers", labels={"team": "crm"}, map={
            "items": [{"id": f"cust_{n:03}", "code": 422 if n % 41 == 17 else 200} for n in range(240)], "concurrency": 8,
            "operation": {"type": "network", "retry": {"max_attempts": 1}, "request": {
                "method": "PUT", "url": f"{shop}/status{{/code}}{{/id}}", "vars": {"code": {"$item": "/code"}, "id": {"$item": "/id"}}}}})
        client.send("PUT", "/v1/schedules/push_prices", {"every": "5s", "job": {"type": "network", "request": f"{shop}/status/422", "retry": {"max_attempts": 1}}})
        # The overview of a server that has a past.
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": history.script(made["failed"], history.KINDS[:3])})
        client.until(members, "failed")
        client.until(made["failed"], "failed")
        time.sleep(8)
        screens = {
            "overview": "overview", "members": f"jobs/{members}/operations", "jobs-failed": "jobs?state=failed,expired", "jobs": "jobs", "job-failed": f"jobs/{made['failed']}", "job-timeline": f"jobs/{made['group']}",
            "job-waiting": f"jobs/{made['retrying']}", "job-approval": f"jobs/{made['approval']}",
            "attempts": f"jobs/{made['failed']}/attempts", "events": f"jobs/{made['group']}/events",
            "operations": f"jobs/{made['group']}/operations", "result": f"jobs/{made['result']}/result",
            "spec": f"jobs/{made['failed']}/spec", "compose": f"compose?from={made['result']}", "approvals": "approvals",
            "queues": "queues", "queue": "queues/mail", "schedules": "schedules", "schedule": "schedules/sync_stock",
            "schedule-paused": "schedules/invoices", "schedule-form": "schedule-form/nightly_report", "bulks": "bulk", "bulk": f"bulk/{bulk}",
            "servers": "servers", "hooks": "hooks", "hook": "hooks/deploy", "job-callback": f"jobs/{made['callback']}",
            "templates": "templates", "connections": "connections", "secrets": "secrets", "origins": "origins", "health": "health",
        }
        for suffix, (width, height, dark) in SIZES.items():
            look(driver, width, height, dark)
            for name, route in screens.items():
                if len(sys.argv) == 1 and name + suffix not in kept:
                    continue
                driver.get("about:blank")
                driver.get(f"{world.url}/page/#/{route}")
                time.sleep(9 if name == "health" else 2.5)
                driver.execute_script("document.activeElement.blur()")
                (folder / f"{name}{suffix}.png").write_bytes(driver.get_screenshot_as_png())
    finally:
        driver.quit()
        world.stop()
        shutil.rmtree(profile, ignore_errors=True)


if __name__ == "__main__":
    main()
