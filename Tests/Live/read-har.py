"""Reads an HTTP Archive with haralyzer and checks it against HAR 1.2. Prints its findings."""

import json
import sys

import haralyzer

with open(sys.argv[1], encoding="utf-8") as file:
    document = json.load(file)

MEMBERS = {
    "": ["startedDateTime", "time", "request", "response", "cache", "timings"],
    "request": ["method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize"],
    "response": [
        "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize",
        "bodySize",
    ],
    "timings": ["send", "wait", "receive"],
}

log = document["log"]
assert log["version"] == "1.2", log["version"]
assert log["creator"]["name"] and log["creator"]["version"]
for entry in log["entries"]:
    for part, members in MEMBERS.items():
        place = entry[part] if part else entry
        missing = [name for name in members if name not in place]
        assert not missing, f"{part}: {missing}"
    unknown = [n for n in entry if n not in MEMBERS[""] + ["serverIPAddress", "connection"] and not n.startswith("_")]
    assert not unknown, unknown
    timings = entry["timings"]
    parts = [timings[name] for name in ("blocked", "dns", "connect", "send", "wait", "receive") if timings[name] >= 0]
    assert abs(sum(parts) - entry["time"]) < 0.01, (timings, entry["time"])
    assert timings["ssl"] <= timings["connect"] or timings["ssl"] == -1
    assert all(timings[name] >= 0 for name in ("send", "wait", "receive"))
    content = entry["response"]["content"]
    if "text" in content and "encoding" not in content:
        assert content["size"] == len(content["text"].encode()), content

archive = haralyzer.HarParser(document)
pages = archive.har_data["entries"]
for raw in pages:
    entry = haralyzer.HarEntry(raw)
    assert entry.startTime is not None
    assert entry.request.method == raw["request"]["method"]
    assert entry.response.status == raw["response"]["status"]
    assert entry.time == raw["time"]
print(f"{len(pages)} entries")
