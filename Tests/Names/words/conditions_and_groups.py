"""Kinds of operations, conditions, edges, and when groups and repetitions succeed or stop."""

KINDS = {"map": "transform", "wrapper": "template"}
STATES = {"finished": "any", "failed": ["failed"], "succeeded": ["succeeded"]}


def without(value, *names):
    return {name: inner for name, inner in value.items() if name not in names}


def convert(value, place):
    last = place[-1] if place else None
    if last == "after" and "on" in value:
        return {**without(value, "on"), "states": STATES.get(value["on"], value["on"])}
    if last == "succeed_when" and isinstance(value.get("tolerate"), dict):
        names = {"count": "max_failures", "percent": "max_failed_percent"}
        return {names.get(name, name): inner for name, inner in value["tolerate"].items()}
    if last in ("conditions", "condition"):
        return condition(value)
    if isinstance(value.get("type"), str) and last not in ("auth", "backoff"):
        return operation(value)
    return value


# Operations

def operation(value):
    kind = value["type"]
    value = {**value, "type": KINDS.get(kind, kind)}
    if isinstance(value.get("conditions"), list):
        value["conditions"] = about_dependencies(value)
        if not value["conditions"]:
            del value["conditions"]
    if kind == "gate":
        return opened(value)
    if kind == "repeat" and value.pop("stop_on_failure", False):
        value["stop_when"] = "first_failure"
    if kind == "group":
        return stopped(value)
    return value


def opened(gate):
    """The operation in a gate, asked as the gate is. A reference to it loses the name behind the slash."""
    inner = gate["operation"]
    own = without(gate, "type", "operation", "when", "conditions")
    when = {"all": [gate["when"], inner["when"]]} if "when" in inner else gate["when"]
    conditions = gate.get("conditions", []) + inner.get("conditions", [])
    return {**inner, **own, "when": when, **({"conditions": conditions} if conditions else {})}


def stopped(group):
    fails, rests = group.get("fail_fast"), group.get("cancel_rest")
    group = without(group, "fail_fast", "cancel_rest")
    rule = group.get("succeed_when", "all")
    if not fails and not rests or rule == "any" and not rests:
        return group
    if rule == "all":
        return {**group, "stop_when": "first_failure"}
    if isinstance(rule, dict) and "at_least" in rule and bool(fails) != bool(rests):
        return {**group, "stop_when": "failed" if fails else "succeeded"}
    return {**group, "stop_when": "decided"}


# Conditions

def condition(value):
    """Inside of another condition, which takes it away, `otherwise` may be `skip` meanwhile."""
    kind = value.get("type")
    if kind == "expression":
        fails = value.get("on_unsatisfied") == "fail"
        return {"when": value["that"], **({} if fails else {"otherwise": "skip"})}
    if kind == "negated":
        return {"not": held(value["condition"])}
    if kind in ("all", "any"):
        inner = value["conditions"]
        skips = inner and all(one.get("otherwise") == "skip" for one in inner)
        return {kind: [held(one) for one in inner], **({"otherwise": "skip"} if skips else {})}
    if kind == "ignored":
        inner = value["condition"]
        waits = inner.get("otherwise", "wait" if inner.get("type") == "time_window" else "fail") == "wait"
        return {"all": [inner], "otherwise": "skip"} if waits else {**inner, "otherwise": "skip"}
    if kind == "silent":
        return silent(value["condition"])
    if kind == "reachability" and "wait" in value:
        return {**without(value, "wait"), **({"otherwise": "wait"} if value["wait"] else {})}
    if kind == "time_window" and "on_closed" in value:
        return {**without(value, "on_closed"), "otherwise": value["on_closed"]}
    return value


def held(value):
    """A condition inside of another one, which holds or does not."""
    return without(value, "otherwise") if value.get("otherwise") == "skip" and value.get("type") != "time_window" else (
        {**value, "otherwise": "fail"} if value.get("otherwise") == "skip" else value)


def silent(value):
    kind = value.get("type")
    if kind in ("approval", "authorized_for"):
        return {**value, "check_only": True}
    if kind == "reachability":
        return without(value, "otherwise", "interval", "give_up_after")
    if kind == "time_window":
        return {**value, "otherwise": "fail"} if value.get("otherwise", "wait") == "wait" else value
    if "not" in value:
        return {**value, "not": silent(value["not"])}
    return {name: [silent(one) for one in inner] if name in ("all", "any") else inner for name, inner in value.items()}


def about_dependencies(value):
    """The conditions, with questions in place of those about all dependencies: about what `after` names."""
    names = [edge if isinstance(edge, str) else edge["operation"] for edge in value.get("after", [])]
    conditions = []
    for one in value["conditions"]:
        kind = one.get("type")
        if kind == "no_failed_dependencies":
            for name in names:
                if one.get("ignore_cancelled"):
                    conditions.append({"when": {"$get": name, "at": "/state", "in": ["succeeded", "cancelled", "skipped"]}})
                skips = {"otherwise": "skip"} if one.get("ignore_cancelled") else {}
                conditions.append({"when": {"$get": name, "at": "/state", "equals": "succeeded"}, **skips})
        elif kind == "no_cancelled_dependencies":
            conditions += [{"when": {"$get": name, "at": "/state", "not_equals": "cancelled"}} for name in names]
        else:
            conditions.append(one)
    return conditions
