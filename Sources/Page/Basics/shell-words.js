import { visibleText } from "./visible-text.js";

/** `text` as one word of a POSIX shell. */
export function shellWord(text) {
  if (/^(?!=)[\w./:@%+,=-]+$/.test(text)) return text;
  if (visibleText(text) === text && !text.includes("\t")) return quoted(text);
  // A terminal would obey it when it is pasted. A command substitution drops the line ends at its end.
  const begin = text.replace(/\n+$/, "");
  const end = text.slice(begin.length);
  return `"$(printf '${begin.replaceAll("%", "%%").replace(/[^\w %]/gu, octal)}')"` + (end && quoted(end));
}

const quoted = (text) => "'" + text.replaceAll("'", "'\\''") + "'";

const octal = (text) => [...new TextEncoder().encode(text)].map((byte) => "\\" + byte.toString(8).padStart(3, "0")).join("");

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
