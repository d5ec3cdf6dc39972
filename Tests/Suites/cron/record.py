"""Writes times.jsonl: what the tests of croniter and cronsim ask of these libraries, with the answers.

pip install croniter==7.0.0 cronsim==2.8 pytz tzlocal python-dateutil
pip download --no-deps --no-binary :all: croniter==7.0.0 cronsim==2.6    and unpack both
python record.py croniter-7.0.0/src/croniter/tests cronsim-2.6/tests > times.jsonl

A line is [library, expression, zone, [[start, next, next, ...], ...]], or [library, expression] for one that is refused.
Left out: expressions with seconds or years, croniter's own options, and what looks back.
"""

import io
import json
import math
import sys
import unittest
from datetime import timezone

import croniter
import cronsim

CRONITER_OPTIONS = ("hash_id", "implement_cron_bug", "second_at_beginning", "expand_from_start_time")
PAIRS_MAX = 40
times, refused = {}, {}


def zone(info):
    """The IANA name of a tzinfo; None when it has none."""
    if info is None or info == timezone.utc:
        return "UTC"
    named = getattr(info, "key", None) or getattr(info, "zone", None)
    return named or getattr(info, "_filename", "zoneinfo/").split("zoneinfo/")[-1] or None


def seconds(moment):
    return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()


begin_croniter, next_croniter = croniter.croniter.__init__, croniter.croniter._get_next


def croniter_begins(self, *arguments, **options):
    expression = arguments[0] if arguments else options.get("expr_format")
    self.asked = (expression, any(options.get(name) for name in CRONITER_OPTIONS))
    try:
        begin_croniter(self, *arguments, **options)
    except croniter.CroniterBadCronError:
        if isinstance(expression, str) and not self.asked[1]:
            refused.setdefault(expression, "croniter")
        raise


def croniter_goes(self, *arguments, **options):
    if options.get("start_time") is not None:
        self.set_current(options["start_time"], force=True)
    before = self.cur
    result = next_croniter(self, *arguments, **options)
    expression, is_special = self.asked
    named = zone(self.tzinfo)
    if not (is_special or options.get("is_prev", self._is_prev) or not self._day_or or named is None):
        after = result if isinstance(result, float) else self.datetime_to_timestamp(result)
        times.setdefault(("croniter", expression, named), []).append((before, after))
    return result


begin_cronsim, next_cronsim = cronsim.CronSim.__init__, cronsim.CronSim.__next__


def cronsim_begins(self, expression, moment, *options, **named):
    self.asked = (expression, moment, bool(options or named))
    try:
        begin_cronsim(self, expression, moment, *options, **named)
    except cronsim.CronSimError:
        refused.setdefault(expression, "cronsim")
        raise


def cronsim_goes(self):
    result = next_cronsim(self)
    expression, before, is_special = self.asked
    self.asked = (expression, result, is_special)
    if not is_special and zone(before.tzinfo) is not None:
        pair = (seconds(before), seconds(result))
        times.setdefault(("cronsim", expression, zone(before.tzinfo)), []).append(pair)
    return result


def chains(pairs):
    """Pairs that follow one another are one chain."""
    found, known = [], set()
    for before, after in pairs:
        pair = (math.floor(before), int(after))
        if pair in known or len(known) == PAIRS_MAX:
            continue
        known.add(pair)
        if found and found[-1][-1] == pair[0]:
            found[-1].append(pair[1])
        else:
            found.append(list(pair))
    return found


def is_ours(expression):
    return len(expression.split()) <= 5


croniter.croniter.__init__, croniter.croniter._get_next = croniter_begins, croniter_goes
cronsim.CronSim.__init__, cronsim.CronSim.__next__ = cronsim_begins, cronsim_goes
FILES = [(sys.argv[1], f"test_croniter{part}.py") for part in ("", "_range", "_dst_repetition")]
for folder, pattern in [*FILES, (sys.argv[2], "test_cronsim.py")]:
    outcome = unittest.TextTestRunner(stream=io.StringIO()).run(unittest.TestLoader().discover(folder, pattern))
    print(f"{folder}: {outcome.testsRun} tests, {len(outcome.failures) + len(outcome.errors)} failed", file=sys.stderr)
rows = [[*key, chains(pairs)] for key, pairs in times.items() if is_ours(key[1])]
rows += [[library, expression] for expression, library in refused.items() if is_ours(expression)]
for row in rows:
    print(json.dumps(row, separators=(",", ":")))
