import { durationText } from "../../Basics/durations.js";
import { byteText } from "../../Basics/visible-text.js";

const lineMax = 400;

/** Two attempts side by side: rows `{ name, left, right, differs }`, from what is known of each and its entry of the archive. */
export function comparedRows([attempt, entry], [other, otherEntry]) {
  const rows = [];
  const add = (name, left, right, isAlike = false) => {
    const [one, two] = [left, right].map((text) => (text === null || text === undefined ? "" : String(text)));
    if (one || two) rows.push({ name, left: one, right: two, differs: one !== two && !isAlike });
  };
  add("State", attempt.state, other.state);
  add("Status", attempt.status, other.status);
  add("Error", attempt.error?.code, other.error?.code);
  add("URL", entry?.request.url, otherEntry?.request.url);
  add("Address", attempt.peer, other.peer);
  add("Protocol", attempt.protocol, other.protocol);
  for (const phase of ["line", "dns", "connect", "tls", "send", "wait", "receive", "total"]) {
    const [left, right] = [attempt.timing_ms?.[phase], other.timing_ms?.[phase]];
    // No two calls take the same time.
    const isAlike = Math.abs((left ?? 0) - (right ?? 0)) < 5 || (left < 2 * right && right < 2 * left);
    if (left > 0 || right > 0) add(`Time: ${phase}`, durationText(left), durationText(right), isAlike);
  }
  add("Received", attempt.bytes_received && byteText(attempt.bytes_received), other.bytes_received && byteText(other.bytes_received));
  for (const [what, side] of [["Request", "request"], ["Answer", "response"]]) {
    const [left, right] = [entry, otherEntry].map((each) => new Map((each?.[side].headers ?? []).map((field) => [field.name.toLowerCase(), field.value])));
    for (const name of new Set([...left.keys(), ...right.keys()])) add(`${what}: ${name}`, left.get(name), right.get(name));
  }
  return rows;
}

/** The lines of two texts side by side: `{ left, right, differs }`; the lines that both share are at the same height. */
export function comparedLines(left, right) {
  const [one, two] = [left, right].map((text) => text.split("\n").slice(0, lineMax));
  // The longest common sequence of lines, from the end.
  const lengths = Array.from({ length: one.length + 1 }, () => new Uint32Array(two.length + 1));
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = two.length - 1; j >= 0; j -= 1) {
      lengths[i][j] = one[i] === two[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const rows = [];
  let [i, j] = [0, 0];
  while (i < one.length || j < two.length) {
    if (i < one.length && j < two.length && one[i] === two[j]) rows.push({ left: one[i++], right: two[j++], differs: false });
    else if (i < one.length && j < two.length && lengths[i + 1][j] === lengths[i][j + 1]) rows.push({ left: one[i++], right: two[j++], differs: true });
    else if (j >= two.length || (i < one.length && lengths[i + 1][j] > lengths[i][j + 1])) rows.push({ left: one[i++], differs: true });
    else rows.push({ right: two[j++], differs: true });
  }
  return rows;
}
