import { spanOf } from "../../Basics/times.js";
import { durationText } from "../../Basics/durations.js";
import { matterOf } from "../../Parts/job-words.js";
import { routeHref } from "../../Shell/route.js";
import { fill, foreign, h } from "../../View/dom.js";
import { stateMark } from "../../View/states.js";
import { ago, since } from "../../View/time-text.js";

/** A row of the list, with a place to tick it. */
export function jobRow(job, onPick) {
  const box = h("input", { type: "checkbox", onchange: () => onPick(job.id, box.checked) });
  const row = h("li.job-row", { "data-id": job.id }, h("label.pick", box));
  row.box = box;
  row.link = h("a.job-link", { href: routeHref(["jobs", job.id]) });
  row.cells = {
    state: h("div.job-state"), name: h("div.job-name"), matter: h("div.job-matter"), times: h("div.job-times"),
  };
  row.append(row.cells.state, row.cells.name, row.cells.matter, row.cells.times);
  return row;
}

/** Brings a row to what is known of its job now. */
export function tellRow(row, job, isPicked) {
  row.box.checked = isPicked;
  row.classList.toggle("picked", isPicked);
  const signature = `${job.revision}/${job.state}/${job.progress?.done ?? ""}`;
  if (row.signature === signature) return;
  row.signature = signature;
  row.box.setAttribute("aria-label", `Select ${job.name}`);
  fill(row.link, foreign(job.name ?? job.id));
  fill(row.cells.state, stateMark(job.state));
  fill(row.cells.name, row.link, h("span.job-sub",
    h("span", job.type), job.queue !== "default" && h("span", foreign(job.queue)),
    Object.entries(job.labels ?? {}).slice(0, 3).map(([name, value]) => h("span.label", foreign(`${name}=${value}`)))));
  fill(row.cells.matter, matterOf(job));
  fill(row.cells.times, h("span", ago(job.created_at)), h("span.dim", ranFor(job)));
}

function ranFor(job) {
  if (!job.started_at) return "";
  return job.finished_at ? durationText(spanOf(job.started_at, job.finished_at)) : since(job.started_at);
}
