"""Compares what Docs/Monitoring.md and the files in Monitoring name with the metrics of a real server.

    monitoring.py names METRICS         each metric that they name is there, and each that is there is documented; the same for
                                        the events of the log and Docs/Logs.md
    monitoring.py prometheus URL        Prometheus scrapes the server, evaluates the rules and the queries of the dashboard
"""
import json
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

root = pathlib.Path(__file__).parents[2]
files = [root / "Docs/Monitoring.md", *sorted((root / "Monitoring").glob("*"))]
NAME = re.compile(r"\b(?:jobserver|process)_[a-z0-9_]+\b")


def queries():
    """The queries of the dashboard, with its variables filled in."""

    def walk(value):
        if isinstance(value, dict):
            if "expr" in value:
                yield value["expr"].replace("$__rate_interval", "5m").replace("$instance", ".*")
            for inner in value.values():
                yield from walk(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from walk(inner)

    return list(walk(json.loads((root / "Monitoring/grafana.json").read_text())))


def events():
    """The events of the log that the sources write, and those that Docs/Logs.md explains."""
    sources = "\n".join(file.read_text() for file in sorted((root / "Sources/JobServer").rglob("*.swift")))
    written = set(re.findall(r"\bwrite\(\s*(?:\.\w+|[\w.]+Level|\w+ \? \.\w+ : \.\w+), \"(\w+)\"", sources))
    for line in re.findall(r"SettingEvents = \((.*)\)|event: (is\w+ \? .*)", sources):
        written |= set(re.findall(r'"(\w+)"', "".join(line)))
    written |= set(re.findall(r"\(StaticString, String\) in\s*\(\"(\w+)\"", sources))
    written |= set(re.findall(r"edit\(context, name, \"(\w+)\"", sources)) | set(re.findall(r'"event":"(\w+)"', sources))
    rows = re.findall(r"^\| (`.*?) \|", (root / "Docs/Logs.md").read_text(), re.M)
    return written, {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def names(path):
    families = re.findall(r"^# TYPE (\S+) (\S+)$", pathlib.Path(path).read_text(), re.M)
    known = {name for name, _ in families}
    for name, kind in families:
        if kind == "histogram":
            known |= {name + suffix for suffix in ("_bucket", "_sum", "_count")}
    wrong = []
    for file in files:
        for name in sorted(set(NAME.findall(file.read_text()))):
            if name not in known:
                wrong.append(f"{file.relative_to(root)} names {name}, which the server does not have")
    documented = set(NAME.findall(files[0].read_text()))
    shown = {name for query in queries() for name in NAME.findall(query)}
    for name, _ in families:
        if name not in documented:
            wrong.append(f"Docs/Monitoring.md does not name {name}")
        if not {name, *(name + suffix for suffix in ("_bucket", "_sum", "_count"))} & shown and name != "jobserver_uptime_seconds":
            wrong.append(f"Monitoring/grafana.json does not show {name}")
    written, explained = events()
    wrong += [f"Docs/Logs.md does not explain {name}" for name in sorted(written - explained)]
    wrong += [f"Docs/Logs.md explains {name}, which nothing writes" for name in sorted(explained - written)]
    print(*wrong, sep="\n")
    print(f"{len(families)} metrics, {len(queries())} queries")
    return not wrong


def alarmed(rules):
    """The rules that fire, or would if it stayed so. The collector of the spans is away on purpose."""
    return [rule for rule in rules if rule["state"] != "inactive" and rule["name"] != "JobserverSpansLost"]


def prometheus(url):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    target = urllib.parse.urlsplit(url).netloc

    def ask(path, **query):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/{path}?{urllib.parse.urlencode(query)}") as answer:
            return json.load(answer)["data"]

    with tempfile.TemporaryDirectory() as home:
        config = pathlib.Path(home, "prometheus.yml")
        config.write_text(f"""
global: {{ scrape_interval: 1s, evaluation_interval: 1s }}
rule_files: [{root}/Monitoring/alerts.yml]
scrape_configs:
  - job_name: jobserver
    static_configs: [ {{ targets: ["{target}"] }} ]
""")
        server = subprocess.Popen(
            ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={home}/data",
             f"--web.listen-address=127.0.0.1:{port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            end = time.time() + 40
            rules = []
            while time.time() < end:
                time.sleep(0.5)
                try:
                    rules = [rule for group in ask("rules")["groups"] for rule in group["rules"]]
                    up = ask("query", query='up{job="jobserver"}')["result"]
                except OSError:
                    continue
                if up and up[0]["value"][1] == "1" and rules and all(rule["health"] == "ok" for rule in rules) \
                        and not alarmed(rules):
                    break
            wrong = [f"{rule['name']}: {rule['health']} {rule.get('lastError', '')}" for rule in rules
                     if rule["health"] != "ok"]
            wrong += [] if rules else ["Prometheus has no rules"]
            wrong += [f"{rule['name']} is {rule['state']} for a server that is well" for rule in alarmed(rules)]
            for query in queries():
                try:
                    ask("query", query=query)
                except OSError as error:
                    wrong.append(f"{query}: {error}")
            found = ask("query", query="sum(jobserver_jobs_ended_total)")["result"]
            wrong += [] if found and float(found[0]["value"][1]) > 0 else ["Prometheus has no ended jobs"]
        finally:
            server.terminate()
            server.wait()
    print(*wrong, sep="\n")
    print(f"{len(rules)} rules, {len(queries())} queries")
    return not wrong


sys.exit(0 if {"names": names, "prometheus": prometheus}[sys.argv[1]](sys.argv[2]) else 1)
