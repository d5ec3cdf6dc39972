import { durationText, isoDurationText } from "../../Basics/durations.js";
import { spanOf } from "../../Basics/times.js";
import { writeJSON } from "../../Basics/lossless-json.js";
import { deliveryLine } from "../../Parts/delivery.js";
import { signalButton } from "../../Parts/signal-form.js";
import { routeHref } from "../../Shell/route.js";
import { foreign, h } from "../../View/dom.js";
import { codeView, looksLikeJSON } from "../../View/code-view.js";
import { icon } from "../../View/icons.js";
import { jobStates, stateShape } from "../../View/states.js";
import { left, since } from "../../View/time-text.js";
import { progressBar } from "../../Parts/job-words.js";
import { mayWrite } from "../../Wire/session.js";

// The sentence that matters first: what came of the job, or why it is where it is and what ends that.

const stops = {
  attempts: "All attempts are used up.", budget: "The time for retries was over.",
  policy: "Errors of this kind are not tried again.",
  unsafe_method: "It was not repeated, since a repeat could act twice.", cancelled: "The job was stopped.",
  breaker: "The upstream failed too often and is left alone.", receiver: "The upstream asked not to be called again.",
};

/** The card at the top of a job. `methods` are those of the calls, by the path of their operation. */
export function verdictCard(job, explanation, methods, again) {
  const tone = jobStates[job.state]?.tone ?? "idle";
  const body = job.done ? (job.state === "succeeded" ? goodEnd(job) : badEnd(job, methods)) : waits(job, explanation, methods, again);
  return h("section.verdict", { class: `tone-${tone}` }, h("div.verdict-sign", stateShape(job.state, 22)), h("div.verdict-body", body,
    (job.warnings ?? []).map((warning) => h("p.warning-line.tone-wait", icon("warning"), foreign(warning.detail)))));
}

function goodEnd(job) {
  const result = job.result;
  const took = durationText(spanOf(job.started_at, job.finished_at));
  return [
    h("h2", "It succeeded", took && ` in ${took}`, job.attempt > 1 && `, at attempt ${job.attempt}`, "."),
    result?.inline !== undefined && result.inline !== null && inlineView(result),
    result && (result.inline === undefined || result.inline === null) && result.bytes > 0 &&
      h("p", h("a", { href: routeHref(["jobs", job.id, "result"]) }, "See the result")),
    result?.unchanged && h("p.dim", "The upstream said that nothing changed since the last good answer."),
  ];
}

function inlineView(result) {
  const isText = typeof result.inline === "string";
  const text = isText ? result.inline : writeJSON(result.inline);
  return codeView(text.length > 4000 ? text.slice(0, 4000) : text,
    { json: !isText || looksLikeJSON(text, result.content_type), label: "result" });
}

function badEnd(job, methods) {
  const error = job.error;
  if (!error) return h("h2", `It is ${job.state}.`);
  const others = (job.errors?.length ?? 1) - 1;
  return [
    errorView(error, methods, job.name),
    others > 0 && h("details.more-errors", h("summary", others === 1 ? "One more error" : `${others} more errors`),
      job.errors.slice(1, 50).map((each) => errorView(each, methods, job.name))),
  ];
}

/** An error: what happened, where, what to do, and whether a repeat is safe. */
export function errorView(error, methods, jobName) {
  const path = (error.path ?? []).slice(1).join("/");
  const method = methods?.get(path || jobName);
  const place = [path && ["in ", h("b", foreign(path))], error.phase && `while: ${phases[error.phase] ?? error.phase}`,
    error.attempt ? `attempt ${error.attempt}` : null].filter(Boolean);
  const remedy = error.published_error?.recovery_suggestion;
  return h("div.error-view",
    h("h2", foreign(error.title)),
    h("p", foreign(error.detail)),
    remedy && !error.detail?.includes(remedy) && h("p", h("b", "What to do: "), foreign(remedy)),
    h("p.dim.small", h("code", error.code), place.map((each) => [" · ", each]),
      error.retry_stopped_by && [" · ", stops[error.retry_stopped_by] ?? error.retry_stopped_by]),
    error.delivery && deliveryLine(error.delivery, method),
    error.upstream?.body_excerpt && h("div.excerpt",
      h("p.dim.small", `The upstream answered ${error.upstream.status}:`),
      codeView(error.upstream.body_excerpt, { json: looksLikeJSON(error.upstream.body_excerpt), label: "answer of the upstream" })));
}

const phases = {
  dns: "looking up the name", connect: "connecting", tls: "agreeing on TLS", send: "sending the request",
  wait: "waiting for the answer", receive: "receiving the answer", expect: "looking at the answer",
};

function waits(job, explanation, methods, again) {
  const wait = job.waiting_on?.[0];
  const causes = explanation?.causes ?? [];
  const signals = new Set((job.waiting_on ?? []).filter((each) => each.kind === "signal").map((each) => each.ref));
  const held = causes.find((cause) => cause.kind === "hold");
  const until = wait?.estimated_until ?? causes[0]?.estimated_until;
  const isSure = ["time", "origin"].includes(wait?.kind ?? causes[0]?.kind);
  const origins = (job.waiting_on ?? []).filter((each) => each.kind === "origin");
  const blocks = (explanation?.operations ?? []).filter((operation) => operation.path !== job.name && operation.causes.some(isOwnCause));
  return [
    h("h2", foreign(explanation?.summary ?? wait?.detail ?? `The job is ${job.state}.`)),
    held ? h("p", mayWrite() ? "It goes on when a person releases it." : foreign(explanation.next))
      : explanation?.next && h("p", foreign(withoutPaths(explanation.next))),
    until && h("p.countdown", icon("clock"), isSure ? "Goes on in " : "At the latest in ", h("b", left(until)), h("span.dim", "(waiting for ", since(wait?.since ?? causes[0]?.since), ")")),
    job.progress && h("p", progressBar(job.progress)),
    signals.size > 0 && mayWrite() && h("p.row", [...signals].map((name) => signalButton(job.id, name, again))),
    origins.length > 0 && h("p", h("a", { href: routeHref(["origins"]) }, "See the origin, or reset it")),
    blocks.length > 1 && h("ul.blocks", blocks.slice(0, 6).map((operation) => h("li",
      stateShape(operation.state, 14), h("b", foreign(operation.path)), h("span.dim", foreign(operation.causes.find(isOwnCause).detail)),
      operation.causes[0].estimated_until && h("span", left(operation.causes[0].estimated_until)))),
      blocks.length > 6 && h("li.dim", `and ${blocks.length - 6} more`)),
    job.last_error && h("details.last-error", h("summary", "Why the last attempt failed: ", h("span.tone-bad.strong", foreign(job.last_error.title))),
      errorView(job.last_error, methods, job.name)),
    job.expires_at && h("p.dim.small", "It ends unless it is started in ", left(job.expires_at, "a moment")),
  ];
}

/** What an operation waits for by itself, rather than for others. */
function isOwnCause(cause) { return !["dependency", "members", "group"].includes(cause.kind); }

function withoutPaths(text) {
  return text.replace(/: POST \/v1\/approvals\/\S+ or :reject\./, ", below.").replace(/: POST \S+\.$/, ".").replace(/ at \d{4}-\S+Z\./, " by itself.");
}

/** Times of the spec for people. */
export function settingText(value) {
  if (value === null) return "none";
  if (typeof value === "object") return writeJSON(value);
  return typeof value === "string" && /^P/.test(value) ? isoDurationText(value) : String(value);
}
