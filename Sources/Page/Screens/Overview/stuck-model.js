import { countText } from "../../Basics/visible-text.js";

const oldAfter = 60_000;

/**
 * What does not go on by itself, the worst first: `{ tone, sign, parts, text, since, href }`, in which `parts` and `href` name
 * a screen, and `text` says what is the matter with it.
 */
export function stuckThings({ queues = [], origins = [], schedules = [], approvals = [] }, now = Date.now()) {
  const found = [];
  const jobs = (count, isLeast) => `${countText(count)}${isLeast ? "+" : ""} ${count === 1 ? "job waits" : "jobs wait"}`;
  for (const { name, state, failures, pause } of schedules) {
    if (state === "paused") found.push({ rank: 4, tone: "hold", sign: "pause", parts: ["schedules", name], name, text: `schedule is paused${pause?.reason ? `: ${pause.reason}` : ""}`, since: pause?.at });
    else if (failures > 0) found.push({ rank: failures > 1 ? 0 : 3, tone: "bad", sign: "warning", parts: ["schedules", name], name, text: failures === 1 ? "schedule: its last job failed" : `schedule: its last ${countText(failures)} jobs failed` });
  }
  for (const { origin, state, until } of origins) {
    if (state === "open") continue;
    const text = { broken: "circuit is open: it failed too often", cooling_down: "asked for a pause", probing: "circuit is half open: one call is tried" }[state] ?? state;
    found.push({ rank: state === "broken" ? 1 : 3, tone: state === "broken" ? "bad" : "hold", sign: "origins", parts: ["origins"], name: origin, text, until });
  }
  for (const queue of queues) {
    const since = queue.oldest_waiting_since;
    const isOld = now - Date.parse(since) > oldAfter;
    const line = { parts: ["queues", queue.name], name: queue.name, since };
    if (queue.state === "paused") found.push({ ...line, rank: queue.waiting ? 2 : 5, tone: "hold", sign: "pause", text: `queue is paused${queue.waiting ? `, ${jobs(queue.waiting, queue.waiting_is_lower_bound)}` : ""}` });
    else if (isOld) found.push({ ...line, rank: 3, tone: "wait", sign: "queues", text: `queue${queue.state === "open" ? "" : ` is ${queue.state}`}: ${jobs(queue.waiting, queue.waiting_is_lower_bound)}` });
  }
  if (approvals.length) {
    const oldest = approvals.map((each) => each.created_at).sort()[0];
    found.push({ rank: 2, tone: "hold", sign: "approvals", parts: ["approvals"], name: "Approvals", text: approvals.length === 1 ? "one request waits for a person" : `${countText(approvals.length)} requests wait for a person`, since: oldest });
  }
  return found.sort((one, other) => one.rank - other.rank || (one.since ?? "~").localeCompare(other.since ?? "~"));
}
