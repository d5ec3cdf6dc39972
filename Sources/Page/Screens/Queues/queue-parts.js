import { pauseButton } from "../../Parts/detail-screen.js";
import { h } from "../../View/dom.js";
import { pill } from "../../View/states.js";
import { left } from "../../View/time-text.js";
import { countText } from "../../Basics/visible-text.js";
import { get, send } from "../../Wire/api.js";

const flowStates = {
  open: ["good", "check", "Open"], paused: ["hold", "pause", "Paused"], full: ["run", "queues", "Full"],
  throttled: ["later", "clock", "Throttled"],
};

/** The state of a queue or a key, and when that ends. */
export function flowMark({ state, opens_at: opensAt }) {
  return [pill(flowStates, state), opensAt && h("span.dim.small.nowrap", " for ", left(opensAt, "a moment"))];
}

/** How many wait; at least so many. */
export function waitingText(queue) { return countText(queue.waiting) + (queue.waiting_is_lower_bound ? "+" : ""); }

/** How many run, of how many that may. */
export function runningText(count, limit) {
  return limit ? h("span.progress", h("progress", { max: limit, value: count, "aria-hidden": "true" }), `${countText(count)} of ${countText(limit)}`) : countText(count);
}

/** The path of a queue in the API, or of something below it. */
export function queuePath(name, rest = "") { return `/v1/queues/${encodeURIComponent(name)}${rest}`; }

let historyRead;

/** The ends of the last hour by queue; read at most every ten seconds, and empty where they cannot be read. */
export function queueHistory() {
  if (!(Date.now() - historyRead?.at < 10_000)) {
    const found = get("/v1/stats", { by: "queue", limit: 50 }).then(({ groups }) => new Map(groups.map((group) => [group.value, group])), () => new Map());
    historyRead = { at: Date.now(), found };
  }
  return historyRead.found;
}

/** The button that pauses a queue, or lets it go on. `then` is called after. */
export function queuePauseButton({ name, state }, then, tone = "row-action") {
  const isPaused = state === "paused";
  return pauseButton(isPaused, () => send("POST", queuePath(name, isPaused ? ":resume" : ":pause"), { json: {} }), then, tone);
}
