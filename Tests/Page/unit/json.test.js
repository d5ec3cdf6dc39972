import assert from "node:assert/strict";
import test from "node:test";
import { formatJSON, jsonPlaces, jsonTokens, placeOf } from "../../../Sources/Page/Basics/json-text.js";
import { ExactNumber, parseJSON, writeJSON } from "../../../Sources/Page/Basics/lossless-json.js";

test("numbers come out as they went in", () => {
  for (const text of ["12345678901234567890", "19.990", "1e400", "-0", "0.1", "1E5", "9007199254740993", "[1.0,2]"]) {
    assert.equal(writeJSON(parseJSON(text)), text);
  }
  assert.equal(parseJSON("7"), 7);
  assert.ok(parseJSON("19.990") instanceof ExactNumber);
});

test("values are those of JSON.parse", () => {
  const text = ' {"a": [1, true, null, "\\u0041\\n", {}], "b": {"": []}, "c": "\\ud83d\\ude00"} ';
  assert.deepEqual(parseJSON(text), JSON.parse(text));
  assert.equal(writeJSON(parseJSON(text)), JSON.stringify(JSON.parse(text)));
});

test("numbers of a long text come out as they went in", () => {
  for (const number of ["12345678901234567890", "19.990", "1e400", "-0", "1E5", "9007199254740993", "7"]) {
    for (const text of [`{"a":"${"x".repeat(6000)}","b":${number}}`, `["${"x".repeat(6000)}", -1, ${number}]`]) assert.equal(writeJSON(parseJSON(text)), text.replaceAll(", ", ","));
  }
});

test("a member called __proto__ is a member", () => {
  const found = parseJSON('{"__proto__": {"polluted": 1}}');
  assert.equal({}.polluted, undefined);
  assert.equal(writeJSON(found), '{"__proto__":{"polluted":1}}');
});

test("what is no JSON is refused", () => {
  for (const text of ["", "{", "[1,]", "{'a':1}", '"\u0001"', "01", "1 2", "nul", '{"a" 1}', "[".repeat(600) + "]".repeat(600)]) {
    assert.throws(() => parseJSON(text), SyntaxError, text);
  }
});

test("a layout keeps every byte that is not space", () => {
  const text = '{"id":12345678901234567890,"list":[1,2,{"deep":"a, b: {c}"}],"empty":{},"none":[],"text":"' + "x".repeat(90) + '"}';
  const laid = formatJSON(text);
  assert.equal(laid.replace(/\s(?=(?:[^"]*"[^"]*")*[^"]*$)/g, ""), text);
  assert.ok(laid.split("\n").length > 4);
  assert.equal(formatJSON(laid), laid);
  assert.equal(formatJSON('{ "a" : 1 }'), '{ "a": 1 }');
});

test("text that is no JSON stays as it is", () => {
  for (const text of ["curl https://example.com", '{"a": ', "[1, 2", "}{"]) assert.equal(formatJSON(text), text);
});

test("tokens know names from texts", () => {
  assert.deepEqual(jsonTokens('{"a":"b"}').map((token) => token.kind), ["mark", "name", "mark", "string", "mark"]);
});

test("each value has a place, also in what is being typed", () => {
  const text = '{"request": {"methd": "PUT", "a/b": [1, 22]}, "x": ';
  const places = jsonPlaces(text);
  const cut = ({ start, end }) => text.slice(start, end);
  assert.equal(cut(places.get("/request/methd")), '"PUT"');
  assert.equal(cut(places.get("/request/a~1b/1")), "22");
  assert.equal(places.get("/request/methd").nameStart, text.indexOf('"methd"'));
  assert.equal(cut(placeOf("/request/url/none", places)), '{"methd": "PUT", "a/b": [1, 22]}');
  assert.equal(cut(placeOf("/y", places)), text);
});
