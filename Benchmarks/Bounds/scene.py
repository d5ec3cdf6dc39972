"""What a server has before requests are sent to it: templates, secrets, schedules, hooks, and jobs that wait."""
import json

from . import doors, runs
from .contract import JOBS, encode


def prepare(client, receiver):
    """Fills a server, and tells the client the ids and tokens that stand for the names in paths of cases."""
    for name, body in runs.TEMPLATES.items():
        put(client, f"/v1/templates/{name}", body)
    put(client, "/v1/secrets/s", {"text": "correct horse battery"})
    put(client, "/v1/connections/c", {"base_url": "http://127.0.0.1:9/"})
    put(client, "/v1/schedules/s", {"every": "1h", "job": {"type": "delay", "for": "1s"}})
    names = {name: json.loads(client.ask("POST", "/v1/jobs", encode(
        {"type": "group", "operations": [{"type": "await", "signal": "no", "name": "w"}]}))[1])["id"] for name in JOBS}
    for path, body in doors.HOOKS.items():
        put(client, f"/v1/hooks/{path}", body)
    client.names = {**names, **receiver.urls(client)}


def put(client, path, body):
    status, content = client.ask("PUT", path, encode(body))
    if status >= 300:
        raise SystemExit(f"FAILED: {path} was answered with {status} {content[:300]!r}")
