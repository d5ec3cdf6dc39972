import { h } from "../../View/dom.js";
import { icon } from "../../View/icons.js";
import { left } from "../../View/time-text.js";
import { countText } from "../../Basics/visible-text.js";
import { send } from "../../Wire/api.js";

const flowStates = {
  open: ["good", "check", "Open"], paused: ["wait", "pause", "Paused"], full: ["run", "queues", "Full"],
  throttled: ["later", "clock", "Throttled"],
};

/** The state of a queue or a key, and when that ends. */
export function flowMark({ state, opens_at: opensAt }) {
  const [tone, sign, word] = flowStates[state] ?? ["idle", "info", state];
  return [h("span.pill", { class: `tone-${tone}` }, icon(sign, 13), word), opensAt && h("span.dim.small.nowrap", " for ", left(opensAt, "a moment"))];
}

/** How many wait; at least so many. */
export function waitingText(queue) { return countText(queue.waiting) + (queue.waiting_is_lower_bound ? "+" : ""); }

/** How many run, of how many that may. */
export function runningText(count, limit) {
  return limit ? h("span.progress", h("progress", { max: limit, value: count, "aria-hidden": "true" }), `${countText(count)} of ${countText(limit)}`) : countText(count);
}

/** The path of a queue in the API, or of something below it. */
export function queuePath(name, rest = "") { return `/v1/queues/${encodeURIComponent(name)}${rest}`; }

/** Pauses a queue, or lets it go on. */
export function pauseOrResume({ name, state }) {
  return send("POST", queuePath(name, state === "paused" ? ":resume" : ":pause"), { json: {} });
}
