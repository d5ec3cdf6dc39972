import { spanOf } from "../../Basics/times.js";
import { durationText, shortDuration } from "../../Basics/durations.js";
import { visibleText } from "../../Basics/visible-text.js";
import { callView } from "../../Parts/call-view.js";
import { matterOf } from "../../Parts/job-words.js";
import { routeHref } from "../../Shell/route.js";
import { fill, foreign, h } from "../../View/dom.js";
import { icon } from "../../View/icons.js";
import { stateMark } from "../../View/states.js";
import { ago, since } from "../../View/time-text.js";
import { mayWrite } from "../../Wire/session.js";
import { attemptDots, durationShare } from "./list-model.js";

/** A row of the list, with a place to tick it. `hrefWith` is the address of the list with one more filter. */
export function jobRow(job, onPick, hrefWith) {
  const box = h("input", { type: "checkbox", onchange: () => onPick(job.id, box.checked) });
  const row = h("li.job-row", { "data-id": job.id }, mayWrite() && h("label.pick", box));
  row.box = box;
  row.link = h("a.job-link", { href: routeHref(["jobs", job.id]) });
  row.hrefWith = hrefWith;
  row.cells = Object.fromEntries(["state", "name", "call", "matter", "dots", "took", "times"].map((name) => [name, h(`div.job-${name}`)]));
  row.append(...Object.values(row.cells));
  return row;
}

/** Brings a row to what is known of its job now; its time is that of its end where that is asked for. */
export function tellRow(row, job, isPicked, tellsEnd) {
  row.box.checked = isPicked;
  row.classList.toggle("picked", isPicked);
  row.classList.toggle("has-left", Boolean(job.hasLeft));
  if (job.hasLeft) row.title = "It no longer passes the filters; it is shown because it is selected."; else row.removeAttribute("title");
  const signature = `${job.revision}/${job.state}/${job.progress?.done ?? ""}/${tellsEnd}`;
  if (row.signature === signature) return;
  row.signature = signature;
  row.box.setAttribute("aria-label", `Select ${job.name}`);
  fill(row.link, foreign(job.name ?? job.id));
  fill(row.cells.state, stateMark(job.state));
  fill(row.cells.name, row.link, h("span.job-sub",
    job.queue !== "default" && h("span", foreign(job.queue)),
    job.labels?.schedule && h("span.job-sign", { title: visibleText(`Made by the schedule ${job.labels.schedule}`) }, icon("schedules", 13)),
    Object.entries(job.labels ?? {}).filter(([name]) => name !== "schedule").slice(0, 2).map(([name, value]) => h("span.label", foreign(`${name}=${value}`)))));
  fill(row.cells.call, job.call && callView(job.call, (host) => row.hrefWith("host", host)));
  fill(row.cells.matter, matterOf(job, row.hrefWith));
  fill(row.cells.dots, dotsOf(job));
  fill(row.cells.took, tookOf(job));
  fill(row.cells.times, ago(tellsEnd ? job.finished_at ?? job.created_at : job.created_at));
}

function dotsOf(job) {
  const dots = attemptDots(job);
  if (!dots) return null;
  return h("span.dots", { role: "img", "aria-label": `Attempt ${job.attempt} of ${job.max_attempts}`, title: `Attempt ${job.attempt} of ${job.max_attempts}` },
    dots.more > 0 && `+${dots.more}`, Array.from({ length: dots.failed }, () => h("i.tone-bad")),
    dots.last && h("i", { class: `tone-${dots.last === "succeeded" ? "good" : dots.last === "running" ? "run is-open" : "idle"}` }));
}

function tookOf(job) {
  if (!job.started_at) return null;
  const span = job.finished_at ? spanOf(job.started_at, job.finished_at) : undefined;
  return [h("span", { title: span === undefined ? undefined : durationText(span) }, span === undefined ? since(job.started_at) : shortDuration(span)),
    span !== undefined && h("i.took-bar", { "aria-hidden": "true", style: { width: `${Math.round(durationShare(span) * 100)}%` } })];
}
