import { jobStates } from "../../View/states.js";

// The filters of the list as the address has them, and as a person types them.

const words = ["queue", "type", "name", "name_prefix", "id_prefix", "queue_key", "schedule", "host", "url_prefix", "method", "status", "origin", "error.code", "waiting_on.kind"];
/** The filters as they are typed. */
export const typedWords = ["state", "queue", "type", "name", "name_prefix", "id_prefix", "queue_key", "schedule", "host", "url", "method", "status", "origin", "error", "waits"].map((word) => `${word}:`);
const aliases = { error: "error.code", waits: "waiting_on.kind", url: "url_prefix" };
/** How far back the list may look, with its milliseconds. */
export const spans = { "15m": 900_000, "1h": 3_600_000, "24h": 86_400_000, "7d": 604_800_000 };

/** The filters in the query of an address. */
export function filtersOf(query) {
  const filters = { states: (query.get("state") ?? "").split(",").filter(Boolean), labels: [], words: {} };
  for (const word of words) if (query.get(word)) filters.words[word] = query.get(word);
  for (const [name, value] of query) if (name.startsWith("label.")) filters.labels.push([name.slice(6), value]);
  if (Object.hasOwn(spans, query.get("since"))) filters.since = query.get("since");
  const times = ["from", "to"].map((end) => query.get(end));
  // Times are those of the ends, which history is made of.
  if (!filters.since && times.every((time) => time && !Number.isNaN(Date.parse(time)))) filters.ended = times;
  if (query.get("order") === "oldest") filters.isOldestFirst = true;
  return filters;
}

/** The query of an address for filters. */
export function queryOf(filters) {
  const query = new URLSearchParams();
  if (filters.states.length) query.set("state", filters.states.join(","));
  for (const [name, value] of Object.entries(filters.words)) query.set(name, value);
  for (const [name, value] of filters.labels) query.append(`label.${name}`, value);
  if (filters.since) query.set("since", filters.since);
  if (filters.ended) { query.set("from", filters.ended[0]); query.set("to", filters.ended[1]); }
  if (filters.isOldestFirst) query.set("order", "oldest");
  return query;
}

// Calls are known of jobs that ended.
const callWords = ["host", "url_prefix", "method", "status"];

/** The states of jobs that ended. */
export const endStates = ["succeeded", "failed", "cancelled", "expired", "skipped"];

/** Whether the list has only jobs that ended: its time is then when they did, and otherwise when they were created. */
export function isOfEnded({ states, words: found, ended }) {
  return Boolean(ended) || callWords.some((word) => found[word]) || (states.length > 0 && states.every((state) => endStates.includes(state)));
}

/** The query of `GET /v1/jobs` for filters. */
export function apiQuery(filters, now = Date.now()) {
  const query = { state: filters.states.join(","), ...filters.words };
  for (const [name, value] of filters.labels) query[`label.${name}`] = value;
  if (filters.since) query[isOfEnded(filters) ? "finished_from" : "created_from"] = new Date(now - spans[filters.since]).toISOString();
  if (filters.ended) [query.finished_from, query.finished_to] = filters.ended;
  if (filters.isOldestFirst) query.order_by = "created_at";
  return query;
}

/** The filter of a bulk action for filters. */
export function bulkFilter(filters) {
  const { order_by: _, state, ...found } = apiQuery({ ...filters, labels: [] });
  if (state) found.state = state;
  if (filters.labels.length) found.labels = Object.fromEntries(filters.labels);
  return found;
}

/**
 * Adds what a person typed: `queue:billing`, `host:api.example.com`, `error:cancelled.user`, `waits:signal` and so on as in the address,
 * `team=payments` (a label), `send_*` (how names begin), or a name. Gives the new filters; `{ job }` for the id of a job,
 * and `{ unknown, why }` for a word that is no filter.
 */
export function withTyped(filters, text) {
  const fresh = { ...filters, words: { ...filters.words }, labels: [...filters.labels], states: [...filters.states] };
  let isNamed = false;
  for (const part of text.trim().split(/\s+/).filter(Boolean)) {
    const job = /^job_[0-9a-z]{26}$/.exec(part);
    if (job) return { job: part };
    const word = /^([a-z_.]+):(.+)$/.exec(part);
    const name = word && (aliases[word[1]] ?? word[1]);
    const label = /^(?:label\.)?([A-Za-z0-9][A-Za-z0-9._-]*)=(.*)$/.exec(part);
    if (name === "state") {
      const odd = word[2].split(",").find((state) => !jobStates[state]);
      if (odd) return { unknown: part, why: `“${odd}” is no state. States are ${Object.keys(jobStates).join(", ")}.` };
      fresh.states = word[2].split(",");
    } else if (words.includes(name)) {
      if (word[2].includes("*")) return { unknown: part, why: `${word[1]}: takes a whole value. Only the beginning of a name may be typed, as send_*.` };
      fresh.words[name] = word[2];
    }
    else if (word) return { unknown: part, why: `“${word[1]}:” is no filter. Filters are ${typedWords.join(", ")}, and LABEL=VALUE.` };
    else if (label) fresh.labels = [...fresh.labels.filter(([name]) => name !== label[1]), [label[1], label[2]]];
    else if (isNamed) return { unknown: part, why: "A job has one name: type one name, or its beginning with *." };
    else {
      isNamed = true;
      const { name: _, name_prefix: __, ...rest } = fresh.words;
      fresh.words = /.\*$/.test(part) ? { ...rest, name_prefix: part.slice(0, -1) } : { ...rest, name: part };
    }
  }
  return fresh;
}

/** Whether any filter is set. */
export function hasFilters(filters) {
  return queryOf({ ...filters, isOldestFirst: false }).size > 0;
}
