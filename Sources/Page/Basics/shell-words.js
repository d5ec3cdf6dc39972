/** `text` as one word of a POSIX shell. */
export function shellWord(text) {
  if (/^[A-Za-z0-9_./:@%+,=-]+$/.test(text)) return text;
  return "'" + text.replaceAll("'", "'\\''") + "'";
}

/**
 * A curl command that makes a request, over several lines when it is long.
 * - method: that of curl itself when it is left out; headers: pairs; body: text.
 */
export function curlLine({ method, url, headers = [], body, isJSON = false }) {
  const parts = [];
  const implied = body === undefined ? "GET" : "POST";
  if (method && method !== implied) parts.push(`-X ${method}`);
  for (const [name, value] of headers) parts.push(`-H ${shellWord(`${name}: ${value}`)}`);
  if (body !== undefined) parts.push(`${isJSON ? "--json" : "--data-raw"} ${shellWord(body)}`);
  const words = ["curl", ...parts, shellWord(url)];
  const line = words.join(" ");
  return line.length <= 88 ? line : words.join(" \\\n  ");
}
