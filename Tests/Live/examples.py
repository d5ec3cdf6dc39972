"""Every request and answer in openapi.yaml has an example, and every example is valid against its schema."""

import sys

import jsonschema
import yaml

with open(sys.argv[1] if len(sys.argv) > 1 else "openapi.yaml", encoding="utf-8") as file:
    api = yaml.safe_load(file)
components = api["components"]
found, count = [], 0


def resolve(value):
    """The target of a reference."""
    while "$ref" in value:
        place = api
        for step in value["$ref"].split("/")[1:]:
            place = place[step]
        value = place
    return value


def look(place, content):
    """The examples of one body."""
    global count
    for media, body in content.items():
        examples = [resolve(item)["value"] for item in body.get("examples", {}).values()]
        examples += [body["example"]] if "example" in body else []
        if not examples:
            found.append(f"{place} {media} has no example")
        checker = jsonschema.Draft202012Validator({**body["schema"], "components": components})
        for example in examples:
            count += 1
            for error in checker.iter_errors(example):
                found.append(f"{place} {media}: {error.json_path}: {error.message[:200]}")


def look_at_operation(name, operation):
    """The request and the answers of one operation, and its callbacks."""
    look(f"{name} request", operation.get("requestBody", {}).get("content", {}))
    for status, answer in operation["responses"].items():
        look(f"{name} {status}", resolve(answer).get("content", {}))
    for callback in operation.get("callbacks", {}).values():
        for methods in callback.values():
            for method, inner in resolve(methods).items():
                look_at_operation(f"{name} callback {method}", inner)


for path, methods in api["paths"].items():
    for method, operation in methods.items():
        if method != "parameters":
            look_at_operation(f"{method.upper()} {path}", operation)
print("\n".join(sorted(set(found))))
print(f"{count} examples")
sys.exit(1 if found else 0)
