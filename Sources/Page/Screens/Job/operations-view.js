import { durationText } from "../../Basics/durations.js";
import { spanOf } from "../../Basics/times.js";
import { byteText } from "../../Basics/visible-text.js";
import { foreign, h } from "../../View/dom.js";
import { stateMark } from "../../View/states.js";
import { left, since } from "../../View/time-text.js";

/** The operations of a job, each group before its members. `causes` says why those wait that do, by path. */
export function operationsView(operations, causes, hasMore) {
  const titles = ["Operation", "State", "What matters", "Attempts", "Took"];
  const row = (operation) => h("tr",
    h("td", h("div.operation-name", { style: { "--depth": String(Math.min(operation.depth, 8)) } },
      h("b", foreign(operation.name, { title: operation.path })), h("span.dim.small", operation.type))),
    h("td", stateMark(operation.state)),
    h("td", matterOfOperation(operation, causes.get(operation.path))),
    h("td.number", { "data-name": "Attempts" }, operation.attempt || ""),
    h("td.number.nowrap", { "data-name": "Took" }, tookText(operation)));
  return h("div.table-wrap.panel",
    h("table.table.stacks",
      h("thead", h("tr", titles.map((title) => h("th", { scope: "col", class: title === "Attempts" || title === "Took" ? "number" : "" }, title)))),
      h("tbody", operations.map(row))),
    hasMore && h("p.dim.more-line", `The first ${operations.length} are shown.`));
}

function tookText({ started_at: start, finished_at: end }) {
  if (!start) return "";
  return end ? durationText(spanOf(start, end)) : since(start);
}

function matterOfOperation(operation, explained) {
  if (operation.error) {
    return [h("span", { class: operation.state === "failed" ? "tone-bad strong" : "dim" }, foreign(operation.error.title)), " ", h("code.dim.small", operation.error.code)];
  }
  const cause = explained?.causes?.[0];
  if (cause) return [foreign(cause.detail), cause.estimated_until && [" ", left(cause.estimated_until)]];
  const result = operation.result;
  if (!result) return "";
  return h("span.dim", [result.status && `answered ${result.status}`, result.bytes ? byteText(result.bytes) : null].filter(Boolean).join(", "));
}
