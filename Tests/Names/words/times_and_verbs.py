"""Times of jobs and operations, maxima and waits, verbs, and the members that had several meanings."""

CALLS = {"network", "http", "download", "poll", "pages", "notify"}
TRANSFORMS = {"map", "transform"}
TIMES = {"delay": "run_at", "deadline": "finish_by", "expires_after": "start_by"}
VERBS = {
    "on_conflict": {"queue": "wait"},
    "overlap": {"queue": "wait"},
    "when_full": {"refuse": "reject"},
}


def renamed(value, names):
    return {names.get(name, name): inner for name, inner in value.items()}


def is_job_or_operation(value, place):
    last = place[-1] if place else None
    is_condition = last in ("conditions", "condition") or value.get("type") in CONDITIONS
    return isinstance(value.get("type"), str) and last not in ("auth", "backoff", "prepare") and not is_condition


CONDITIONS = {"mutual_exclusion", "lock", "approval", "reachability", "time_window", "authorized_for"}


def convert(value, place):
    last = place[-1] if place else None
    kind = value.get("type")
    if kind == "mutual_exclusion":
        return {**value, "type": "lock"}
    if kind == "reachability":
        return renamed(
            value, {"timeout": "probe_timeout", "interval": "every", "give_up_after": "timeout"})
    if kind == "approval" and value.get("on_timeout") in ("approve", "reject"):
        return {**value, "on_timeout": "continue" if value["on_timeout"] == "approve" else "fail"}
    for name, verbs in VERBS.items():
        if isinstance(value.get(name), str):
            value = {**value, name: verbs.get(value[name], value[name])}
    if last == "retry":
        return renamed(value, {"on": "errors", "retry_after_max": "max_retry_after"})
    if last == "callbacks":
        return renamed(value, {"on": "states"})
    if last == "map" and "items" in value:
        return renamed(value, {"to": "save"})
    if isinstance(value.get("on"), dict) and "at" in value["on"]:
        value = renamed(value, {"on": "calendar"})
    if is_job_or_operation(value, place):
        return operation(value)
    return value


def operation(value):
    kind = value["type"]
    names = dict(TIMES)
    if isinstance(value.get("delay"), dict):
        del names["delay"]
    if kind in CALLS:
        names["to"] = "save"
    if kind in TRANSFORMS:
        names["to"] = "result"
    if kind == "repeat":
        names["times"] = "max_runs"
    if kind == "delay":
        names["from"] = "counted_from"
    names["key"] = "queue_key"
    value = renamed(value, names)
    timeouts = value.get("timeouts")
    if isinstance(timeouts, dict) and "queue" in timeouts:
        value["start_by"] = timeouts["queue"]
        value["timeouts"] = {name: length for name, length in timeouts.items() if name != "queue"}
        if not value["timeouts"]:
            del value["timeouts"]
    return value
