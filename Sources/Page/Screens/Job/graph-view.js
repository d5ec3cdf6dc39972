import { countText, shortened, visibleText } from "../../Basics/visible-text.js";
import { shortDuration } from "../../Basics/durations.js";
import { spanOf } from "../../Basics/times.js";
import { routeHref } from "../../Shell/route.js";
import { h, svg } from "../../View/dom.js";
import { jobStates, stateShape } from "../../View/states.js";
import { graphLayout } from "./graph-model.js";
import { isForFailure } from "./spec-model.js";

const boxesMax = 200;

/** The operations of a job as a drawing; nothing for a very large one. The table says the same in words. */
export function graphView(job, operations, width, { items, edges }) {
  const { boxes, lines, width: wide, height } = graphLayout(operations, width, edges);
  if (!boxes.length || boxes.length > boxesMax) return null;
  return h("div.graph-wrap.panel", { tabindex: "0", role: "region", "aria-label": "Graph" },
    svg("svg.graph", { width: wide + 2, height: height + 2, viewBox: `-1 -1 ${wide + 2} ${height + 2}`, role: "img", "aria-label": "The operations of the table below, each under those that it follows" },
      boxes.filter((box) => box.members.length).map((box) => boxView(job, box)),
      lines.map(({ x1, y1, x2, y2, isCritical, states }) => {
        const bend = Math.min(24, (y2 - y1) / 2);
        return svg("path.line", { class: `${isCritical ? "is-critical" : ""} ${isForFailure(states) ? "is-for-failure" : ""}`, d: `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}` },
          states && svg("title", `when it is ${[states].flat().join(" or ")}`));
      }),
      boxes.filter((box) => !box.members.length).map((box) => (box.kind === "cells" ? cellsView(job, box, items) : boxView(job, box)))),
    lines.some((line) => line.isCritical || isForFailure(line.states)) && h("p.graph-key.dim.small", { "aria-hidden": "true" },
      lines.some((line) => line.isCritical) && h("span", h("i.is-critical"), "what the end waited for"), lines.some((line) => isForFailure(line.states)) && h("span", h("i.is-for-failure"), "after a failure")));
}

/** Members alike as small squares; each leads to its attempts. */
function cellsView(job, { x, y, all, columns, step, more }, items) {
  return svg("g.cells", { onclick: ({ target }) => { const { operation } = target.dataset; if (operation) location.hash = routeHref(["jobs", job.id, "attempts"], { operation }); } },
    all.map(({ operation: member, operation: { operation, state } }, index) => svg("rect", {
      class: `tone-${jobStates[state]?.tone ?? "idle"} is-${state}`, "data-operation": operation, x: x + index % columns * step, y: y + Math.floor(index / columns) * step, width: step - 2, height: step - 2, rx: 2,
      "data-card": visibleText(`${operation}${items.has(operation) ? ` · ${items.get(operation)}` : ""}\n${cellWords(member)}`),
    })),
    more > 0 && svg("title", `and ${countText(more)} more`));
}

function cellWords({ state, started_at: start, finished_at: end, attempt, error }) {
  return [state, error?.title, start && end && `${shortDuration(spanOf(start, end))}${attempt > 1 ? `, ${attempt} attempts` : ""}`].filter(Boolean).join("\n");
}

function boxView(job, { x, y, width, height, kind, members, operation }) {
  const isGroup = members.length > 0;
  const frame = svg("rect", { x, y, width, height, rx: isGroup ? 10 : 7 });
  if (kind === "bundle") return svg("g.bundle", frame);
  const { state } = operation;
  // Members of a map share their name.
  const part = operation.operation?.split("/").at(-1);
  const title = operation.name === part || !operation.depth ? operation.name : `${operation.name} ${part}`;
  const took = !isGroup && operation.started_at && operation.finished_at ? shortDuration(spanOf(operation.started_at, operation.finished_at)) : "";
  const shape = stateShape(state, 14);
  shape.setAttribute("x", x + 9);
  shape.setAttribute("y", y + (isGroup ? 8 : (height - 14) / 2));
  const fits = Math.floor((width - 36 - took.length * 6.5) / 7.2);
  const href = routeHref(["jobs", job.id, "attempts"], { operation: operation.operation });
  const box = svg("g", { class: `tone-${jobStates[state]?.tone ?? "idle"} ${isGroup ? "group" : "leaf"} is-${state}` },
    svg("title", visibleText(`${operation.operation}: ${state}`)),
    frame, shape,
    svg("text", { x: x + 30, y: y + (isGroup ? 19 : height / 2 + 4) }, visibleText(shortened(title, fits))));
  // The table has links for those without a mouse; a drawing has none inside.
  return isGroup ? box : svg("g.leads", { onclick: () => { location.hash = href; } }, box, took && svg("text.took", { x: x + width - 8, y: y + height / 2 + 4 }, took));
}
