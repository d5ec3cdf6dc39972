import { urlParts } from "../../Basics/call-urls.js";
import { jobStates } from "../../View/states.js";
import { typedWords } from "./job-filters.js";

const suggestionsMax = 30;

/**
 * What may be typed for the last word of `text`: `{ value, label }`, with the words before. `counts` has how many jobs there
 * are by queue, type and state, and `jobs` are those of the list: of their errors, labels, names and waits.
 */
export function suggestions(text, counts, jobs) {
  const [, before, word] = /^(.*?)(\S*)$/s.exec(text);
  const [name, value] = word.split(/:(.*)/s);
  const isValue = value !== undefined;
  const found = !isValue
    ? [...typedWords.map((each) => [each]), ...counted(jobs.flatMap((job) => Object.entries(job.labels ?? {}).map(([label, of]) => `${label}=${of}`))),
      ...counted(jobs.map((job) => job.name))]
    : valuesOf(name, counts, jobs).map(([each, count]) => [`${name}:${each}`, count]);
  return found.filter(([each]) => each?.startsWith(word) && each !== word && !/\s/.test(each)).slice(0, suggestionsMax)
    .map(([each, count]) => ({ value: before + each, label: count === undefined ? undefined : `${each} · ${count} ${count === 1 ? "job" : "jobs"}` }));
}

function valuesOf(name, counts, jobs) {
  switch (name) {
    case "state": return Object.keys(jobStates).map((state) => [state, counts.state ? counts.state[state] ?? 0 : undefined]);
    case "queue": case "type": return Object.entries(counts[name] ?? {});
    case "error": return counted(jobs.map((job) => (job.done ? job.error?.code : undefined)));
    case "waits": return counted(jobs.flatMap((job) => (job.waiting_on ?? []).map((wait) => wait.kind)));
    case "origin": return counted(jobs.flatMap((job) => (job.waiting_on ?? []).filter((wait) => wait.kind === "origin").map((wait) => wait.origin)));
    case "host": return counted(jobs.map((job) => job.call && urlParts(job.call.url)?.host));
    case "method": return counted(jobs.map((job) => job.call?.method));
    case "status": return counted(jobs.map((job) => (job.done && job.error?.upstream?.status ? String(job.error.upstream.status) : undefined)));
    case "name": return counted(jobs.map((job) => job.name));
    case "schedule": return counted(jobs.map((job) => job.labels?.schedule));
    default: return [];
  }
}

/** Texts with how often each is there, the most frequent first. */
function counted(texts) {
  const counts = new Map();
  for (const text of texts) if (text) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1]);
}
