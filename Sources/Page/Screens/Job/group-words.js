import { durationText } from "../../Basics/durations.js";
import { countText } from "../../Basics/visible-text.js";

/** How far the members of a job are: `{ total, done, failed, words }`; undefined for a job without members. */
export function groupProgress(job, now = Date.now()) {
  const { total, done, failed, by_state: states = {}, estimated_until: until } = job.operations ?? {};
  if (!(total > 1)) return undefined;
  const words = job.done
    ? [`${countText(states.succeeded ?? 0)} of ${countText(total)} succeeded`] : [`${countText(done)} of ${countText(total)} are over`];
  if (failed) words.push(`${countText(failed)} failed`);
  if (states.cancelled) words.push(`${countText(states.cancelled)} cancelled`);
  if (!job.done && states.running) words.push(`${countText(states.running)} running`);
  const left = Date.parse(until) - now;
  if (left > 0) {
    const rate = (total - done) / left;
    if (rate * 60_000 >= 1) words.push(rate * 1000 >= 1 ? `${countText(Math.round(rate * 1000))} a second` : `${countText(Math.round(rate * 60_000))} a minute`);
    words.push(`about ${durationText(Math.ceil(left / 1000) * 1000)} to go`);
  }
  return { total, done, failed, words };
}

/** How many members are in each state, from all operations: a job that runs says only how many of them are over. */
export function countedStates(operations) {
  const counts = {};
  for (const { state, depth } of operations) if (depth > 0) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

/** The last call of an operation that is known: `{ method, url }`. `calls` has them by operation and attempt. */
export function lastCall(calls, operation) {
  let found;
  for (let number = 1; calls.has(`${operation}#${number}`); number += 1) found = calls.get(`${operation}#${number}`);
  return found;
}
