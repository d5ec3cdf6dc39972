"""A collector for tests: takes OTLP over HTTP, in JSON, on a free port, decodes it with the schema of OpenTelemetry, and tells.

Prints its port. `GET /spans` answers with all spans, one object each: ids in hexadecimal, attributes as an object, the
resource with it. `GET /requests` answers with the fields of the requests. `POST /mode/NAME` changes how it answers
further exports: `take`, `busy` (503), `refuse` (400), `partial` (refuses one span of each) or `hang` (never).
"""
import base64
import gzip
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as service
from opentelemetry.proto.trace.v1 import trace_pb2 as trace

spans, requests, mode = [], [], ["take"]
lock = threading.Lock()


def from_json(text):
    """The JSON of OTLP has ids in hexadecimal where the mapping of Protocol Buffers has base 64."""

    def fix(value):
        if isinstance(value, dict):
            return {
                name: base64.b64encode(bytes.fromhex(inner)).decode()
                if name in ("traceId", "spanId", "parentSpanId") else fix(inner)
                for name, inner in value.items()
            }
        return [fix(inner) for inner in value] if isinstance(value, list) else value

    # Unknown members are errors here: a misspelt name must not pass.
    return json_format.ParseDict(fix(json.loads(text)), service.ExportTraceServiceRequest())


def value(any_value):
    return getattr(any_value, any_value.WhichOneof("value"))


def attributes(pairs):
    names = [pair.key for pair in pairs]
    assert len(names) == len(set(names)), f"an attribute comes twice: {names}"
    return {pair.key: value(pair.value) for pair in pairs}


def told(span, resource, scope):
    return {
        "trace": span.trace_id.hex(), "span": span.span_id.hex(), "parent": span.parent_span_id.hex(),
        "state": span.trace_state, "flags": span.flags, "name": span.name,
        "kind": trace.Span.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_"),
        "start": span.start_time_unix_nano, "end": span.end_time_unix_nano,
        "attributes": attributes(span.attributes),
        "events": [{"name": event.name, "at": event.time_unix_nano, "attributes": attributes(event.attributes)}
                   for event in span.events],
        "links": [{"trace": link.trace_id.hex(), "span": link.span_id.hex(), "state": link.trace_state}
                  for link in span.links],
        "status": trace.Status.StatusCode.Name(span.status.code).removeprefix("STATUS_CODE_"),
        "message": span.status.message, "resource": resource, "scope": scope,
    }


class Collector(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", kind="application/json", **fields):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, text in fields.items():
            self.send_header(name.replace("_", "-"), text)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        with lock:
            self.answer(200, json.dumps(spans if self.path == "/spans" else requests).encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path.startswith("/mode/"):
            mode[0] = self.path.removeprefix("/mode/")
            return self.answer(204)
        with lock:
            requests.append({"path": self.path, **{name.lower(): text for name, text in self.headers.items()}})
        if mode[0] == "hang":
            threading.Event().wait()
        if mode[0] == "busy":
            return self.answer(503, retry_after="1")
        if mode[0] == "refuse":
            return self.answer(400)
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        export = from_json(body)
        with lock:
            for part in export.resource_spans:
                for scope in part.scope_spans:
                    spans.extend(
                        told(span, attributes(part.resource.attributes), scope.scope.name) for span in scope.spans)
        response = service.ExportTraceServiceResponse()
        if mode[0] == "partial":
            response.partial_success.rejected_spans = 1
            response.partial_success.error_message = "too old"
        self.answer(200, json_format.MessageToJson(response).encode())


server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
server.daemon_threads = True
print(server.server_port, flush=True)
server.serve_forever()
