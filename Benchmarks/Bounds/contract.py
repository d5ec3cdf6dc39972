"""The members that a request body can carry, read from openapi.yaml, and bodies in which one of them grows."""
import collections
import json
import os
import re

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
#: Stands for JSON that is put in as it is.
RAW = "@@raw@@"
#: Parents of a member within themselves that are tried, such as the operation of a repeat in a repeat.
DEPTH_MAX = 24


class Loader(yaml.SafeLoader):
    """YAML 1.2: `on` is a text."""


Loader.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in pairs if tag.rsplit(":", 1)[1] not in ("bool", "timestamp")]
    for letter, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), list("tf"))

ID = "job_01k9f3m8q4fj8s8e4rd0n3v2xy"
URL = "http://127.0.0.1:9/a"
#: A small valid value of a schema, by its name, or of a member, by `Schema.member`.
SMALL = {
    "Name": "a", "JobID": ID, "Duration": "1s", "Time": "2100-01-01T00:00:00Z", "RequestOrURL": URL, "ConnectionName": "c",
    "Request": {"url": URL}, "CallbackOrURL": URL, "ProxyOrURL": "http://127.0.0.1:9", "GrantScope": "a",
    "Predicate": {"$job": "name", "equals": 1}, "OperationSpec": {"type": "delay", "for": "1s"},
    "JobSpec": {"type": "delay", "for": "1s"}, "GroupMap": {"items": [1], "operation": {"type": "delay", "for": "1s"}},
    "LabelKey": {"$job": "labels", "at": "/a", "default": "b"}, "ReductionOrName": "count", "Reduction": {"by": "join"},
    "Condition": {"type": "lock", "key": "k"}, "Backoff": {"type": "exponential", "initial": "1s"},
    "Binding": 1, "Part": {"name": "a", "text": "b"}, "Verification": {"size": 1}, "ScheduleCalendar": {"at": ["08:00"]},
    "ScheduleSpec": {"every": "1h", "job": {"type": "delay", "for": "1s"}}, "BulkFilter": {"queue": "none"},
    "BulkActionRequest": {"action": "cancel", "filter": {"queue": "none"}, "expected_count": 0},
    "BackfillBody": {"from": "2026-01-01T00:00:00Z", "to": "2026-01-02T00:00:00Z", "only": "all"},
    "TemplateSpec": {"operation": {"type": "delay", "for": "1s"}},
    "ConnectionSpec": {"base_url": "http://127.0.0.1:9/"}, "SuccessOfSome": {"at_least": 0}, "RetryMatcher": 503,
    "Backoff.schedule": ["1s"], "OperationMembers.when": {"$job": "id", "exists": True},
    "WhenCondition.when": {"$job": "id", "exists": True}, "DependencyStates": "any",
    "GrantSpec": {"state": "granted"}, "NotifyOperation.message": "a", "ScheduleCalendar.weekdays[]": "mon",
    "ExpectedTypes|1": ["text/*"], "ExpectedTypes|1[]": "text/*", "ExpectedStatus": 200, "TransformOperation.input": [1],
    "Addition": {"operation": {"type": "delay", "for": "1s", "name": "a"}}, "TemplateOperation.template": "t",
    "ScheduleSpec.template": "t", "TimeWindowCondition.tz": "UTC", "ScheduleSpec.tz": "UTC",
    "ReachabilityCondition.url": URL, "Target.artifact": "a.bin", "HeaderAuth.name": "X-A", "AWSSignatureAuth.region": "a",
    "AWSSignatureAuth.service": "a", "UniqueKeyOrText": "u", "Labels": {"a": "b"}, "Moment": "1h", "LocalTime.local": "2030-01-31T09:00", "LocalTime.tz": "UTC",
    "Dependency": {"operation": "a"}, "HookSpec": {"verify": {"scheme": "none"}, "job": {"type": "delay", "for": "1s"}},
    "HMACAuth.key": {"$secret": "s"}, "BearerAuth.token": {"$secret": "s"}, "BasicAuth.password": {"$secret": "s"},
    "ClientCredentialsAuth.client_secret": {"$secret": "s"}, "AWSSignatureAuth.secret_key": {"$secret": "s"},
    "HeaderAuth.value": {"$secret": "s"}, "ClientCredentialsAuth.token_url": "https://127.0.0.1:9/t",
}
#: What a schema needs besides what it requires.
BESIDES = {"GroupOperation": {"operations": [{"type": "delay", "for": "1s", "name": "a"}]}, "DelayOperation": {"for": "1s"},
           "RepeatOperation": {"max_runs": 2}, "PollOperation": {"until": {"at": "/body/a", "equals": 1}}, "AwaitOperation": {"timeouts": {"total": "1h"}}}
#: Jobs that wait, one for each route that changes one, which the server that is measured has.
JOBS = ("operations", "cancel", "hold", "release", "retry", "signals")
ROUTES = [
    ("POST", "/v1/jobs?validate_only=true", "JobSpec", 1 << 20),
    ("POST", "/v1/jobs:batch", ["JobSpec"], 1 << 20),
    ("POST", "/v1/jobs/{operations}/operations", "Addition", 256 << 10),
    ("POST", "/v1/jobs/{cancel}:cancel", "CancelRequest", 16 << 10),
    ("POST", "/v1/jobs/{hold}:hold", "HoldRequest", 16 << 10),
    ("POST", "/v1/jobs/{release}:release", {}, 16 << 10),
    ("POST", "/v1/jobs/{retry}:retry", {}, 16 << 10),
    ("POST", "/v1/jobs/{retry}:requeue", {}, 16 << 10),
    ("POST", "/v1/jobs/{signals}/signals/go", "Binding", 256 << 10),
    ("POST", "/v1/approvals/apr_01k9f3m8q4fj8s8e4rd0n3v2xy:approve", "ApprovalAnswer", 16 << 10),
    ("PUT", "/v1/grants/g", "GrantSpec", 16 << 10),
    ("PUT", "/v1/templates/w", "TemplateSpec", 1 << 20),
    ("PUT", "/v1/schedules/w?validate_only=true", "ScheduleSpec", 1 << 20),
    ("POST", "/v1/schedules/s:pause", "PauseRequest", 16 << 10),
    ("POST", "/v1/schedules/s:backfill?validate_only=true", "BackfillBody", 16 << 10),
    ("POST", "/v1/bulk-actions?validate_only=true", "BulkActionRequest", 1 << 20),
    ("PUT", "/v1/secrets/w", "SecretSpec", 128 << 10),
    ("PUT", "/v1/connections/w", "ConnectionSpec", 1 << 20),
    ("POST", "/v1/connections/c:test", "ConnectionTest", 16 << 10),
    ("PUT", "/v1/queues/w", "QueueSpec", 16 << 10),
    ("PUT", "/v1/hooks/w?validate_only=true", "HookSpec", 1 << 20),
    ("PUT", "/v1/hosts/w.example/limits", "Limits", 16 << 10),
    ("POST", "/v1/origins/w.example:reset", {}, 16 << 10),
]


class Case:
    """A body that grows: its name, where it goes, the most bytes that are accepted, and the body for a number."""

    kind = "application/json"
    fields = ""

    def __init__(self, name, method, path, most, make):
        self.name, self.method, self.path, self.most, self.make = name, method, path, most, make
        self.base, self.unit = None, None

    def request(self, made):
        """The fields and the body of a request, of what was made for a number."""
        return self.fields, made

    def body(self, size):
        """About `size` bytes."""
        if self.unit is None:
            self.base = len(self.make(0))
            self.unit = max((len(self.make(64)) - self.base) / 64, 0.02)
        number = max(1, int((size - self.base) / self.unit))
        body = self.make(number)
        # Numbers in names get longer.
        return body if len(body) <= size else self.make(max(1, int(number * size / len(body) * 0.99)))


class Contract:
    def __init__(self):
        with open(f"{ROOT}/openapi.yaml") as file:
            self.schemas = yaml.load(file, Loader)["components"]["schemas"]
        self.seen, self.cases, self.members, self.waiting = set(), [], set(), collections.deque()

    # Schemas

    def parts(self, schema, owner):
        """The named objects whose members a value has together, and the alternatives of which it is one."""
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            return self.parts(self.schemas[name], name)
        if "allOf" in schema:
            found, rest = [], []
            for part in schema["allOf"]:
                objects, others = self.parts(part, owner)
                found += objects
                rest += others
            return [(owner, schema)] * ("properties" in schema) + found, rest
        for word in ("oneOf", "anyOf"):
            if word in schema:
                return [], [(part, owner) for part in schema[word]]
        return [(owner, schema)], []

    def small(self, schema, owner, depth=0):
        """A small valid value."""
        if owner in SMALL:
            return SMALL[owner]
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            return self.small(self.schemas[name], name, depth)
        objects, choices = self.parts(schema, owner)
        if choices:
            return self.small(*choices[0], depth + 1)
        if len(objects) > 1 or "properties" in schema:
            value = {}
            for name, part in objects:
                value.update(self.small_object(part, name, depth))
            return value
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return schema["enum"][0]
        kind = schema.get("type")
        if kind == "array":
            return [self.small(schema["items"], f"{owner}[]", depth + 1)] * schema.get("minItems", 0)
        if kind in ("integer", "number"):
            return schema.get("minimum", 1)
        if kind == "boolean":
            return True
        if kind == "string":
            return {"uri": URL, "date": "2026-12-25", "date-time": SMALL["Time"], "json-pointer": "/a"}.get(
                schema.get("format"), "08:00" if "[0-5][0-9]" in schema.get("pattern", "") else "a")
        return {} if kind == "object" else 1

    def small_object(self, schema, owner, depth=0):
        if depth > 12:
            return {}
        value = {name: self.small(schema["properties"][name], f"{owner}.{name}", depth + 1)
                 for name in schema.get("required", []) if name in schema.get("properties", {})}
        return {**value, **BESIDES.get(owner, {})}

    # Walking

    def walk(self):
        """All cases, each member once, at the first place that leads to it."""
        for method, path, root, most in ROUTES:
            add = self.adder(method, path, most)
            if isinstance(root, list):
                self.grow_list(add, {"$ref": f"#/components/schemas/{root[0]}"}, "Batch", lambda value: value)
            elif isinstance(root, dict):
                self.grow_object(add, path.rsplit(":", 1)[1], root, {}, lambda value: value)
            else:
                self.visit(add, {"$ref": f"#/components/schemas/{root}"}, root, lambda value: value, 0)
            # Breadth first, so that each member is tried at the shortest way to it.
            while self.waiting:
                self.visit_now(*self.waiting.popleft())
        self.grow_groups(self.adder(*ROUTES[0][:2], ROUTES[0][3]))
        return self.cases

    def grow_groups(self, add):
        """Operations that name each other."""
        def group(name, make):
            add(f"group: {name}", lambda n: encode({"type": "group", "operations": [
                {"type": "value", "value": 1, "name": f"a{i}", **make(i, n)} for i in range(max(n, 1))]}))

        group("names", lambda i, n: {})
        group("each after the last", lambda i, n: {"after": [f"a{i - 1}"]} if i else {})
        group("each after the next", lambda i, n: {"after": [f"a{i + 1}"]} if i + 1 < n else {})
        group("a circle", lambda i, n: {"after": [f"a{(i + 1) % max(n, 1)}"]})
        group("each after all before a hundred", lambda i, n: {"after": [f"a{j}" for j in range(min(i, 100))]})
        group("after nearly right names", lambda i, n: {"after": [f"aa{i}"]})
        group("$get of the last", lambda i, n: {"value": {"$get": f"a{i - 1}"}} if i else {})
        group("$get of nearly right names", lambda i, n: {"value": {"$get": f"aa{i}"}})
        group("the same name", lambda i, n: {"name": "a"})
        group("nearly right types", lambda i, n: {"type": f"valu{i}"})
        group("conditions of each", lambda i, n: {"conditions": [{"type": "lock", "key": f"k{i}"}]})
        group("templates that are nearly right", lambda i, n: {"type": "template", "template": f"anny{i}"})
        group("templates", lambda i, n: {"type": "template", "template": "any", "params": {"a": i}})

    def adder(self, method, path, most):
        def add(name, make):
            self.cases.append(Case(name, method, path, most, make))
        return add

    def visit(self, *place):
        self.waiting.append(place)

    def visit_now(self, add, schema, owner, wrap, depth):
        """Makes the value at a place grow in each way, and goes on to the members below."""
        if depth > DEPTH_MAX:
            return
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            return self.visit(add, self.schemas[name], name, wrap, depth)
        objects, choices = self.parts(schema, owner)
        for index, (choice, name) in enumerate(choices):
            self.visit(add, choice, name if "$ref" in choice else f"{name}|{index}", wrap, depth + 1)
        if not objects:
            return
        whole = {}
        for name, part in objects:
            if "properties" in part:
                whole.update(self.small_object(part, name))
        if owner in SMALL and isinstance(SMALL[owner], dict) and len(objects) == 1:
            whole = SMALL[owner]
        for name, part in objects:
            if (name, "visited") in self.seen:
                continue
            self.seen.add((name, "visited"))
            self.grow(add, name, part, whole, wrap, depth)

    def grow(self, add, name, schema, whole, wrap, depth):
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = kind[0]
        if "properties" in schema or kind == "object":
            self.grow_object(add, name, schema, whole, wrap)
            for member, part in schema.get("properties", {}).items():
                self.members.add(f"{name}.{member}")
                value = self.small(part, f"{name}.{member}")
                inner = lambda value, member=member: wrap({**self.without_rivals(whole, name, member), member: value})
                self.seen.discard((f"{name}.{member}", "visited"))
                self.visit(add, part, f"{name}.{member}", inner, depth + 1)
                if "$ref" in part:
                    self.grow_again(add, f"{name}.{member}", part, inner, value)
            rest = schema.get("additionalProperties")
            if isinstance(rest, dict):
                self.visit(add, rest, f"{name}{{}}", lambda value: wrap({**whole, "a": value}), depth + 1)
        elif kind == "array":
            self.grow_list(add, schema["items"], name, wrap)
            self.visit(add, schema["items"], f"{name}[]", lambda value: wrap([value]), depth + 1)
        elif kind == "string" or "const" in schema or "enum" in schema:
            self.grow_text(add, name, wrap)
        elif kind in ("integer", "number"):
            add(f"{name}: digits", lambda n: encode(wrap(RAW), "1" * max(n, 1)))
        elif kind is None and "properties" not in schema:
            self.grow_any(add, name, wrap)

    def without_rivals(self, whole, owner, member):
        """What stands beside a member: not what excludes it."""
        if owner == "Predicate":
            return {"$job": "labels"} if member in ("equals", "not_equals", "greater", "less", "in", "exists", "matches", "starts_with",
                                              "contains") else {"$job": "labels", "at": "/a", "equals": 1} if member in (
                                                  "at", "default") else {} if member in ("all", "any", "not") else {"equals": 1}
        rivals = {"until": ["for"], "counted_from": [], "map": ["operations"], "calendar": ["every"], "cron": ["every"],
                  "template": ["job"], "ids": ["filter"], "base64": ["text"], "json": ["text"], "artifact": ["text"]}
        gone = rivals.get(member, []) if owner in ("DelayOperation", "GroupOperation", "ScheduleSpec", "BulkActionRequest", "Part") else []
        return {name: value for name, value in whole.items() if name not in gone}

    def grow_again(self, add, name, schema, wrap, small):
        """A member whose schema was visited at another place: long texts and many entries here, too."""
        objects, choices = self.parts(schema, name)
        kinds = [part.get("type") for _, part in objects] + [self.kind(choice) for choice, _ in choices]
        if "string" in kinds:
            add(f"{name}: long text", lambda n: encode(wrap("a" * n)))
        if "array" in kinds:
            add(f"{name}: list", lambda n: encode(wrap([f"a{i}" for i in range(n)])))
        if any(part.get("additionalProperties") not in (None, False) for _, part in objects) or kinds == [None]:
            add(f"{name}: entries", lambda n: encode(wrap({f"k{i}": "v" for i in range(n)})))
            add(f"{name}: bad references", lambda n: encode(wrap({f"k{i}": {"$get": f"opertion{i}"} for i in range(n)})))

    def kind(self, schema):
        if "$ref" in schema:
            return self.kind(self.schemas[schema["$ref"].rsplit("/", 1)[1]])
        return schema.get("type")

    # Ways to grow

    def grow_object(self, add, name, schema, whole, wrap):
        names = [str(member) for member in schema.get("properties", {})] or ["member"]
        closed = schema.get("additionalProperties") in (None, False)
        if closed:
            add(f"{name}: unknown members", lambda n: encode(wrap(
                {**whole, **{f"{names[i % len(names)]}{i}": 1 for i in range(n)}})))
            add(f"{name}: a long unknown member", lambda n: encode(wrap({**whole, names[0] + "x" * n: 1})))
            add(f"{name}: the same member again and again", lambda n: encode(wrap({**whole, "@@many@@": 1})).replace(
                b'"@@many@@":1', b",".join([json.dumps(names[0]).encode() + b":1"] * max(n, 1))))
        rest = schema.get("additionalProperties")
        if isinstance(rest, dict) or rest is True:
            small = self.small(rest, f"{name}{{}}") if isinstance(rest, dict) else 1
            add(f"{name}: entries", lambda n: encode(wrap({**whole, **{f"k{i}": small for i in range(n)}})))
            add(f"{name}: entries of a wrong type", lambda n: encode(wrap({f"k{i}": [[]] for i in range(n)})))
            add(f"{name}: bad references", lambda n: encode(wrap({f"k{i}": {"$gett": "a"} for i in range(n)})))
            add(f"{name}: unknown operations", lambda n: encode(wrap({f"k{i}": {"$get": f"a{i}"} for i in range(n)})))
            add(f"{name}: a long name", lambda n: encode(wrap({"k" * max(n, 1): small})))
            add(f"{name}: bad names", lambda n: encode(wrap({f"K {i}\u0001": small for i in range(n)})))

    def grow_list(self, add, items, name, wrap):
        small = self.small(items, f"{name}[]")
        add(f"{name}: list of the same", lambda n: encode(wrap([small] * n)))
        add(f"{name}: list of a wrong type", lambda n: encode(wrap([[]] * n)))
        add(f"{name}: list of nearly right ones", lambda n: encode(wrap([vary(small, i) for i in range(n)])))
        if isinstance(small, dict):
            add(f"{name}: list with unknown members", lambda n: encode(wrap([{**small, f"nam{i}": 1} for i in range(n)])))
            add(f"{name}: list with names", lambda n: encode(wrap([{**small, "name": f"a{i}"} for i in range(n)])))

    def grow_text(self, add, name, wrap):
        add(f"{name}: long text", lambda n: encode(wrap("a" * n)))
        add(f"{name}: text of marks", lambda n: encode(wrap("/a{b}.\u00e9\n," * max(n, 1))))

    def grow_any(self, add, name, wrap):
        """A value of any form, with what refers to others."""
        add(f"{name}: list", lambda n: encode(wrap([1] * n)))
        add(f"{name}: entries", lambda n: encode(wrap({f"k{i}": "v" for i in range(n)})))
        add(f"{name}: long text", lambda n: encode(wrap("a\u00e9" * n)))
        add(f"{name}: nested", lambda n: encode(wrap(RAW), "[" * n + "]" * n))
        add(f"{name}: nested objects", lambda n: encode(wrap(RAW), '{"a":' * n + "1" + "}" * n))
        add(f"{name}: unknown operations", lambda n: encode(wrap([{"$get": f"a{i}"} for i in range(n)])))
        add(f"{name}: misspelt references", lambda n: encode(wrap([{"$gett": f"a{i}"} for i in range(n)])))
        add(f"{name}: $job", lambda n: encode(wrap([{"$job": "id"} for i in range(n)])))
        add(f"{name}: unknown $job", lambda n: encode(wrap([{"$job": f"labl{i}"} for i in range(n)])))
        add(f"{name}: unknown $param", lambda n: encode(wrap([{"$param": f"a{i}"} for i in range(n)])))
        add(f"{name}: $item", lambda n: encode(wrap([{"$item": f"/a{i}", "of": f"b{i}"} for i in range(n)])))
        add(f"{name}: $secret", lambda n: encode(wrap([{"$secret": "s"} for i in range(n)])))
        add(f"{name}: long $secret", lambda n: encode(wrap({"$secret": "s" * max(n, 1)})))
        add(f"{name}: $text", lambda n: encode(wrap(text_of(n, n))))
        add(f"{name}: $text with values that it does not name", lambda n: encode(wrap(text_of(n, n, "v", "w"))))
        add(f"{name}: $text without its values", lambda n: encode(wrap(text_of(n, 0))))
        add(f"{name}: $text of many small ones", lambda n: encode(wrap([text_of(1, 1)] * n)))
        add(f"{name}: $text, open", lambda n: encode(wrap({"$text": "{" * n, "vars": {}})))
        add(f"{name}: $get with a deep place", lambda n: encode(wrap({"$get": "a", "at": "/a" * n})))
        add(f"{name}: members besides $get", lambda n: encode(wrap({"$job": "id", **{f"att{i}": 1 for i in range(n)}})))
        add(f"{name}: default", lambda n: encode(wrap({"$job": "name", "default": ["a"] * n})))


def text_of(named, given, prefix="v", other=None):
    other = other or prefix
    return {"$text": "".join("{%s%d}" % (prefix, i) for i in range(named)), "vars": {f"{other}{i}": "x" for i in range(given)}}


def vary(value, number):
    if isinstance(value, str):
        return f"{value}{number}"
    if isinstance(value, bool) or value is None:
        return [value]
    if isinstance(value, (int, float)):
        return value + number
    if isinstance(value, dict):
        return {f"{name}{number}" if index == len(value) - 1 else name: part
                for index, (name, part) in enumerate(value.items())} or {f"a{number}": 1}
    return [value]


def encode(value, raw=None):
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    if raw is not None:
        text = text.replace(json.dumps(RAW), raw)
    return text.encode()
