import { h, svg } from "./dom.js";
import { icon } from "./icons.js";

// Each state has a shape and a word besides its colour.

/** The states in the order in which a job goes through them, each with its tone and what it means. */
export const jobStates = {
  running: { tone: "run", says: "an attempt is in flight" },
  cancelling: { tone: "stop", says: "it was asked to stop" },
  queued: { tone: "idle", says: "it may run, and waits for its turn" },
  pending: { tone: "idle", says: "it waits for others or for conditions" },
  waiting: { tone: "wait", says: "it began, and waits" },
  retrying: { tone: "wait", says: "it waits for its next attempt" },
  scheduled: { tone: "later", says: "its time has not come" },
  held: { tone: "hold", says: "a person holds it" },
  failed: { tone: "bad", says: "it did not succeed" },
  expired: { tone: "bad", says: "it was not started in time" },
  succeeded: { tone: "good", says: "it did what it should" },
  cancelled: { tone: "idle", says: "it was stopped" },
  skipped: { tone: "idle", says: "it was passed over" },
};

// Paths, each with how it is drawn.
const ring = "M8 14.2A6.2 6.2 0 108 1.8a6.2 6.2 0 000 12.4z";
const shapes = {
  running: [[ring, "faint"], ["M8 1.8a6.2 6.2 0 016.2 6.2", "turning"]],
  cancelling: [[ring, "dashed"], ["M5.8 5.8h4.4v4.4H5.8z", "solid"]],
  queued: [[ring, "dashed"]],
  pending: [[ring, "dashed"], ["M5.2 8h0M8 8h0M10.8 8h0", "dots"]],
  waiting: [[ring], ["M8 4.5V8l2.4 1.6"]],
  retrying: [["M14.2 8a6.2 6.2 0 11-2-4.6"], ["M14 1.8v3.2h-3.2"]],
  scheduled: [["M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 1.8v2.5M10.5 1.8v2.5"]],
  held: [[ring], ["M6.3 5.8v4.4M9.7 5.8v4.4"]],
  failed: [["M5.4 1.8h5.2l3.6 3.6v5.2l-3.6 3.6H5.4l-3.6-3.6V5.4z", "solid"], ["M5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4", "cut"]],
  expired: [["M5.4 1.8h5.2l3.6 3.6v5.2l-3.6 3.6H5.4l-3.6-3.6V5.4z"], ["M8 4.8V8l2 1.4"]],
  succeeded: [[ring, "solid"], ["M5.2 8.2l2 2 3.6-4", "cut"]],
  cancelled: [[ring], ["M4 12L12 4"]],
  skipped: [[ring, "dashed"], ["M5.5 8h5"]],
};

/** The shape of a state. */
export function stateShape(state, size = 16) {
  return svg("svg.state-shape", { viewBox: "0 0 16 16", width: size, height: size, "aria-hidden": "true" },
    (shapes[state] ?? shapes.queued).map(([d, kind]) => svg("path", { d, class: kind })));
}

/** Shape and word of a state. */
export function stateMark(state, word = state) {
  const known = jobStates[state];
  return h("span.state", { class: `tone-${known?.tone ?? "idle"}`, title: known?.says }, stateShape(state),
    h("span.state-word", word));
}

/** A state in a word with its sign: `state` as `states` has it (tone, sign and word), or as it is. */
export function pill(states, state) {
  const [tone, sign, word = state] = states[state] ?? ["idle", "info"];
  return h("span.pill", { class: `tone-${tone}` }, icon(sign, 13), word);
}
