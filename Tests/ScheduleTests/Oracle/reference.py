"""Planned times by brute force, and by the package cronsim, to compare those of the server with.

Reads one JSON object a line from the file that is the first argument and prints a list of seconds since 1970 for each:
  {"expr": "30 2 * * *", "tz": "Europe/Berlin", "from": 0, "to": 9, "gap": "after"}    every minute is looked at
  {"expr": "30 2 * * *", "tz": "Europe/Berlin", "from": 0, "count": 9, "by": "cronsim"}
  {"changes": ["Europe/Berlin"], "from": 0, "to": 9}                       the clock changes instead: [moment, before, after]

The brute force shares nothing with the server: it asks zoneinfo what the clocks show in each minute, and whether that
is in the sets of the five fields.
"""
import calendar
import json
import sys
from datetime import datetime, timezone
from zoneinfo import ZoneInfo

NAMES = {name: str(number) for number, name in enumerate("SUN MON TUE WED THU FRI SAT".split())}
NAMES |= {name: str(number) for number, name in enumerate("JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(), 1)}
RANGES = [(0, 59), (0, 23), (1, 31), (1, 12), (0, 7)]
SHORT = {"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
         "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *"}


def plain(part, bounds):
    """The numbers of "*", "a", "a-b", each with or without a step."""
    head, _, step = part.partition("/")
    low, high = bounds
    if head not in ("*", "?"):
        low, _, end = head.partition("-")
        high = int(end) if end else int(low)
        if bounds == (0, 7) and high == 0 and int(low) > 0:
            high = 7
    return set(range(int(low), int(high) + 1, int(step or 1)))


def nearest_workday(year, month, day):
    last = calendar.monthrange(year, month)[1]
    if day > last:
        return 0
    fitting = [other for other in range(1, last + 1) if calendar.weekday(year, month, other) < 5]
    return min(fitting, key=lambda other: (abs(other - day), other))


def month_day(part, year, month, day):
    last = calendar.monthrange(year, month)[1]
    if part == "L":
        return day == last
    if part == "LW":
        return day == max(d for d in range(1, last + 1) if calendar.weekday(year, month, d) < 5)
    if part.startswith("L-"):
        return day == last - int(part[2:])
    if part.endswith("W"):
        return day == nearest_workday(year, month, int(part[:-1]))
    return day in plain(part, (1, 31))


def month_weekday(part, year, month, day):
    weekday = (calendar.weekday(year, month, day) + 1) % 7
    last = calendar.monthrange(year, month)[1]
    if "#" in part or (part.endswith("L") and part != "L"):
        wanted, week = part.split("#") if "#" in part else (part[:-1], "L")
        if int(wanted) % 7 != weekday:
            return False
        return day + 7 > last if week == "L" else (day + 6) // 7 == int(week)
    return weekday in {number % 7 for number in plain(part, (0, 7))}


class Expression:
    def __init__(self, text):
        fields = SHORT.get(text, text).upper().split()
        self.is_fixed = not any(sign in fields[0] + fields[1] for sign in "*/")
        self.is_both = fields[2][0] in "*?" or fields[4][0] in "*?+"
        fields[4] = fields[4].lstrip("+")
        for place in (3, 4):
            for name, number in NAMES.items():
                fields[place] = fields[place].replace(name, number)
        lists = [field.split(",") for field in fields]
        self.minutes, self.hours, self.months = (
            set().union(*(plain(part, RANGES[place]) for part in lists[place])) for place in (0, 1, 3))
        self.day_parts, self.weekday_parts = lists[2], lists[4]
        self.known = {}

    def on_day(self, year, month, day):
        key = (year, month, day)
        if key not in self.known:
            by_day = any(month_day(part, *key) for part in self.day_parts)
            by_weekday = any(month_weekday(part, *key) for part in self.weekday_parts)
            self.known[key] = month in self.months and (by_day and by_weekday if self.is_both else by_day or by_weekday)
        return self.known[key]

    def fits(self, local):
        return local.minute in self.minutes and local.hour in self.hours and self.on_day(local.year, local.month, local.day)


LOCAL = {}


def clock(zone, moment):
    """What the clocks show, as seconds since 1970 without a zone, and as a date."""
    key = (zone, moment)
    if key not in LOCAL:
        shown = datetime.fromtimestamp(moment, ZoneInfo(zone)).replace(tzinfo=timezone.utc)
        LOCAL[key] = (int(shown.timestamp()), shown)
    return LOCAL[key]


def walk(case):
    expression = Expression(case["expr"])
    zone, found, latest = case["tz"], [], None
    first = case["from"] // 60 * 60
    for moment in range(first - 10800, case["to"] + 1, 60):
        seconds, shown = clock(zone, moment)
        before = clock(zone, moment - 60)[0]
        is_new = latest is None or seconds > latest
        happens = expression.fits(shown) and (not expression.is_fixed or is_new)
        if expression.is_fixed and seconds > before + 60 and case.get("gap", "after") == "after":
            skipped = range(before + 60, seconds, 60)
            happens = happens or any(expression.fits(datetime.fromtimestamp(s, timezone.utc)) for s in skipped)
        latest = seconds if is_new else latest
        if happens and moment > case["from"]:
            found.append(moment)
    return found


def by_cronsim(case):
    from cronsim import CronSim
    times = CronSim(case["expr"], datetime.fromtimestamp(case["from"], ZoneInfo(case["tz"])))
    return [int(next(times).timestamp()) for _ in range(case["count"])]


def by_days(case):
    """In UTC, day by day: for long stretches of time."""
    expression = Expression(case["expr"])
    found = []
    for day in range(case["from"] // 86400, case["to"] // 86400 + 1):
        date = datetime.fromtimestamp(day * 86400, timezone.utc)
        if expression.on_day(date.year, date.month, date.day):
            found += [day * 86400 + h * 3600 + m * 60 for h in sorted(expression.hours) for m in sorted(expression.minutes)]
    return [moment for moment in found if case["from"] < moment <= case["to"]]


def changes(case):
    found = []
    for zone in case["changes"]:
        shift = lambda t: datetime.fromtimestamp(t, ZoneInfo(zone)).utcoffset().total_seconds()
        for hour in range(case["from"], case["to"], 3600):
            if shift(hour) != shift(hour + 3600):
                moment = next(t for t in range(hour, hour + 3601, 60) if shift(t) != shift(hour))
                found.append([zone, moment, int(shift(hour)), int(shift(hour + 3600))])
    return found


for line in open(sys.argv[1]):
    case = json.loads(line)
    if "changes" in case:
        answer = changes(case)
    elif case.get("by") == "cronsim":
        answer = by_cronsim(case)
    elif case.get("by") == "days":
        answer = by_days(case)
    else:
        answer = walk(case)
    print(json.dumps(answer))
