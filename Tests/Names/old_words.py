"""No name of before the pass over all names is left in the contract, the examples, the page, metrics and the log.

The table old → new is in CHANGELOG.md under "Renamed". Each word of its column "Before" is either listed here with
the places where it is old, or in KEPT with the reason why it is a word of today. `python3 Tests/Names/old_words.py`
prints what is left, and ends with 1 then.
"""

import fnmatch
import pathlib
import re
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Members that are old wherever they are.
MEMBERS = set(
    "fail_fast cancel_rest stop_on_failure tolerate on_unsatisfied on_closed silent deadline expires_after "
    "give_up_after retry_after_max purge_at outcome phases waiting_for waiting_since waiting_until ref holder "
    "waiting_jobs capability unfinished_jobs updated_before outcomes created_after created_before finished_after finished_before "
    "operation_error job_error wrapper".split()
)

# Members that are old in some schemas only.
MEMBERS_OF = {
    "Job": "expires_at key path causes",
    "JobMembers": "delay key on",
    "OperationMembers": "delay deadline on",
    "NetworkOperation": "to",
    "DownloadOperation": "to",
    "PagesOperation": "to",
    "GroupMap": "to",
    "TransformOperation": "to",
    "DelayOperation": "input from",
    "RepeatOperation": "times",
    "Retry": "on times",
    "Callback*": "on path",
    "ScheduleSpec": "on paused",
    "QueueSpec": "paused",
    "ReachabilityCondition": "interval wait give_up_after",
    "WhenCondition": "that type on_unsatisfied",
    "AOperationError": "state path timing",
    "Attempt": "attempt outcome phases",
    "Operation": "path waiting_for",
    "OperationExplanation": "path",
    "Explanation": "job causes path",
    "Plan": "key delay path",
    "PlannedOperation": "path on deadline",
    "Effective*": "path",
    "Warning": "path",
    "Wait": "ref approval key holder",
    "Approval": "job path",
    "GrantRequest": "job",
    "AddedOperation": "path job",
    "BulkFilter": "key",
    "Grant": "waiting_jobs status scopes expires_at reason",
    "Event": "approval outcome key path",
    "BulkAction*": "outcomes outcome",
    "Queue": "queue paused",
    "Schedule": "schedule",
    "Connection": "connection",
    "Template": "template",
    "Secret": "fingerprint",
    "HostLimits": "limits",
    "PublishedError": "approval",
    "Timeouts": "queue",
}

# Values of enumerations, by schema.
VALUES = {
    "*": "mutual_exclusion negated ignored expression no_failed_dependencies no_cancelled_dependencies silent "
    "wrapper gate mutex refuse noted took_message member_added anybody",
    "OperationType": "map",
    "WaitKind": "mutex lock_key",
    "JobState": "paused",
    "JobFact": "path",
    "Event": "signal",
    "Attempt": "pending",
    "UniqueKey": "queue",
    "ApprovalCondition": "reject approve",
    "BulkActionResult": "done",
    "AuditRecord": "bulk",
}

# Codes of errors, problems and warnings.
CODES = set(
    "timeout.queue timeout.deadline condition.negated condition.capability_unavailable condition.expression warning.no_dependencies "
    "warning.expires_before_start warning.deadline_before_start warning.delay_beyond_deadline".split()
)

PARAMETERS = set("created_after created_before finished_after finished_before limit key job".split())
PATHS = ["/v1/bulk", "/v1/templates/{name}:run", "/v1/queues/{name}:purge", "/v1/jobs/{id}/error"]
OPERATION_IDS = ("read", "erase", "decide", "forget", "check")
SCHEMAS = set(
    "MapMembers MapJob MapOperation WrapperMembers WrapperJob WrapperOperation GateMembers GateJob GateOperation "
    "DependencyEnd Tolerance ExpressionCondition NegatedCondition IgnoredCondition SilentCondition WaitCause "
    "WaitReason AttemptItem ProblemSlug GrantDecision Bulk BulkPage MutualExclusionCondition ScheduleOn".split()
)
LABELS = {"outcome", "result"}
# The members of lines of the log, by event; "*" of all.
LOG = {"*": "job path outcome approval key", "bulk_over": "done", "grant_decided": "status"}
EVENTS = {"origin_limited", "origin_unlimited", "queue_purged"}
ATTRIBUTES = {"jobserver.outcome", "jobserver.operation.path", "jobserver.wait.reason"}

# Words that are old elsewhere, and of today in hooks, callback URLs and statistics: (kind, word), with the schemas and
# their examples, the operations, or the metrics that have them.
TODAY = {
    ("member", "outcome"): "HookDelivery DeliveryReceipt ReplayRequest ReplayResult ReplayResults",
    # Parameters of the template "deploy", as those that send to hooks name it.
    ("member", "ref"): "Hook",
    ("value", "ignored"): "DeliveryOutcome ReplayedOutcome CallbackAnswer",
    # The answer to a sign of life at a callback URL.
    ("value", "noted"): "CallbackAnswer",
    # The number of groups of an answer that has no pages.
    ("parameter", "limit"): "getStats listFailures",
    ("label", "outcome"): "jobserver_hook_deliveries_total jobserver_callback_requests_total",
}

# The same in the pages, by the value: what became of a delivery, a pattern for it, and a reference of Git.
TODAY_PAIRS = {
    "outcome": re.compile(r"started|signalled|ignored|duplicate|refused|\[a-z\]\*"),
    "ref": re.compile(r"refs/.+"),
}

# Words of the column "Before" that are words of today as well, or that no client reads by name.
KEPT = {
    "all": "a condition",
    "any": "a condition",
    "check": "a command",
    "condition": "a stage of an error",
    "conditions": "a member",
    "count": "of a rate and of matches",
    "created": "a beginning: created_at stays",
    "decide": "a beginning of operationIds",
    "erase": "a bulk action",
    "errors": "from two on",
    "fail": "an outcome of a condition",
    "failed": "a state",
    "finished": "an event",
    "forget": "a beginning of operationIds",
    "grant_decided": "an event of the log",
    "headers": "of a request",
    "info": "of a published error",
    "invalid": "a part of a code that stays",
    "name": "of anything with a name",
    "malformed": "a part of a code that stays",
    "operation": "the address of an operation",
    "operations": "of a group, of a job",
    "origins": "an address",
    "percent": "of a progress",
    "pointer": "a place in a body",
    "problems": "an address",
    "publisher": "of an error",
    "read": "a beginning of operationIds",
    "run_at": "a member",
    "slug": "of an address",
    "succeeded": "a state",
    "timeout": "of a condition",
    "updated": "a beginning: updated_at stays",
    "when": "of any operation",
}


def walk(node, where, found):
    """Collects the members and the values of schemas, each with the name of the schema."""
    if isinstance(node, dict):
        if isinstance(node.get("properties"), dict):
            for name in node["properties"]:
                found.append(("member", str(name), where))
        for value in node["enum"] if isinstance(node.get("enum"), list) else []:
            found.append(("value", str(value), where))
        if "const" in node:
            found.append(("value", str(node["const"]), where))
        for name, inner in node.items():
            if name not in ("example", "examples", "default"):
                walk(inner, where, found)
    elif isinstance(node, list):
        for inner in node:
            walk(inner, where, found)


def is_of_today(kind, word, where):
    """Whether a word that is old elsewhere is of today there."""
    return where in TODAY.get((kind, word), "").split()


def is_old(kind, word, where):
    """Whether a member or a value is old in a schema."""
    if is_of_today(kind, word, where):
        return False
    if kind == "member" and word in MEMBERS:
        return True
    if word in CODES:
        return True
    table = MEMBERS_OF if kind == "member" else VALUES
    return any(fnmatch.fnmatchcase(where, place) and word in words.split() for place, words in table.items())


def contract(document):
    found = []
    components = document["components"]
    for name, schema in components["schemas"].items():
        if name in SCHEMAS:
            yield f"openapi.yaml: schema {name}"
        walk(schema, name, found)
    walk(document["paths"], "paths", found)
    for kind, word, where in found:
        if is_old(kind, word, where):
            yield f"openapi.yaml: {kind} {word} of {where}"
    parameters = [("", parameter) for parameter in components.get("parameters", {}).values()]
    for path, item in document["paths"].items():
        if any(path == old or path.startswith(old + "/") for old in PATHS) or path.endswith("/error"):
            yield f"openapi.yaml: path {path}"
        for operation in item.values():
            if not isinstance(operation, dict):
                continue
            name = operation.get("operationId", "")
            parameters += [(name, parameter) for parameter in operation.get("parameters", [])]
            if name.startswith(OPERATION_IDS):
                yield f"openapi.yaml: operationId {name}"
    for operation, parameter in parameters:
        if parameter.get("in") != "query" or is_of_today("parameter", parameter["name"], operation):
            continue
        if parameter["name"] in PARAMETERS:
            yield f"openapi.yaml: parameter {parameter['name']}"
    yield from examples(document, "openapi.yaml")


def keys(node):
    """All names of members in a value, with their values."""
    if isinstance(node, dict):
        for name, inner in node.items():
            yield str(name), inner
            yield from keys(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from keys(inner)


def examples(node, place, where=""):
    """The old words in the examples of the contract; `where` is the schema that has them."""
    if isinstance(node, dict):
        for name, inner in node.items():
            if name in ("example", "examples"):
                for member, value in keys(inner):
                    if not is_of_today("member", member, where):
                        yield from example(member, value, f"{place}: example")
            elif name == "schemas":
                for schema, each in inner.items():
                    yield from examples(each, place, schema)
            else:
                yield from examples(inner, place, where)
    elif isinstance(node, list):
        for inner in node:
            yield from examples(inner, place, where)


TYPES = {"wrapper", "gate", "negated", "ignored", "silent", "expression", "mutual_exclusion"}

def example(member, value, place):
    if member in MEMBERS:
        yield f"{place}: member {member}"
    if isinstance(value, str) and (value in CODES or member == "type" and value in TYPES):
        yield f"{place}: {member} {value}"


# Pages that talk about the old words themselves.
HISTORY = {"CHANGELOG.md", "Docs/Coming-from.md"}
PAIR = re.compile(r'"([a-z_.]+)"\s*:\s*(?:"([^"\\]*)")?')


def documents():
    pages = [*ROOT.glob("*.md"), *ROOT.glob("Docs/**/*.md"), *ROOT.glob("Examples/**/*"), *ROOT.glob("Tests/Live/*")]
    for page in pages:
        name = str(page.relative_to(ROOT))
        if name in HISTORY or name.startswith("Docs/Decisions") or not page.is_file():
            continue
        text = page.read_text(encoding="utf-8", errors="replace")
        for line, content in enumerate(text.splitlines(), 1):
            for member, value in PAIR.findall(content):
                if member in TODAY_PAIRS and TODAY_PAIRS[member].fullmatch(value):
                    continue
                yield from example(member, value, f"{name}:{line}")
            for path in re.findall(r"/v1/[a-z_/{}:-]+", content):
                if re.search(r"/v1/bulk(?!-)|:run\b.*templates|/queues/[^/]*:purge|/origins/\{host\}", path):
                    yield f"{name}:{line}: path {path}"


def page():
    for script in ROOT.glob("Sources/Page/**/*.js"):
        name = str(script.relative_to(ROOT))
        text = script.read_text(encoding="utf-8")
        for line, content in enumerate(text.splitlines(), 1):
            for word in re.findall(r"\??\.([a-z]+(?:_[a-z]+)+)\b", content) + re.findall(r"\b([a-z]+(?:_[a-z]+)+)\b", content):
                if word in MEMBERS:
                    yield f"{name}:{line}: member {word}"
            for path in re.findall(r"/v1/[a-z-]+", content):
                if path == "/v1/bulk":
                    yield f"{name}:{line}: path {path}"
            for parameter in re.findall(r"[?&]([a-z_]+)=", content):
                if parameter in PARAMETERS:
                    yield f"{name}:{line}: parameter {parameter}"


def swift(folder):
    for file in sorted((ROOT / "Sources" / folder).glob("**/*.swift")):
        yield str(file.relative_to(ROOT)), file.read_text(encoding="utf-8")


def metrics():
    for name, text in swift("JobServer"):
        if "Prometheus" in name or "Metrics" in name:
            for family in re.split(r'\.family\(\s*"', text):
                metric = family.split('"')[0]
                for label in re.findall(r'([a-z_]+)=\\?"', family):
                    if label in LABELS and not is_of_today("label", label, metric):
                        yield f"{name}: label {label}"
    for file in [*ROOT.glob("Monitoring/**/*"), ROOT / "Docs/Monitoring.md"]:
        if file.is_file():
            for labels in re.findall(r"jobserver_[a-z_]+\{([^}]*)\}", file.read_text(encoding="utf-8")):
                for label in re.findall(r"([a-z_]+)\s*=", labels):
                    if label in LABELS:
                        yield f"{file.relative_to(ROOT)}: label {label}"


def log():
    for folder in ("JobServer", "JobRunner", "StoreThreads", "SQLiteStore", "PostgresStore"):
        for name, text in swift(folder):
            for match in re.finditer(r'log\??\.write\(\.\w+, "([a-z_]+)"\)?(.{0,900})', text, re.S):
                event, rest = match.groups()
                if event in EVENTS:
                    yield f"{name}: event {event}"
                block = rest.split("log.write", 1)[0].split("\n    }\n", 1)[0]
                old = set(LOG["*"].split()) | set(LOG.get(event, "").split())
                for member in re.findall(r'line\.member\("([a-z_]+)"', block):
                    if member in old:
                        yield f"{name}: member {member} of the line {event}"
    for folder in ("JobRunner", "JobServer"):
        for name, text in swift(folder):
            for attribute in ATTRIBUTES:
                if f'"{attribute}"' in text:
                    yield f"{name}: attribute {attribute}"


def table():
    """The words of the table in the changelog that this program does not know."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    start = text.index("### Renamed")
    rows = [line for line in text[start : text.index("\n### ", start + 5)].splitlines() if line.startswith("| ")]
    known = set(KEPT) | {code.split(".")[-1] for code in CODES} | MEMBERS | CODES | PARAMETERS | LABELS | EVENTS | ATTRIBUTES | SCHEMAS
    for words in [*MEMBERS_OF.values(), *VALUES.values(), *LOG.values()]:
        known |= set(words.split())
    for row in rows[1:]:
        cells = [cell.strip() for cell in row.strip("|").split(" | ")]
        if len(cells) < 3 or cells[0].startswith(("Swift", "schema", "path", "default names")):
            continue
        for code in re.findall(r"`([^`]+)`", cells[1]):
            if code.startswith(("/", "jobserver ")) or code in known or " " in code and "{" not in code:
                continue
            for word in re.findall(r"[a-z][a-z_.]*[a-z]", code):
                if word not in known and word.split(".")[-1] not in known:
                    yield f"CHANGELOG.md: \"{word}\" of {cells[0]} is not known to this program"


# A contract in which each thing is old.
DOCTORED = {
    "components": {
        "schemas": {
            "WaitReason": {},
            "Job": {"properties": {"expires_at": {}, "purge_at": {}}, "example": {"outcome": "success"}},
            "JobState": {"enum": ["paused", "held"]},
            "Retry": {"properties": {"errors": {}, "on": {}}},
            "ErrorCode": {"enum": ["condition.negated", "condition.holds"]},
        },
    },
    "paths": {
        "/v1/bulk": {"get": {"operationId": "readBulk", "parameters": [{"in": "query", "name": "created_after"}]}},
    },
}
FOUND = {
    "schema WaitReason", "member expires_at of Job", "member purge_at of Job", "example: member outcome",
    "value paused of JobState", "member on of Retry", "value condition.negated of ErrorCode", "path /v1/bulk",
    "operationId readBulk", "parameter created_after",
}


def doctored():
    """Whether every old thing of a doctored contract is found, and nothing else."""
    found = {line.removeprefix("openapi.yaml: ") for line in contract(DOCTORED)}
    for line in sorted(found ^ FOUND):
        print(line)
    return 0 if found == FOUND else 1


def main():
    if "--doctored" in sys.argv:
        return doctored()
    with open(ROOT / "openapi.yaml", encoding="utf-8") as file:
        document = yaml.load(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    found = [*contract(document), *documents(), *page(), *metrics(), *log(), *table()]
    for line in sorted(set(found)):
        print(line)
    if not found:
        print("ok: no old word is left")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
