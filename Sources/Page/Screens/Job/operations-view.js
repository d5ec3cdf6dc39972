import { durationText } from "../../Basics/durations.js";
import { spanOf } from "../../Basics/times.js";
import { byteText, countText } from "../../Basics/visible-text.js";
import { plainWords, upstreamMessage } from "../../Parts/upstream-words.js";
import { routeHref } from "../../Shell/route.js";
import { callView } from "../../Parts/call-view.js";
import { fill, foreign, h } from "../../View/dom.js";
import { jobStates, stateMark, stateShape } from "../../View/states.js";
import { left, since } from "../../View/time-text.js";
import { readSentCalls } from "./sent-calls.js";
import { operationName } from "./spec-model.js";

const calling = new Set(["network", "download", "upload", "poll", "stream"]);

/**
 * The operations of a job, each group before its members, or those in a state. `causes` says why those wait that do, by
 * path; `onMore` shows more of them, if there are; `items` has the elements of maps.
 */
export function operationsView(job, operations, causes, onMore, chosen, items) {
  const titles = ["Operation", "State", "What matters", "Attempts", "Took"];
  const row = (operation) => h("tr",
    h("td", h("div.operation-name", { style: { "--depth": String(Math.min(operation.depth, 8)) } },
      h("span", calling.has(operation.type)
        ? h("a.strong", { href: routeHref(["jobs", job.id, "attempts"], { operation: operation.operation }) }, foreign(operationName(operation, items), { title: operation.operation }))
        : h("b", foreign(operationName(operation, items), { title: operation.operation })),
      // Members of a map share their name.
      operation.depth > 0 && !items.has(operation.operation) && !operation.operation.endsWith(operation.name) && h("span.dim", " · ", foreign(operation.operation.split("/").at(-1)))),
      h("span.dim.small", { "data-sent": calling.has(operation.type) && operation.attempt ? operation.operation : undefined, "data-number": operation.attempt }, items.has(operation.operation) && operation.name !== operation.type ? `${operation.name} · ` : "", operation.type))),
    h("td", stateMark(operation.state)),
    h("td", matterOfOperation(operation, causes.get(operation.operation))),
    h("td.number", { "data-name": "Attempts" }, operation.attempt || ""),
    h("td.number.nowrap", { "data-name": "Took" }, tookText(operation)));
  const { total, failed, by_state: counts } = job.operations ?? {};
  // Of a large job that runs only these counts are known.
  const states = Object.entries(counts ?? { failed }).filter(([, count]) => count > 0)
    .sort(([one], [other]) => (other === "failed") - (one === "failed"));
  const chip = (title, state, count) => h("a.state-tab", {
    href: routeHref(["jobs", job.id, "operations"], { state }), "aria-current": chosen === state ? "true" : undefined, class: `tone-${jobStates[state]?.tone ?? "all"}`,
  }, state && stateShape(state, 14), h("span.state-word", title), h("b", countText(count)));
  return [(states.length > 1 || !counts && failed > 0) && h("nav.state-tabs", { "aria-label": "Operations by state" }, chip("All", undefined, total),
    states.map(([state, count]) => chip(state, state, count))),
  h("div.table-wrap.panel",
    h("table.table.stacks.operations",
      h("thead", h("tr", titles.map((title) => h("th", { scope: "col", class: title === "Attempts" || title === "Took" ? "number" : "" }, title)))),
      h("tbody", operations.map(row))),
    onMore && h("p.dim.more-line", `The first ${countText(operations.length)} are shown. `, h("button", { onclick: onMore }, "Show more")))];
}

/**
 * Shows the calls that were sent by the operations of a table: as `calls` has them from the events, and of the first that
 * these do not tell, as the archive has them.
 */
export function showSentCalls(job, table, calls, max) {
  const asked = [];
  for (const place of table.querySelectorAll("[data-sent]")) {
    const attempt = { operation: place.dataset.sent, number: Number(place.dataset.number), place };
    const call = calls.get(`${attempt.operation}#${attempt.number}`);
    if (call && !call.url.includes("{")) fill(place, callView(call));
    else if (asked.length < max) asked.push(attempt);
  }
  readSentCalls(job, asked, ({ place }, call) => fill(place, callView(call)));
}

function tookText({ started_at: start, finished_at: end }) {
  if (!start) return "";
  return end ? durationText(spanOf(start, end)) : since(start);
}

function matterOfOperation(operation, explained) {
  if (operation.error) {
    const message = upstreamMessage(operation.error);
    return [h("span", { class: operation.state === "failed" ? "tone-bad strong" : "dim" }, foreign(operation.error.title), message && [": ", foreign(message)]), " ", h("code.dim.small", operation.error.code)];
  }
  const cause = explained?.waiting_on?.[0];
  if (cause) return [foreign(plainWords(cause.detail)), cause.estimated_until && [" ", left(cause.estimated_until)]];
  const result = operation.result;
  if (!result) return "";
  return h("span.dim", [result.status && `answered ${result.status}`, result.bytes ? byteText(result.bytes) : null].filter(Boolean).join(", "));
}
