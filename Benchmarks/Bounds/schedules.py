"""Schedules whose times are many, or few among many that fall out: their previews, and what is asked of stored ones."""
import datetime

from .contract import Case, encode

JOB = {"type": "delay", "for": "1s"}
DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]


def minutes(n, step=1):
    return [f"{i * step // 60 % 24:02}:{i * step % 60:02}" for i in range(n)]


def days(n, begin="2026-01-01"):
    first = datetime.date.fromisoformat(begin)
    return [str(first + datetime.timedelta(i)) for i in range(n)]


def weekdays(n):
    return [f"{place}{day}" for place in ("", "first ", "second ", "third ", "fourth ", "fifth ", "last ") for day in DAYS][:n]


#: Fields by name; a number says how many entries, and how many of them exist.
WAYS = {
    "at": (1440, lambda n: {"calendar": {"at": minutes(n)}}),
    "at, and rare days": (1440, lambda n: {"calendar": {"at": minutes(n), "days": [31], "months": ["feb", "apr", "jun"]}}),
    "at, in two zones' gap": (1440, lambda n: {"calendar": {"at": minutes(n)}, "tz": "Europe/Berlin", "gap": "skip"}),
    "the same at": (None, lambda n: {"calendar": {"at": ["08:00"] * n}}),
    "wrong at": (None, lambda n: {"calendar": {"at": [f"8:{i}" for i in range(n)]}}),
    "months": (None, lambda n: {"calendar": {"at": ["08:00"], "months": [f"jna{i}" for i in range(n)]}}),
    "days": (None, lambda n: {"calendar": {"at": ["08:00"], "days": list(range(1, n + 1))}}),
    "the same day": (None, lambda n: {"calendar": {"at": ["08:00"], "days": [1] * n}}),
    "weekdays": (49, lambda n: {"calendar": {"at": ["08:00"], "weekdays": weekdays(n)}}),
    "wrong weekdays": (None, lambda n: {"calendar": {"at": ["08:00"], "weekdays": [f"firts mon{i}" for i in range(n)]}}),
    "except, all days": (10_000, lambda n: {"calendar": {"at": minutes(1440)}, "except": days(n)}),
    "except, cron": (10_000, lambda n: {"cron": "* * * * *", "except": days(n)}),
    "except, every": (10_000, lambda n: {"every": "1s", "except": days(n)}),
    "except, the same": (None, lambda n: {"every": "1h", "except": ["2026-12-25"] * n}),
    "except, wrong": (None, lambda n: {"every": "1h", "except": [f"2026-13-{i}" for i in range(n)]}),
    "cron list": (None, lambda n: {"cron": ",".join(["1"] * max(n, 1)) + " * * * *"}),
    "cron names": (None, lambda n: {"cron": "0 0 * " + ",".join(["JAM"] * max(n, 1)) + " *"}),
    "cron that never comes": (1, lambda n: {"cron": "0 0 31 2 *"}),
    "cron that hardly comes": (1, lambda n: {"cron": "0 0 29 2 MON#5"}),
    "tz": (None, lambda n: {"every": "1h", "tz": "Europe/Berlim" + "a" * n}),
    "jitter": (None, lambda n: {"every": "1h", "jitter": "9" * max(n, 1) + "s"}),
    "params": (None, lambda n: {"every": "1h", "job": None, "template": "t", "params": {f"a{i}": i for i in range(n)}}),
    "job": (None, lambda n: {"every": "1h", "job": {"type": "value", "value": [1] * n}}),
    "job of many operations": (None, lambda n: {"every": "1h", "job": {"type": "group", "operations": [
        {**JOB, "name": f"a{i}"} for i in range(max(n, 1))]}}),
}


def cases():
    found = []
    for name, (most, make) in WAYS.items():
        def body(n, make=make, most=most):
            schedule = {"job": JOB, **make(min(n, most) if most else n)}
            return encode({member: value for member, value in schedule.items() if value is not None})
        for way, path in (("preview", "/v1/schedules/w?validate_only=true"), ("stored", "/v1/schedules/w")):
            found.append(Case(f"schedule {name}, {way}", "PUT", path, 1 << 20, body))
    return found
