import { durationText, shortDuration } from "../../Basics/durations.js";
import { exactClockText } from "../../Basics/times.js";
import { visibleText } from "../../Basics/visible-text.js";
import { goTo } from "../../Shell/route.js";
import { foreign, h, refill } from "../../View/dom.js";
import { jobStates, stateShape } from "../../View/states.js";
import { operationName } from "./spec-model.js";
import { axisTicks, foldedAxis, tickTexts, timelineRows } from "./timeline-model.js";

const rowsAtOnce = 150;

/** The timeline of a job: what ran, what waited, with idle time folded. */
export function timelineView(job, events, operations, { items, showsAll, onAll, isProportional, onScale }) {
  const rows = ordered(timelineRows(job, events, Date.now()), operations, items);
  const timed = rows.filter((row) => row.start !== undefined);
  const axis = foldedAxis(timed, !isProportional);
  const shown = showsAll ? rows : rows.slice(0, rowsAtOnce);
  const percent = (share) => `${(share * 100).toFixed(3)}%`;
  const track = (row) => {
    const parts = [];
    if (row.start !== undefined) {
      parts.push(h("div.base", { style: { left: percent(axis.at(row.start)), width: percent(axis.at(row.end) - axis.at(row.start)) } }));
    }
    for (const part of row.parts) {
      const from = axis.at(part.start);
      const span = part.end - part.start;
      const words = [part.label, [part.status && `answered ${part.status}`, part.code ?? part.state?.replaceAll("_", " ")].filter(Boolean).join(", "),
        durationText(span) + (part.isOpen ? " so far" : ""), `${exactClockText(part.start)}${part.isOpen ? "" : ` to ${exactClockText(part.end)}`}`].filter(Boolean);
      parts.push(h("div.part", {
        class: `kind-${part.kind} ${part.state ? `is-${part.state}` : ""} ${part.isOpen ? "is-open" : ""}`, "data-card": visibleText([row.name ?? row.path, ...words].join("\n")),
        onclick: part.kind === "attempt" && (() => goTo(["jobs", job.id, "attempts"], { operation: row.path })),
        style: { left: percent(from), width: percent(axis.at(part.end) - from) },
      }, h("span.visually-hidden", foreign(words.join(" · ")))));
    }
    return h("div.track", parts);
  };
  const line = (row) => h("div.timeline-row", { role: "listitem", class: `tone-${jobStates[row.state]?.tone ?? "idle"}` },
    h("div.timeline-name", { style: { "--depth": String(Math.min(row.depth ?? 0, 6)) } },
      stateShape(row.state ?? "pending", 14), foreign(row.name ?? row.path, { title: row.path })),
    track(row),
    h("div.timeline-span", row.start === undefined ? "" : h("span", { title: durationText(row.end - row.start) }, shortDuration(row.end - row.start))));
  const folds = axis.pieces.filter((piece) => piece.isFolded);
  const longest = Math.max(...shown.map((row) => (row.name ?? row.path).length + 2 * Math.min(row.depth ?? 0, 6)));
  const apart = innerWidth < 700 ? 0.5 : 0.19;
  const ticks = axisTicks(axis, apart);
  const texts = tickTexts(ticks, axis.start);
  return h("div.timeline", { style: { "--names": `${Math.min(28, longest + 5)}ch` } },
    h("div.timeline-axis", { "aria-hidden": "true" }, h("div"), h("div.track",
      ticks.map((tick, index) => h("span.tick", {
        class: tick.x > 0.93 ? "last" : tick.x < 0.04 ? "first" : "", style: { left: percent(tick.x) },
        title: exactClockText(tick.time),
      }, tick.time === axis.start ? exactClockText(tick.time).replace(/\.\d+$/, "") : texts[index])))),
    h("div.timeline-rows", { role: "list", "aria-label": "Timeline", class: folds.length ? "has-folds" : "" },
      h("div.timeline-folds", { "aria-hidden": "true" }, h("div"), h("div.track", folds.map((piece) => h("div.fold", {
        "data-card": `${durationText(piece.span)}\nNo attempt was in flight.`,
        style: { left: percent(piece.from), width: percent(piece.to - piece.from) },
      }, piece.to - piece.from > apart / 2.6 && h("span", shortDuration(piece.span)))))),
      shown.map(line)),
    rows.length > shown.length && h("p.center",
      h("button", { onclick: onAll }, `Show all ${rows.length} operations`)),
    (folds.length > 0 || isProportional) && h("p.timeline-scale", h("button.quiet", { onclick: onScale }, isProportional ? "Cut idle time short" : "Show times to scale")),
    h("p.timeline-key", { "aria-hidden": "true" },
      h("span", h("i.kind-attempt"), "attempt"), h("span", h("i.kind-attempt.is-failed"), "failed attempt"),
      h("span", h("i.kind-wait"), "waits"), h("span", h("i.kind-queue"), "in the queue"),
      folds.length > 0 && h("span", h("i.is-fold"), "idle time, cut short")));
}

/** Rows in the order of the operations, each with its name, depth and state; those that have not begun, too. */
function ordered(rows, operations, items) {
  const byPath = new Map(rows.map((row) => [row.path, row]));
  const found = [];
  for (const operation of operations) {
    const row = byPath.get(operation.operation) ?? { path: operation.operation, parts: [] };
    byPath.delete(operation.operation);
    found.push(Object.assign(row, { name: operationName(operation, items), depth: operation.depth, state: operation.state }));
  }
  return [...found, ...byPath.values()];
}

/** Puts a new timeline in the place of the one before, only when something differs. */
export function showTimeline(element, ...what) { refill(element, timelineView(...what)); }
