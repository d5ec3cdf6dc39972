"""Fills a server with jobs as people have them: `fill.py SERVER UPSTREAM BUSY-UPSTREAM`."""
import json
import sys
import time
import urllib.error
import urllib.request


class Client:
    """Speaks to a server."""

    def __init__(self, url, token=None):
        self.url, self.token = url, token

    def send(self, method, path, body=None, **fields):
        """Sends a request; the parsed answer. `body` is a value for JSON, or a text that is sent as it is."""
        data = body.encode() if isinstance(body, str) else None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, method=method)
        if data is not None:
            request.add_header("Content-Type", "application/json")
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        for name, value in fields.items():
            request.add_header(name.replace("_", "-"), value)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                text = answer.read().decode()
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read().decode()[:600]}") from error
        return json.loads(text) if text else None

    def submit(self, **spec):
        """Submits a job; its id."""
        return self.send("POST", "/v1/jobs", spec)["id"]

    def job(self, job):
        """The job as it is now."""
        return self.send("GET", f"/v1/jobs/{job}")

    def until(self, job, *states, seconds=40):
        """Waits until a job has one of the states."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = self.job(job)
            if found["state"] in states:
                return found
            time.sleep(0.05)
        raise AssertionError(f"{job} is {found['state']}, not {states}")


def fill(client, up, busy):
    """Makes the jobs, which call two upstreams, one of them busy; ids by what they show."""
    call = client.submit
    made = {}
    for number in range(14):
        call(type="network", name=["sync_inventory", "send_receipt", "refresh_prices"][number % 3],
             labels={"team": ["store", "payments", "store"][number % 3]},
             request={"url": f"{up}/orders/{number}", "method": "PUT" if number % 3 else "GET",
                      **({"json": {"order": number}} if number % 3 else {})})
    made["text"] = call(type="network", name="daily_summary", queue="reports", request=f"{up}/text")
    made["result"] = call(type="network", name="fetch_order", labels={"team": "store", "customer": "acme"}, queue="orders",
                          request=f"{up}/orders/7", metadata={"ticket": "OPS-1180"})
    made["download"] = call(type="download", name="export_orders", queue="reports", request=f"{up}/csv",
                            save={"artifact": "orders.csv", "max_bytes": 5000000}, verify={"content_type": "text/csv"})
    made["failed"] = call(type="network", name="charge_card", queue="billing", labels={"team": "payments", "order": "7"},
                          request={"method": "POST", "url": f"{up}/status/422", "json": {"order": 7, "amount": 1999}},
                          retry={"max_attempts": 3})
    made["refused"] = call(type="network", name="notify_warehouse", queue="orders",
                           request={"method": "POST", "url": "http://127.0.0.1:9/hook", "json": {"order": 7}},
                           retry={"max_attempts": 3, "backoff": "300ms"})
    made["flaky"] = call(type="network", name="update_search_index", queue="search", request=f"{up}/flaky/1",
                         retry={"max_attempts": 5, "backoff": "200ms"})
    made["timeout"] = call(type="network", name="legacy_report", request=f"{up}/slow/3", timeouts={"total": "400ms"})
    made["running"] = call(type="network", name="render_catalogue", queue="reports", request=f"{up}/slow/600",
                           timeouts={"attempt": "20m", "first_byte": "20m", "stall": "20m"})
    made["retrying"] = call(type="network", name="push_to_crm", queue="crm", labels={"team": "sales"},
                            request={"url": f"{busy}/busy", "method": "PUT", "json": {"customer": "acme"}},
                            retry={"max_attempts": 6})
    made["scheduled"] = call(type="network", name="nightly_report", queue="reports", run_at="8h", priority=7,
                             request={"method": "PUT", "url": f"{up}/orders/9", "json": {"full": True}})
    made["group"] = call(
        type="group", name="import_customers", ordered=True, labels={"team": "sales"},
        operations=[
            {"type": "network", "name": "token", "request": f"{up}/orders/1"},
            {"type": "group", "name": "pages", "operations": [
                {"type": "network", "name": f"page_{n}", "request": f"{up}/slow/0.{n}"} for n in range(1, 5)]},
            {"type": "delay", "name": "settle", "for": "1s"},
            {"type": "network", "name": "publish", "request": {"method": "PUT", "url": f"{up}/flaky/2", "json": {}},
             "retry": {"max_attempts": 4}},
            {"type": "await", "name": "checked", "signal": "checked", "timeouts": {"total": "3d"}},
            {"type": "network", "name": "announce", "request": {"method": "POST", "url": f"{up}/hook", "json": {}}}])
    made["signal"] = call(type="group", name="wait_for_payment", ordered=True, labels={"customer": "acme"}, operations=[
        {"type": "await", "name": "paid", "signal": "paid", "timeouts": {"total": "3d"}},
        {"type": "network", "name": "ship", "request": {"method": "PUT", "url": f"{up}/orders/7", "json": {}}}])
    made["approval"] = call(
        type="network", name="pay_invoice", queue="billing", labels={"team": "payments"},
        request={"method": "POST", "url": f"{up}/pay", "json": {"invoice": "2026-0117", "amount": 1200, "currency": "EUR"}},
        conditions=[{"type": "approval", "prompt": "Pay invoice 2026-0117 of Acme, 1,200 EUR?", "audience": "finance",
                     "timeout": "1d", "on_timeout": "fail"}])
    made["approval2"] = call(
        type="network", name="delete_account", request={"method": "DELETE", "url": f"{up}/accounts/4711"},
        conditions=[{"type": "approval", "prompt": "Delete the account of customer 4711 and all of its data?"}])
    made["fan"] = call(type="group", name="resize_images", labels={"team": "store"}, map={
        "items": list(range(12)), "concurrency": 4,
        "operation": {"type": "network", "request": {"url": f"{up}/slow/0.{{id}}", "vars": {"id": {"$item": ""}}}}})
    made["cancelled"] = call(type="delay", name="follow_up", **{"for": "2d"})
    client.send("POST", f"/v1/jobs/{made['cancelled']}:cancel", {"reason": "the customer left"})
    made["paused"] = call(type="network", name="settle_batch", queue="billing", run_at="20m", request=f"{up}/orders/3")
    client.send("POST", f"/v1/jobs/{made['paused']}:hold", {"reason": "the bank is closed"})
    client.send("PUT", "/v1/templates/charge", {
        "parameters": {"amount": {"type": "integer", "required": True, "minimum": 1, "description": "In cents"},
                       "currency": {"type": "string", "default": "EUR", "enum": ["EUR", "CHF"]}},
        "operation": {"type": "network", "request": {
            "method": "POST", "url": f"{up}/charge", "json": {"amount": {"$param": "amount"}, "currency": {"$param": "currency"}}}}})
    client.send("PUT", "/v1/secrets/crm_token", {"text": "not to be seen"})
    client.send("PUT", "/v1/secrets/bank_key", {"text": "not to be seen either"})
    try:
        client.send("PUT", "/v1/connections/crm", {"base_url": f"{up}/"})
    except urllib.error.HTTPError as error:
        print(error.read().decode())
    fill_queues(client, up)
    fill_schedules(client, up)
    fill_hooks(client, up)
    made["callback"] = call(type="group", name="print_invoice", labels={"customer": "acme"}, stop_when="first_failure", operations=[
        {"type": "network", "name": "order", "request": {"method": "POST", "url": f"{up}/hook", "json": {"file": "invoice.pdf", "notify_url": {"$callback": "printed"}}}},
        {"type": "await", "name": "printed", "callback": {"when": {"at": "/body/state", "equals": "done"}, "heartbeat": "10m"}, "timeouts": {"total": "1d"}}])
    client.until(made["failed"], "failed")
    client.until(made["timeout"], "failed")
    return made


def fill_queues(client, up):
    """Makes queues that are full, throttled and paused."""
    client.send("PUT", "/v1/queues/mail", {"concurrency": 3, "rate": {"count": 20, "per": "1s"}, "per_key": {"concurrency": 1}})
    for number in range(17):
        client.submit(type="network", name="send_newsletter", queue="mail", queue_key=["acme", "initech", "hooli", "globex"][number % 4 * (number % 3) % 4],
                      request=f"{up}/slow/600", timeouts={"attempt": "20m", "first_byte": "20m", "stall": "20m"})
    client.send("PUT", "/v1/queues/imports", {"rate": {"count": 2, "per": "10m", "burst": 1}, "order": "fifo", "max_waiting": 500})
    for number in range(4):
        client.submit(type="network", name="import_feed", queue="imports", request=f"{up}/orders/{number}")
    client.send("PUT", "/v1/queues/exports", {"concurrency": 2})
    client.send("POST", "/v1/queues/exports:pause", {})
    for number in range(5):
        client.submit(type="network", name="export_ledger", queue="exports", request=f"{up}/csv")


def fill_schedules(client, up):
    """Makes schedules: one that runs, one that is skipped, one that is paused."""
    call = {"type": "network", "request": f"{up}/text"}
    client.send("PUT", "/v1/schedules/nightly_report", {"cron": "0 3 * * MON-FRI", "tz": "Europe/Berlin", "job": {**call, "queue": "reports"}})
    client.send("PUT", "/v1/schedules/heartbeat", {"every": "2s", "job": {**call, "name": "ping"}})
    client.send("PUT", "/v1/schedules/sync_stock", {"every": "1s", "overlap": "skip", "job": {"type": "network", "request": f"{up}/slow/7"}})
    client.send("PUT", "/v1/schedules/invoices", {
        "calendar": {"weekdays": ["first tue", "last fri"], "at": ["08:00"]}, "tz": "America/New_York", "except": ["2026-12-25"], "job": call})
    client.send("POST", "/v1/schedules/invoices:pause", {"reason": "until the audit is over"})


def fill_hooks(client, up):
    """Makes hooks: one that made jobs, ignored one delivery and refused another, one that everyone may use, and one that nothing came to."""
    client.send("PUT", "/v1/secrets/deploy_hook", {"text": "not to be seen there"})
    when, job = {"at": "/body/ref", "equals": "refs/heads/main"}, {"type": "network", "name": "deploy_site", "request": f"{up}/text"}
    client.send("PUT", "/v1/hooks/deploy", {"verify": {"scheme": "bearer", "token": {"$secret": "deploy_hook"}}, "when": when, "job": job})
    client.send("PUT", "/v1/hooks/form", {"verify": {"scheme": "none"}, "job": {"type": "value", "name": "contact_form", "value": {"$hook": "", "at": "/body"}}})
    client.send("PUT", "/v1/hooks/payments", {"verify": {"scheme": "bearer", "token": {"$secret": "deploy_hook"}}, "signal": {"name": "paid", "job": {"label": {"customer": {"$hook": "", "at": "/body/customer"}}}}})
    for proof, body in (("not to be seen there", {"ref": "refs/heads/main", "commit": "3f2a1c"}), ("not to be seen there", {"ref": "refs/heads/try"}), ("wrong", {"ref": "refs/heads/main"}),
                        ("not to be seen there", {"ref": "refs/heads/main", "commit": "3f2a1c"})):
        try:
            client.send("POST", "/hooks/deploy", body, Authorization=f"Bearer {proof}")
        except AssertionError as error:
            assert ": 401 " in str(error), error


if __name__ == "__main__":
    print(json.dumps(fill(Client(sys.argv[1]), *sys.argv[2:]), indent=1))
