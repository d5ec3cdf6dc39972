"""Every request and answer in openapi.yaml has an example, in itself or in its schema, and every example is valid."""

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


def has_example(schema):
    """Whether a schema has an example, or is a list, a page or a choice of what has one."""
    schema = resolve(schema)
    if "examples" in schema or "example" in schema:
        return True
    inner = [schema["items"]] if "items" in schema else schema.get("oneOf", []) + schema.get("anyOf", [])
    inner = inner or [schema["properties"]["items"]] if "items" in schema.get("properties", {}) else inner
    return any(has_example(each) for each in inner)


def check(place, schema, examples):
    """What is wrong with the examples of a body or a schema."""
    global count
    checker = jsonschema.Draft202012Validator({**schema, "components": components})
    for example in examples:
        count += 1
        for error in checker.iter_errors(example):
            found.append(f"{place}: {error.json_path}: {error.message[:200]}")


def look(place, content):
    """The examples of one body."""
    for media, body in content.items():
        examples = [resolve(item)["value"] for item in body.get("examples", {}).values()]
        examples += [body["example"]] if "example" in body else []
        if not examples and not has_example(body["schema"]):
            found.append(f"{place} {media} has no example")
        check(f"{place} {media}", body["schema"], examples)


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
for name, schema in components["schemas"].items():
    check(f"schema {name}", schema, schema.get("examples", []))
print("\n".join(sorted(set(found))))
print(f"{count} examples")
sys.exit(1 if found else 0)
