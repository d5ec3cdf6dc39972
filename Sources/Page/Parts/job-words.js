import { writeJSON } from "../Basics/lossless-json.js";
import { plainWords, upstreamMessage } from "./upstream-words.js";
import { byteText, countText, shortened, visibleText } from "../Basics/visible-text.js";
import { routeHref } from "../Shell/route.js";
import { foreign, h } from "../View/dom.js";
import { left } from "../View/time-text.js";

/** What matters about a job, in one line. `hrefWith` is the address of a list with one more filter. */
export function matterOf(job, hrefWith) {
  if (job.state === "succeeded") return resultLine(job.result);
  const error = job.error ?? job.last_error;
  if (job.done && error) {
    const isBad = job.state === "failed" || job.state === "expired";
    const message = upstreamMessage(error);
    const status = error.upstream?.status;
    return [
      h("span.matter-text", { class: isBad ? "tone-bad" : "tone-idle", title: error.title }, status && message && h("b", `${status} `), foreign(shortened(message ?? error.title, 160))), " ",
      hrefWith ? h("a.code-link.dim", { href: hrefWith("error.code", error.code), title: "All with this error" }, error.code) : h("code.dim", error.code)];
  }
  if (job.state === "scheduled" && job.run_at) return ["Starts in ", left(job.run_at)];
  const wait = job.waiting_on?.[0];
  if (wait) {
    const more = job.waiting_on.length - 1;
    const isSure = ["time", "origin"].includes(wait.kind);
    return [
      job.last_error && h("span.tone-bad", foreign(shortened(upstreamMessage(job.last_error) ?? job.last_error.title, 80)), " — "),
      h("span", foreign(shortened(plainWords(wait.detail ?? wait.kind), 160))),
      wait.estimated_until && h("span.dim.nowrap", isSure ? " in " : " within ", left(wait.estimated_until)),
      more > 0 && h("span.dim", ` and ${more} more`),
    ];
  }
  if (job.progress) return progressBar(job.progress);
  if (job.state === "running" && job.max_attempts > 1) return h("span.dim", `Attempt ${job.attempt} of ${job.max_attempts}`);
  return "";
}

/** A text of the server in which ids of jobs are links. */
export function withJobLinks(text) {
  return text.split(/(job_[0-9a-z]{26})/).map((part, index) => (index % 2 ? h("a", { href: routeHref(["jobs", part]) }, part) : foreign(part)));
}

/** How far a job is. */
export function progressBar(progress) {
  const text = progress.total
    ? `${amount(progress.done, progress.unit)} of ${amount(progress.total, progress.unit)}`
    : amount(progress.done, progress.unit);
  return h("span.progress",
    progress.percent !== undefined && h("progress", { max: 100, value: progress.percent, "aria-label": "Progress" }),
    h("span", progress.percent !== undefined ? `${progress.percent} %` : "", " ", h("span.dim", text)));
}

function amount(count, unit) {
  return unit === "bytes" ? byteText(count) : `${countText(count)}${unit ? ` ${unit}` : ""}`;
}

function sizeLine({ status, bytes, content_type: type }) {
  return [status && `answered ${status}`, bytes > 0 && byteText(bytes), type && shortened(type.split(";")[0], 40)].filter(Boolean).join(" · ");
}

function resultLine(result) {
  if (!result) return "";
  if (result.inline !== undefined && result.inline !== null) {
    const text = typeof result.inline === "string" ? result.inline : writeJSON(result.inline);
    return h("span.dim", { title: visibleText(shortened(text, 600)) }, sizeLine(result));
  }
  return h("span.dim", sizeLine(result));
}
