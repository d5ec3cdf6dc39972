#!/usr/bin/env python3
"""Rewrites a JSON spec of the words before the first release into those of today.

    convert_spec.py <spec.json >new.json
    convert_spec.py FILE…           rewrites the files

A spec that has none of the old words stays as it is; the order of members stays in any case. Each module of `words` has
the rules for some words: `convert(value, place)` gets every object of the spec, the innermost first, with the names of
the members around it, from the outside in (an element of a list has the place of the list).
"""

import json
import sys

import words

# What is in these members is the user's own, whatever it looks like.
DATA = {
    "json", "form", "query", "vars", "headers", "text", "metadata", "labels", "params", "value", "default", "equals",
    "not_equals", "contains", "data", "message",
}


def converted(value, place=()):
    """`value`, which is at `place`, with the words of today."""
    if isinstance(value, list):
        return [converted(element, place) for element in value]
    if not isinstance(value, dict):
        return value
    value = {name: inner if name in DATA else converted(inner, place + (name,)) for name, inner in value.items()}
    for module in words.modules():
        value = module.convert(value, place)
    return value


def main(paths):
    if not paths:
        json.dump(converted(json.load(sys.stdin)), sys.stdout, indent=2, ensure_ascii=False)
        sys.stdout.write("\n")
    for path in paths:
        with open(path, encoding="utf-8") as file:
            spec = json.load(file)
        new = converted(spec)
        if new != spec or list(new) != list(spec):
            with open(path, "w", encoding="utf-8") as file:
                json.dump(new, file, indent=2, ensure_ascii=False)
                file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:])
