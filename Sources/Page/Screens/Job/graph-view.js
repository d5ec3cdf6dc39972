import { countText, shortened, visibleText } from "../../Basics/visible-text.js";
import { shortDuration } from "../../Basics/durations.js";
import { spanOf } from "../../Basics/times.js";
import { routeHref } from "../../Shell/route.js";
import { h, svg } from "../../View/dom.js";
import { jobStates, stateShape } from "../../View/states.js";
import { graphLayout, groupedBy } from "./graph-model.js";

const boxesMax = 200;

/** The operations of a job as a drawing; nothing for a very large one. The table says the same in words. */
export function graphView(job, operations, width) {
  const { boxes, lines, width: wide, height } = graphLayout(operations, width);
  if (!boxes.length || boxes.length > boxesMax) return null;
  return h("div.graph-wrap.panel", { tabindex: "0", role: "region", "aria-label": "Graph" },
    svg("svg.graph", { width: wide + 2, height: height + 2, viewBox: `-1 -1 ${wide + 2} ${height + 2}`, role: "img", "aria-label": "The operations of the table below, each under those that it follows" },
      boxes.filter((box) => box.members.length).map((box) => boxView(job, box)),
      lines.map(({ x1, y1, x2, y2 }) => {
        const bend = Math.min(24, (y2 - y1) / 2);
        return svg("path.line", { d: `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}` });
      }),
      boxes.filter((box) => !box.members.length).map((box) => boxView(job, box))));
}

function boxView(job, { x, y, width, height, kind, members, operation, folded }) {
  const isGroup = members.length > 0;
  const frame = svg("rect", { x, y, width, height, rx: isGroup ? 10 : 7 });
  if (kind === "bundle") return svg("g.bundle", frame);
  const state = folded ? worstOf(folded) : operation.state;
  // Members of a map share their name.
  const part = operation.operation?.split("/").at(-1);
  const title = folded ? `and ${countText(folded.length)} more` : operation.name === part || !operation.depth ? operation.name : `${operation.name} ${part}`;
  const took = !isGroup && operation.started_at && operation.finished_at ? shortDuration(spanOf(operation.started_at, operation.finished_at)) : "";
  const shape = stateShape(state, 14);
  shape.setAttribute("x", x + 9);
  shape.setAttribute("y", y + (isGroup ? 8 : (height - 14) / 2));
  const fits = Math.floor((width - 36 - took.length * 6.5) / 7.2);
  const href = folded ? routeHref(["jobs", job.id, "operations"], { state: worstOf(folded) }) : routeHref(["jobs", job.id, "attempts"], { operation: operation.operation });
  const box = svg("g", { class: `tone-${jobStates[state]?.tone ?? "idle"} ${isGroup ? "group" : "leaf"} is-${state}` },
    svg("title", visibleText(folded ? countsOf(folded) : `${operation.operation}: ${state}`)),
    frame, shape,
    svg("text", { x: x + 30, y: y + (isGroup ? 19 : height / 2 + 4) }, visibleText(shortened(title, fits))));
  // The table has links for those without a mouse; a drawing has none inside.
  return isGroup ? box : svg("g.leads", { onclick: () => { location.hash = href; } }, box, took && svg("text.took", { x: x + width - 8, y: y + height / 2 + 4 }, took));
}

/** The state that matters most. */
function worstOf(operations) {
  const states = new Set(operations.map((operation) => operation.state));
  return ["failed", "expired", "running", "retrying", "waiting", "queued", "pending", "scheduled", "held", "cancelling", "cancelled"].find((state) => states.has(state)) ?? operations[0].state;
}

function countsOf(operations) {
  return [...groupedBy(operations, (operation) => operation.state)].map(([state, some]) => `${countText(some.length)} ${state}`).join(", ");
}
