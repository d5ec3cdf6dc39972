"""A history of ends as `GET /v1/stats` and `GET /v1/failures` tell it, for the page alone: a server has no past in a test."""
import datetime
import json
import random

HOSTS = [("api.acme.com", 4100, 45, 940), ("crm.example.com", 840, 7, 310), ("hooks.partner.io", 160, 0, 120), ("[2001:db8::7]:8443", 12, 1, 5200)]
KINDS = [("http.status", "Upstream answered 422", "api.acme.com", "charge_card", 45, 422, "POST", "https://api.acme.com/v2/charges", '{"error": {"message": "card_declined: insufficient funds"}}'),
         ("http.timeout", "No answer came in time", "crm.example.com", "push_to_crm", 6, None, "PUT", "https://crm.example.com/contacts/4711", None),
         ("template.unknown", "There is no such template", None, "monthly_report", 2, None, None, None, None),
         ("http.status", "Upstream answered 500", "[2001:db8::7]:8443", "<img src=x onerror=alert(1)>", 1, 500, "GET", "https://[2001:db8::7]:8443/%22%3E", "say <b>bold</b>\u202e")]


def text(time):
    """As the API writes times."""
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def history(job, kinds=KINDS, now=None):
    """Answers by path and `by`, with these failures; the newest failed job is `job`."""
    rng = random.Random(7)
    now = now or datetime.datetime.now(datetime.timezone.utc)
    first = now.replace(second=0, microsecond=0) - datetime.timedelta(minutes=59)
    times = [text(first + datetime.timedelta(minutes=n)) for n in range(60)]
    ends = {"from": times[0], "to": text(first + datetime.timedelta(minutes=60)), "step": "minute"}
    succeeded = [60 + rng.randrange(50) for _ in times]
    failed = [rng.randrange(2) if 26 > n or n > 38 else 2 + rng.randrange(4) for n in range(60)]
    spread = {"start_delay_ms": {"p50": 2, "p95": 31, "p99": 240}, "duration_ms": {"p50": 120, "p95": 900, "p99": 4100}}

    def points(counts, bad):
        return [{"at": at, "count": good + lost, "failed": lost, "start_delay_ms": {"p50": 2, "p95": 20 + rng.randrange(30), "p99": 240},
                 "duration_ms": {"p50": 110, "p95": 700 + rng.randrange(400) + lost * 300, "p99": 4100}} for at, good, lost in zip(times, counts, bad)]

    def group(value, counts, bad, p95=900):
        return {"value": value, "count": sum(counts), "failed": sum(bad), "counts": counts, "failed_counts": bad,
                "start_delay_ms": {"p50": 2, "p95": 31, "p99": 240}, "duration_ms": {"p50": 120, "p95": p95, "p99": 4100}}

    total = {"count": sum(succeeded) + sum(failed), "failed": sum(failed), **spread}
    zeros = [0] * 60
    shares = {host: [count * n // sum(succeeded) for n in succeeded] for host, count, _, _ in HOSTS}
    def kind(code, title, host, name, count, status, method, url, message):
        counts = zeros[:]
        for n in range(count):
            counts[26 + n * 7 % 13 if count > 1 else 50] += 1
        seen = [n for n, each in enumerate(counts) if each]
        found = {"code": code, "host": host, "name": name, "count": count, "first_at": times[seen[0]], "last_at": times[seen[-1]], "counts": counts, "jobs": [job],
                 "newest": {"job": job, "title": title, "detail": "Its answer is in upstream.body_excerpt.",
                            "status": status, "method": method, "url": url, "message": message},
                 "retry": {"action": "retry", "filter": {"state": "failed,expired", "error.code": code, "host": host, "name": name, "finished_from": ends["from"], "finished_to": ends["to"]}}}
        return {key: value for key, value in found.items() if value is not None}
    return {
        "state": {**ends, "by": "state", "total": total, "points": points(succeeded, failed), "groups": [group("succeeded", succeeded, zeros), group("failed", failed, failed)]},
        "host": {**ends, "by": "host", "total": total, "points": points(succeeded, failed),
                 "groups": [group(host, shares[host], failed if bad > 40 else zeros[:-1] + [bad], p95) for host, _, bad, p95 in HOSTS]},
        "queue": {**ends, "by": "queue", "total": total, "points": [], "groups": [group(queue, [n // part for n in succeeded], [n // part for n in failed]) for queue, part in (("default", 2), ("mail", 3), ("billing", 9))]},
        "failures": {**ends, "count": 57, "groups": [kind(*each) for each in kinds], "other": {"count": 4, "counts": zeros}},
    }


def script(job, kinds=KINDS):
    """A script for a browser that answers so."""
    return """(() => {
  const answers = %s, fetched = window.fetch;
  window.fetch = async (url, options) => {
    const { pathname, searchParams } = new URL(url, location.href);
    if (pathname.endsWith("/v1/bulk-actions") && searchParams.get("validate_only")) {
      window.asked.push(options.body);
      return new Response(JSON.stringify({ count: 45, samples: [] }), { headers: { "content-type": "application/json" } });
    }
    const name = pathname.endsWith("/v1/stats") ? searchParams.get("by") : pathname.endsWith("/v1/failures") ? "failures" : "";
    if (name) (window.asked ??= []).push(String(url));
    if (name) return new Response(JSON.stringify(answers[name]), { headers: { "content-type": "application/json" } });
    const answer = await fetched(url, options);
    if (!answer.ok || !pathname.endsWith("/v1/jobs")) return answer;
    const body = await answer.json();
    for (const job of body.items ?? []) if (job.done && job.type === "network") job.call = { method: "POST", url: `https://api.acme.com/v2/${job.name}?page=1` };
    return new Response(JSON.stringify(body), { status: answer.status, headers: answer.headers });
  };
})()""" % json.dumps(history(job, kinds))
