// The list of jobs as pure functions: what is asked for while rows must not move, and which rows are shown.

/** The time just behind the newest row: while the list is held, newer jobs are counted and not shown. */
export function pinBehind(jobs) {
  return jobs.length ? new Date(Date.parse(jobs[0].created_at) + 1).toISOString() : undefined;
}

/**
 * The rows: those that were read, and those of before with an id in `kept` that are no longer among them, at their place.
 * Those have `hasLeft`.
 */
export function keepRows(before, read, kept, isOldestFirst) {
  const known = new Set(read.map((job) => job.id));
  const left = before.filter((job) => kept.has(job.id) && !known.has(job.id)).map((job) => ({ ...job, hasLeft: true }));
  if (!left.length) return read;
  const place = (job) => job.created_at + job.id;
  const sign = isOldestFirst ? 1 : -1;
  return [...read, ...left].sort((one, other) => sign * (place(one) < place(other) ? -1 : 1));
}

/** The title of a list: `Failed · queue billing · team=payments`. */
export function listTitle({ states, words, labels }) {
  return [...states.length ? [states.join(", ")] : [], ...Object.entries(words).map(([name, value]) => `${name} ${value}`),
    ...labels.map(([name, value]) => `${name}=${value}`)].join(" · ") || "Jobs";
}

/** Dots for attempts: how many failed, and whether there is one more, which goes on or succeeded; undefined for the usual one. */
export function attemptDots({ attempt, state, done }) {
  const isBad = state === "failed" || state === "expired" || state === "retrying";
  const failed = Math.max(0, isBad ? attempt : attempt - 1);
  if (!failed) return undefined;
  return { failed: Math.min(failed, 5), more: Math.max(0, failed - 5), last: isBad ? undefined : done ? state : "running" };
}

/** How long a bar is for a duration, of 1: a millisecond is nothing, an hour is all. */
export function durationShare(milliseconds) {
  return Math.max(0.02, Math.min(1, Math.log10(Math.max(1, milliseconds)) / Math.log10(3_600_000)));
}
