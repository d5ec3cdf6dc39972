"""Docs/SpecMembers.md, the members of the spec language, made from openapi.yaml.

`--write` writes the page; without it the program ends with 1 when the page is not what the contract says.
"""

import pathlib
import re
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "Docs/SpecMembers.md"

# The sections of the page, each with its schemas and their headings.
SECTIONS = {
    "Any operation, and the job": {
        "OperationMembers": "Any operation",
        "Dependency": "An element of `after`",
        "JobMembers": "The whole job",
        "LabelKey": "`queue_key` by a label",
        "Retention": "`retention`",
        "JobDefaults": "`defaults`",
        "Callback": "`callbacks`",
        "LocalTime": "A local time",
    },
    "Calls": {
        "NetworkOperation": "`network`",
        "DownloadOperation": "`download`",
        "PollOperation": "`poll`",
        "PagesOperation": "`pages`",
        "NotifyOperation": "`notify`",
        "Request": "`request`",
        "Part": "A part of `multipart`",
        "UploadReference": "`artifact` by its id",
        "Redirects": "`redirects`",
        "Protocol": "`http`",
        "TLS": "`tls`",
        "Proxy": "`proxy`",
        "StreamOptions": "`stream`",
        "Expect": "`expect`",
        "Target": "`save`",
        "Verification": "`verify`",
        "NextPageURL": "`next`: a URL in the answer",
        "NextPageCursor": "`next`: a cursor",
        "CursorPlace": "The place of a cursor",
        "NextPageNumber": "`next`: a page number",
        "NextPageOffset": "`next`: an offset",
        "NoAuth": "`auth`: none",
        "BearerAuth": "`auth`: bearer",
        "BasicAuth": "`auth`: basic",
        "HeaderAuth": "`auth`: header",
        "ClientCredentialsAuth": "`auth`: oauth2_client_credentials",
        "AWSSignatureAuth": "`auth`: aws_sigv4",
        "HMACAuth": "`auth`: hmac",
    },
    "Flow": {
        "GroupOperation": "`group`",
        "GroupMap": "`map` of a group",
        "SuccessOfSome": "`succeed_when`: some",
        "SuccessOfMost": "`succeed_when`: most",
        "ChooseOperation": "`choose`",
        "Branch": "A branch",
        "RepeatOperation": "`repeat`",
        "Gathering": "`gather`",
        "DelayOperation": "`delay`",
        "AwaitOperation": "`await`",
        "CallbackRules": "`callback`",
        "Verify": "`verify` of a callback URL",
        "SignedText": "An element of `signed`",
        "HookSecret": "A secret of `verify`",
        "ValueInstead": "A value in place of a result",
        "TemplateOperation": "`template`",
    },
    "Values": {
        "ValueOperation": "`value`",
        "TransformOperation": "`transform`",
        "Reduction": "`reduce`",
        "Predicate": "A predicate",
    },
    "Conditions": {
        "ReachabilityCondition": "`reachability`",
        "ApprovalCondition": "`approval`",
        "AuthorizationCondition": "`authorized_for`",
        "TimeWindowCondition": "`time_window`",
        "WhenCondition": "`when`",
        "AllConditions": "`all`",
        "AnyCondition": "`any`",
        "NotCondition": "`not`",
    },
    "Retries and timeouts": {
        "Retry": "`retry`",
        "Backoff": "`backoff`",
        "Timeouts": "`timeouts`",
    },
    "One at a time": {
        "UniqueKey": "`unique`",
        "LockCondition": "`lock`",
    },
}

HEAD = """# Members of the spec

Made from `openapi.yaml` by `Tests/Names/spec_members.py --write`; a test keeps it current. [Spec.md](Spec.md) explains the
members and how they work together. **Bold** members are required. A *binding* is a value, or one that is filled in:
[References](Spec.md#references).
"""

# Schemas that a word says.
WORDS = {
    "Binding": "binding",
    "Duration": "duration (`90s`)",
    "Time": "date (`2026-11-21T10:00:00Z`)",
    "Moment": "date, [local time](#a-local-time) or duration",
    "Name": "name",
    "ConnectionName": "name of a connection",
    "OperationSpec": "operation",
    "Condition": "[condition](#conditions)",
    "Metadata": "object",
    "Labels": "object of texts",
    "Auth": "[auth](#auth-none)",
    "NextPage": "`\"link\"`, or [one of these](#next-a-url-in-the-answer)",
}


def anchor(title):
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^a-z0-9 _-]", "", title.lower().replace("`", "")).strip().replace(" ", "-")


class Reference:
    def __init__(self, document):
        self.schemas = document["components"]["schemas"]
        self.titles = {name: title for part in SECTIONS.values() for name, title in part.items()}
        self.used = set()

    def form(self, schema):
        """The form of a value, in words."""
        if "$ref" in schema:
            return self.named(schema["$ref"].rsplit("/", 1)[1])
        if "const" in schema:
            return f"`{quoted(schema['const'])}`"
        if "enum" in schema:
            return ", ".join(f"`{quoted(value)}`" for value in schema["enum"])
        for several in ("oneOf", "anyOf"):
            if several in schema:
                forms = []
                for each in schema[several]:
                    form = self.form(each)
                    if form not in forms:
                        forms.append(form)
                return " or ".join(forms)
        kind = schema.get("type")
        if isinstance(kind, list):
            return " or ".join(self.form({**schema, "type": each}) for each in kind if each != "null")
        if kind == "array":
            inner = self.form(schema.get("items", {}))
            return f"list of {inner}"
        if kind in ("integer", "number"):
            low, high = schema.get("minimum"), schema.get("maximum")
            if low is not None and high is not None:
                return f"{low} to {high}"
            return f"at least {low}" if low is not None else f"at most {high}" if high is not None else "number"
        if kind == "boolean":
            return "`true`, `false`"
        if kind == "object":
            return "object"
        return "text" if kind == "string" else "any value"

    def named(self, name):
        if name in WORDS:
            self.used.update(self.reachable(name) if name in ("Auth", "NextPage") else [])
            return WORDS[name]
        if name in self.titles:
            self.used.add(name)
            title = self.titles[name].replace("`", "")
            return f"[{title}](#{anchor(self.titles[name])})"
        return self.form(self.schemas[name])

    def reachable(self, name):
        """The schemas that a schema consists of."""
        found, left = set(), [name]
        while left:
            one = left.pop()
            if one in found:
                continue
            found.add(one)
            left += references(self.schemas[one])
        return found

    def meaning(self, schema):
        text = schema.get("description")
        name = schema.get("$ref", "").rsplit("/", 1)[-1]
        if text is None and name and name not in WORDS:
            target = self.schemas[name]
            if "properties" not in target:
                text = target.get("description")
        return " ".join((text or "").split()).replace("|", "\\|")

    def default(self, schema):
        return f"`{quoted(schema['default'])}`" if "default" in schema else ""

    def table(self, name):
        schema = self.schemas[name]
        required = set(schema.get("required", []))
        yield "| Member | Form | Default | Meaning |"
        yield "|---|---|---|---|"
        for member, value in schema["properties"].items():
            if member == "type" and "const" in value and name.endswith("Operation"):
                continue
            shown = f"**`{member}`**" if member in required else f"`{member}`"
            form = self.form(value).replace("|", "\\|")
            yield f"| {shown} | {form} | {self.default(value)} | {self.meaning(value)} |"

    def page(self):
        lines = [HEAD]
        for section, schemas in SECTIONS.items():
            lines += [f"## {section}", ""]
            for name, title in schemas.items():
                lines += [f"### {title}", ""]
                text = " ".join(self.schemas[name].get("description", "").split())
                if text:
                    lines += [text, ""]
                lines += [*self.table(name), ""]
        return "\n".join(lines).rstrip() + "\n"

    def missing(self):
        """Schemas with members that a spec may have and no section shows."""
        for name in sorted(self.reachable("JobSpec")):
            if "properties" in self.schemas[name] and name not in self.titles:
                yield name


def references(node):
    if isinstance(node, dict):
        found = [node["$ref"].rsplit("/", 1)[1]] if "$ref" in node else []
        return found + [name for key, inner in node.items() if key not in ("example", "examples") for name in references(inner)]
    if isinstance(node, list):
        return [name for inner in node for name in references(inner)]
    return []


def quoted(value):
    return {True: "true", False: "false", None: "null"}.get(value, value) if not isinstance(value, (dict, list)) else str(value).replace("'", '"')


def main():
    with open(ROOT / "openapi.yaml", encoding="utf-8") as file:
        document = yaml.load(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    reference = Reference(document)
    missing = list(reference.missing())
    if missing:
        print(f"No section of Tests/Names/spec_members.py shows {', '.join(missing)}.")
        return 1
    page = reference.page()
    if "--write" in sys.argv:
        PAGE.write_text(page, encoding="utf-8")
        return 0
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page:
        print("Docs/SpecMembers.md is not what openapi.yaml says: python3 Tests/Names/spec_members.py --write")
        return 1
    print("ok: the reference is current")
    return 0


if __name__ == "__main__":
    sys.exit(main())
