import { jsonPlaces, placeOf } from "../Basics/json-text.js";

/** Whether a text is a curl line rather than JSON. */
export function isCurl(text) { return /^\s*(\$\s+)?curl(\s|$)/.test(text); }

/** Where in `text` each of a problem's errors is: `{ error, start, end }`. */
export function problemPlaces(text, errors) {
  const places = isCurl(text) ? new Map() : jsonPlaces(text);
  return errors.map((error) => {
    const at = /line (\d+), column (\d+)/.exec(error.detail);
    if (at) {
      const start = offsetOf(text, Number(at[1]), Number(at[2]));
      return { error, start, end: Math.max(start + 1, start + /^\S*/.exec(text.slice(start))[0].length) };
    }
    const place = error.pointer ? placeOf(error.pointer, places) : undefined;
    if (!place) return { error };
    const isName = error.code === "spec.unknown_member" && place.nameStart !== undefined;
    if (isName) return { error, start: place.nameStart, end: text.indexOf(":", place.nameStart) };
    // Of what spans lines, the beginning.
    const line = text.indexOf("\n", place.start);
    return { error, start: place.start, end: line > 0 ? Math.min(place.end, line) : place.end };
  });
}

/** The text with what an error suggests in its place. */
export function withSuggestion(text, { error, start, end }) {
  const word = JSON.stringify(error.suggestion);
  return text.slice(0, start) + word + text.slice(end);
}

function offsetOf(text, line, column) {
  let start = 0;
  for (let number = 1; number < line; number += 1) {
    const next = text.indexOf("\n", start);
    if (next < 0) break;
    start = next + 1;
  }
  return Math.min(text.length, start + column - 1);
}
