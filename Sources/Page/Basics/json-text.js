// JSON as text: its tokens, a layout that is pleasant to read, and the place of each value. Works on what is being
// typed, too: text that is no JSON yet has tokens all the same.

const tokenShape =
  /([ \t\n\r]+)|("(?:[^"\\]|\\[^])*"?)|(-?\d[0-9.eE+-]*)|(true|false|null)\b|([{}[\]:,])|([^\s"{}[\]:,]+)/g;

/** The tokens of `text`, spaces left out: each with kind (name, string, number, word, mark, odd), start and end. */
export function jsonTokens(text) {
  const tokens = [];
  for (const found of text.matchAll(tokenShape)) {
    if (found[1] !== undefined) continue;
    const kind =
      found[2] !== undefined ? "string" : found[3] !== undefined ? "number" : found[4] !== undefined ? "word"
      : found[5] !== undefined ? "mark" : "odd";
    const last = tokens[tokens.length - 1];
    if (found[0] === ":" && last && last.kind === "string") last.kind = "name";
    tokens.push({ kind, text: found[0], start: found.index, end: found.index + found[0].length });
  }
  return tokens;
}

/** `text` laid out with two spaces a level; what fits on a line of `width` characters stays on one. */
export function formatJSON(text, width = 76) {
  const tokens = jsonTokens(text);
  let at = 0;
  const flat = (from, to) => {
    let line = "";
    for (let index = from; index <= to; index += 1) {
      const token = tokens[index];
      line += token.text;
      if (token.text === ":" || token.text === ",") line += " ";
      else if (token.text === "{" && tokens[index + 1]?.text !== "}") line += " ";
      else if (index < to && tokens[index + 1].text === "}" && token.text !== "{") line += " ";
    }
    return line;
  };
  const ends = matchingEnds(tokens);
  const lay = (level, used) => {
    const token = tokens[at];
    if (!token) return "";
    const end = ends.get(at);
    if (end === undefined) { at += 1; return token.text; }
    const length = tokens[end].end - token.start;
    if (length < 4 * width && end > at) {
      const line = flat(at, end);
      if (line.length + used <= width) { at = end + 1; return line; }
    }
    const indent = "\n" + "  ".repeat(level + 1);
    let laid = token.text;
    at += 1;
    while (at < end) {
      laid += indent;
      let head = "";
      if (tokens[at].kind === "name") { head = tokens[at].text + ": "; at += 2; }
      laid += head + lay(level + 1, 2 * (level + 1) + head.length + 1);
      if (tokens[at]?.text === ",") { laid += ","; at += 1; }
    }
    at = end + 1;
    return laid + "\n" + "  ".repeat(level) + tokens[end].text;
  };
  if (tokens.some((token) => token.kind === "odd") || ends.broken) return text;
  const laid = lay(0, 0);
  return at < tokens.length ? text : laid;
}

function matchingEnds(tokens) {
  const ends = new Map();
  const open = [];
  tokens.forEach((token, index) => {
    if (token.kind !== "mark") return;
    if (token.text === "{" || token.text === "[") open.push(index);
    if (token.text === "}" || token.text === "]") {
      const start = open.pop();
      if (start === undefined) ends.broken = true; else ends.set(start, index);
    }
  });
  if (open.length) ends.broken = true;
  return ends;
}

/**
 * Where the value at each JSON Pointer stands in `text`: a map from pointers to `{ start, end, nameStart }`. For what is
 * still being typed, as far as it goes.
 */
export function jsonPlaces(text) {
  const tokens = jsonTokens(text);
  const places = new Map();
  let at = 0;
  const value = (pointer, nameStart) => {
    const token = tokens[at];
    if (!token) return;
    const place = { start: token.start, end: token.end, nameStart };
    places.set(pointer, place);
    at += 1;
    if (token.text !== "{" && token.text !== "[") return;
    const close = token.text === "{" ? "}" : "]";
    let index = 0;
    while (at < tokens.length && tokens[at].text !== close) {
      const before = at;
      if (tokens[at].text === ",") { at += 1; continue; }
      if (token.text === "{") {
        const name = tokens[at];
        if (name.kind !== "name") { at += 1; continue; }
        at += 2;
        value(pointer + "/" + pointerPart(nameOf(name.text)), name.start);
      } else {
        value(pointer + "/" + index, undefined);
        index += 1;
      }
      if (at === before) at += 1;
    }
    if (tokens[at]) { place.end = tokens[at].end; at += 1; } else place.end = text.length;
  };
  value("", undefined);
  return places;
}

/** The place for `pointer`, or for the nearest value around it. */
export function placeOf(pointer, places) {
  let path = pointer;
  for (;;) {
    const place = places.get(path);
    if (place) return place;
    const slash = path.lastIndexOf("/");
    if (slash < 0) return undefined;
    path = path.slice(0, slash);
  }
}

function nameOf(text) {
  try { return JSON.parse(text); } catch { return text.slice(1, -1); }
}

function pointerPart(name) {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
