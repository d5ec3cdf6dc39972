import assert from "node:assert/strict";
import test from "node:test";
import { probeAt } from "../../../Sources/Page/Parts/completion.js";

/** What is asked for the text around `|`, and what a choice of `name` makes of it. */
function at(marked) {
  const caret = marked.indexOf("|");
  const text = marked.replace("|", "");
  const found = probeAt(text, caret);
  if (!found) return undefined;
  JSON.parse(found.probe);
  assert.equal(found.probe.slice(found.place, found.place + 3), "\"?\"");
  return [found.probe, text.slice(0, found.start) + found.lead + "\"name\"" + found.more + text.slice(found.end), found.typed];
}

test("asks for the members of an object that is being written", () => {
  assert.deepEqual(at("{|"), ["{\"?\": 0}", "{\"name\": ", ""]);
  assert.deepEqual(at("{\"a\": 1, \"re|"), ["{\"a\": 1, \"?\": 0}", "{\"a\": 1, \"name\": ", "re"]);
  assert.deepEqual(at("{\"a\": {\"re|\n}}"), ["{\"a\": {\"?\": 0\n}}", "{\"a\": {\"name\": \n}}", "re"]);
  assert.deepEqual(at("{\"a\": 1 |\"b\": 2}"), ["{\"a\": 1 ,\"?\": 0,\"b\": 2}", "{\"a\": 1 ,\"name\": \"b\": 2}", ""]);
});

test("keeps the value of a name that is changed", () => {
  assert.deepEqual(at("{\"re|try\": 3}"), ["{\"?\": 3}", "{\"name\": 3}", "re"]);
});

test("asks for the words of a value", () => {
  assert.deepEqual(at("{\"type\": \"net|\"}"), ["{\"type\": \"?\"}", "{\"type\": \"name\"}", "net"]);
  assert.deepEqual(at("{\"type\": |"), ["{\"type\": \"?\"}", "{\"type\": \"name\"", ""]);
  assert.deepEqual(at("{\"on\": [\"failed\", |]}"), ["{\"on\": [\"failed\", \"?\"]}", "{\"on\": [\"failed\", \"name\"]}", ""]);
});

test("asks nothing outside of objects", () => {
  assert.equal(at("curl http|"), undefined);
  assert.equal(at("|"), undefined);
  assert.equal(at("{} |"), undefined);
});
