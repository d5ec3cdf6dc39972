// JSON in and out without a digit lost. JavaScript has one kind of number, and jobs carry others: 12345678901234567890
// is a fine order id, and 19.990 is not 19.99 to everybody. A number that would change is kept as its text.

/** A number that JavaScript's own would change. */
export class ExactNumber {
  constructor(text) { this.text = text; }
  toString() { return this.text; }
}

const numberShape = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const stringShape = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const spaceShape = /[ \t\n\r]*/y;

/** A number that JavaScript might change, where a value is; or, within a string, what looks like one. */
const riskyNumber = /(?:"\s*:|[[,])\s*(?:-?\d{16}|-?\d+[.eE]|-0)/;

/** The value that `text` writes. Throws SyntaxError like JSON.parse. */
export function parseJSON(text) {
  // A long list of jobs has no such number, and the browser reads it ten times as fast.
  if (text.length > 5000 && !riskyNumber.test(text)) return JSON.parse(text);
  let at = 0;
  const take = (shape) => {
    shape.lastIndex = at;
    const found = shape.exec(text);
    if (!found) fail();
    at = shape.lastIndex;
    return found[0];
  };
  const fail = () => { throw new SyntaxError(`not JSON at character ${at}`); };
  const expect = (character) => { if (text[at] !== character) fail(); at += 1; };
  const space = () => take(spaceShape);
  const word = (letters, value) => {
    if (!text.startsWith(letters, at)) fail();
    at += letters.length;
    return value;
  };
  const value = (depth) => {
    if (depth > 500) fail();
    space();
    switch (text[at]) {
      case "{": return object(depth);
      case "[": return array(depth);
      case '"': return JSON.parse(take(stringShape));
      case "t": return word("true", true);
      case "f": return word("false", false);
      case "n": return word("null", null);
      default: return number(take(numberShape));
    }
  };
  const object = (depth) => {
    const found = {};
    at += 1;
    space();
    if (text[at] === "}") { at += 1; return found; }
    for (;;) {
      space();
      const name = JSON.parse(take(stringShape));
      space();
      expect(":");
      const member = value(depth + 1);
      if (name === "__proto__") {
        // It is a member like any other.
        Object.defineProperty(found, name, { value: member, enumerable: true, configurable: true, writable: true });
      } else {
        found[name] = member;
      }
      space();
      if (text[at] === "}") { at += 1; return found; }
      expect(",");
    }
  };
  const array = (depth) => {
    const found = [];
    at += 1;
    space();
    if (text[at] === "]") { at += 1; return found; }
    for (;;) {
      found.push(value(depth + 1));
      space();
      if (text[at] === "]") { at += 1; return found; }
      expect(",");
    }
  };
  const found = value(0);
  space();
  if (at < text.length) fail();
  return found;
}

function number(text) {
  const near = Number(text);
  return String(near) === text ? near : new ExactNumber(text);
}

/** `value` as JSON, with the text of exact numbers; `indent` spaces for each level, or none for one line. */
export function writeJSON(value, indent = 0, level = 0) {
  if (value instanceof ExactNumber) return value.text;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((each) => writeJSON(each, indent, level + 1))
    : Object.keys(value).map(
        (name) => JSON.stringify(name) + (indent ? ": " : ":") + writeJSON(value[name], indent, level + 1));
  const [open, close] = isList ? "[]" : "{}";
  if (!parts.length) return open + close;
  if (!indent) return open + parts.join(",") + close;
  const line = "\n" + " ".repeat(indent * (level + 1));
  return open + line + parts.join("," + line) + "\n" + " ".repeat(indent * level) + close;
}
