import { parseJSON, writeJSON } from "../../Basics/lossless-json.js";

const own = ["schedule", "callback_of", "hook"];

/** A spec without the labels that the server gives to jobs that it makes: a copy is no job of a schedule. */
export function withoutOwnLabels(text) {
  const spec = parseJSON(text);
  if (!own.some((name) => spec?.labels?.[name] !== undefined)) return text;
  const labels = Object.entries(spec.labels).filter(([name]) => !own.includes(name));
  const { labels: _, ...rest } = spec;
  return writeJSON(labels.length ? { ...rest, labels: Object.fromEntries(labels) } : rest);
}
