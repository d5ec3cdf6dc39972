/** Control characters, and those that turn the direction of a text: a terminal would obey them when they are pasted. */
const hidden = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** `text` as one word of a POSIX shell. */
export function shellWord(text) {
  if (/^[A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:@%+,=-]*$/.test(text)) return text;
  return hidden.test(text) ? printed(text) : quoted(text);
}

function quoted(text) { return "'" + text.replaceAll("'", "'\\''") + "'"; }

/** A command substitution drops the line ends at its end, which are quoted behind it. */
function printed(text) {
  const begin = text.replace(/\n+$/, "");
  let format = "";
  for (const character of begin) {
    if (character === "%") format += "%%";
    else if (hidden.test(character) || "!\"$'\\`\n".includes(character) || (character === "-" && format === "")) format += octal(character);
    else format += character;
  }
  const rest = text.slice(begin.length);
  return `"$(printf '${format}')"` + (rest && quoted(rest));
}

function octal(character) {
  return Array.from(new TextEncoder().encode(character), (byte) => "\\" + byte.toString(8).padStart(3, "0")).join("");
}

/**
 * A curl command that makes a request, over several lines when it is long.
 * - method: that of curl itself when it is left out; headers: pairs; body: text.
 */
export function curlLine({ method, url, headers = [], body, isJSON = false }) {
  const parts = [];
  const implied = body === undefined ? "GET" : "POST";
  if (method && method !== implied) parts.push(`-X ${shellWord(method)}`);
  for (const [name, value] of headers) parts.push(`-H ${shellWord(`${name}: ${value}`)}`);
  if (body !== undefined) parts.push(`${isJSON ? "--json" : "--data-raw"} ${shellWord(body)}`);
  const words = ["curl", ...parts, shellWord(url)];
  const line = words.join(" ");
  return line.length <= 88 ? line : words.join(" \\\n  ");
}
