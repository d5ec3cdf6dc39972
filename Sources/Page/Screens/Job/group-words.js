import { durationText } from "../../Basics/durations.js";
import { countText } from "../../Basics/visible-text.js";

const overStates = ["succeeded", "failed", "expired", "cancelled", "skipped"];

/** How far the members of a job are: `{ total, done, failed, words }`; undefined for a job without members. */
export function groupProgress(job, now = Date.now()) {
  const { total, by_state: states } = job.operations ?? {};
  if (!(total > 1) || !states) return undefined;
  const count = (...names) => names.reduce((sum, name) => sum + (states[name] ?? 0), 0);
  const [done, failed, cancelled] = [count(...overStates), count("failed", "expired"), count("cancelled")];
  const words = job.done
    ? [`${countText(count("succeeded"))} of ${countText(total)} succeeded`] : [`${countText(done)} of ${countText(total)} are over`];
  if (failed) words.push(`${countText(failed)} failed`);
  if (cancelled) words.push(`${countText(cancelled)} cancelled`);
  const running = count("running");
  if (!job.done && running) words.push(`${countText(running)} running`);
  const passed = now - Date.parse(job.started_at);
  const rate = done / passed;
  if (!job.done && running && done >= 5 && passed > 2000 && rate * 60_000 >= 1) {
    words.push(rate * 1000 >= 1 ? `${countText(Math.round(rate * 1000))} a second` : `${countText(Math.round(rate * 60_000))} a minute`,
      `about ${durationText(Math.ceil((total - done) / rate / 1000) * 1000)} to go`);
  }
  return { total, done, failed, words };
}

/** How many members are in each state, from the operations: a job that runs does not say it itself. */
export function countedOperations(operations) {
  const counts = {};
  const members = operations.filter((operation) => operation.depth > 0);
  for (const { state } of members) counts[state] = (counts[state] ?? 0) + 1;
  return members.length > 1 ? { total: members.length, by_state: counts } : undefined;
}

/** The last call of an operation that is known: `{ method, url }`. `calls` has them by operation and attempt. */
export function lastCall(calls, operation) {
  let found;
  for (let number = 1; calls.has(`${operation}#${number}`); number += 1) found = calls.get(`${operation}#${number}`);
  return found;
}
