"""openapi.yaml says the same to readers of YAML 1.1 and of YAML 1.2: unquoted `on`, `no` and `012` differ."""

import json
import re
import sys

import yaml


class Core(yaml.SafeLoader):
    """The core schema of YAML 1.2."""

    yaml_implicit_resolvers = {}


for tag, pattern, first in (
    ("null", r"^(?:null|Null|NULL|~|)$", ["n", "N", "~", ""]),
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", list("tTfF")),
    ("int", r"^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$", list("-+0123456789")),
    ("float", r"^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.inf|\.nan)$", list("-+.0123456789")),
):
    Core.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), first)

with open(sys.argv[1] if len(sys.argv) > 1 else "openapi.yaml", encoding="utf-8") as file:
    text = file.read()


def differences(old, new, place=""):
    """Where two documents differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(set(map(str, old)) ^ set(map(str, new))):
            yield f"{place}: {key} is a name in one of them only"
        for key in old:
            if not isinstance(key, str):
                yield f"{place}: the name {key!r} is no text"
            elif key in new:
                yield from differences(old[key], new[key], f"{place}/{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (one, other) in enumerate(zip(old, new)):
            yield from differences(one, other, f"{place}/{number}")
    elif type(old) is not type(new) or old != new:
        yield f"{place}: {old!r} and {new!r}"


found = list(differences(yaml.safe_load(text), yaml.load(text, Core)))
print("\n".join(found))
sys.exit(1 if found else 0)
