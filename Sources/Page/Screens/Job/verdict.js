import { durationText, specDurationText } from "../../Basics/durations.js";
import { spanOf } from "../../Basics/times.js";
import { writeJSON } from "../../Basics/lossless-json.js";
import { rootAddress } from "../../Basics/operation-address.js";
import { shortened } from "../../Basics/visible-text.js";
import { deliveryLine } from "../../Parts/delivery.js";
import { progressBar, withJobLinks } from "../../Parts/job-words.js";
import { plainWords, upstreamMessage } from "../../Parts/upstream-words.js";
import { signalButton } from "../../Parts/signal-form.js";
import { routeHref } from "../../Shell/route.js";
import { foreign, h } from "../../View/dom.js";
import { codeView, looksLikeJSON } from "../../View/code-view.js";
import { icon } from "../../View/icons.js";
import { jobStates, stateShape } from "../../View/states.js";
import { left, since } from "../../View/time-text.js";
import { mayWrite } from "../../Wire/session.js";
import { callbackViews } from "./callback-view.js";
import { groupProgress, lastCall } from "./group-words.js";

// The sentence that matters first: what came of the job, or why it is where it is and what ends that.

const stops = {
  attempts: "All attempts are used up.", budget: "The time for retries was over.",
  policy: "Errors of this kind are not tried again.",
  unsafe_method: "It was not repeated, since a repeat could act twice.", cancelled: "The job was stopped.",
  breaker: "The upstream failed too often: its circuit is open.", receiver: "The upstream asked not to be called again.",
};

/**
 * The card at the top of a job. `calls` are the calls that are known, by operation and attempt; `queued` and `idle` are the
 * milliseconds before its start, and in which no attempt was in flight, when they matter.
 */
export function verdictCard(job, explanation, calls, again, { queued, idle }) {
  const tone = jobStates[job.state]?.tone ?? "idle";
  const body = job.done ? (job.state === "succeeded" ? goodEnd(job, calls) : badEnd(job, calls)) : waits(job, explanation, calls, again);
  // What was said at the submission matters until the job is over.
  return h("section.verdict", { class: `tone-${tone}` }, h("div.verdict-sign", stateShape(job.state, 22)), h("div.verdict-body", body,
    queued > 0 && h("p.dim.small", `It waited ${durationText(queued)} for its start.`),
    idle > 0 && h("p.dim.small", `No attempt was in flight for ${durationText(idle)} of that.`),
    !job.done && (job.warnings ?? []).map((warning) => h("p.warning-line.tone-warn", icon("warning"), h("span",
      warning.operation && warning.operation !== rootAddress && h("b", foreign(warning.operation), ": "), foreign(warning.detail))))));
}

/** The call in a line: `PUT URL → 500 after 3 attempts in 431 ms`. */
function callLine(job, calls, error) {
  const operation = error?.operation ?? rootAddress;
  // Of a very long job not all events are known.
  const call = lastCall(calls, operation) ?? (operation === (job.error?.operation ?? rootAddress) ? job.call : undefined);
  if (!call?.url) return null;
  const status = error ? error.upstream?.status ?? error.code : job.result?.status;
  const attempts = error?.attempt ?? job.attempt;
  const took = operation === rootAddress && job.done && durationText(spanOf(job.started_at, job.finished_at));
  return h("p.call-line", h("b.method", call.method), foreign(call.url), status && [" → ", h("b", { class: error ? "tone-bad" : "tone-good" }, status)],
    attempts > 1 && ` after ${attempts} attempts`, took && ` in ${took}`);
}

/** How far the members of a job are. */
function membersLine(job) {
  const group = groupProgress(job);
  if (!group) return null;
  return h("p.members-line", { class: group.failed || !job.done ? "matters" : "" }, !job.done && h("progress", { max: group.total, value: group.done, "aria-label": "Progress" }),
    h("span", group.words.map((words, index) => [index > 0 && " · ", words.endsWith(" failed")
      ? h("a.tone-bad.strong", { href: routeHref(["jobs", job.id, "operations"], { state: "failed" }) }, words) : words])));
}

function goodEnd(job, calls) {
  const result = job.result;
  const took = durationText(spanOf(job.started_at, job.finished_at));
  return [
    callLine(job, calls),
    h("h2", "It succeeded", took && ` in ${took}`, job.attempt > 1 && `, at attempt ${job.attempt}`, "."),
    membersLine(job),
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

function badEnd(job, calls) {
  const error = job.error;
  if (!error) return h("h2", `It is ${job.state}.`);
  const others = (job.errors?.length ?? 1) - 1;
  return [
    errorView(error, calls, job),
    membersLine(job),
    others > 0 && h("details.more-errors", h("summary", others === 1 ? "One more error" : `${others} more errors`),
      job.errors.slice(1, 50).map((each) => errorView(each, calls, job))),
  ];
}

/** An error: what happened, where, what to do, and whether a repeat is safe. */
export function errorView(error, calls, job) {
  const operation = error.operation ?? rootAddress;
  const method = lastCall(calls, operation)?.method;
  const message = upstreamMessage(error);
  const detail = plainWords(error.detail ?? "");
  const place = [operation !== rootAddress && ["in ", h("a.strong", { href: routeHref(["jobs", job.id, "attempts"], { operation }) }, foreign(operation))], error.phase && `while: ${phases[error.phase] ?? error.phase}`,
    error.attempt ? `attempt ${error.attempt}` : null].filter(Boolean);
  const remedy = error.published_error?.recovery_suggestion;
  return h("div.error-view",
    callLine(job, calls, error),
    h("h2", foreign(error.title), message && [": ", foreign(shortened(message, 200))]),
    h("p", withJobLinks(detail)),
    remedy && !detail.includes(remedy) && h("p", h("b", "What to do: "), foreign(remedy)),
    h("p.dim.small", h("a", { href: routeHref(["jobs"], { state: "failed,expired", "error.code": error.code }), title: "All that failed with this error" }, h("code", error.code)), place.map((each) => [" · ", each]),
      error.retry_stopped_by && [" · ", stops[error.retry_stopped_by] ?? error.retry_stopped_by]),
    error.delivery && deliveryLine(error.delivery, method),
    error.upstream?.body_excerpt && h("div.excerpt",
      h("p.dim.small", "Its answer"),
      codeView(error.upstream.body_excerpt, { json: looksLikeJSON(error.upstream.body_excerpt), label: "answer of the upstream" })));
}

const phases = {
  line: "waiting for a connection", dns: "looking up the name", connect: "connecting", tls: "agreeing on TLS", send: "sending the request",
  wait: "waiting for the answer", receive: "receiving the answer", expect: "looking at the answer",
};

function waits(job, explanation, calls, again) {
  const wait = job.waiting_on?.[0];
  const causes = explanation?.waiting_on ?? [];
  const signals = new Set((job.waiting_on ?? []).filter((each) => each.kind === "signal").map((each) => each.signal));
  const held = causes.find((cause) => cause.kind === "hold");
  const until = wait?.estimated_until ?? causes[0]?.estimated_until;
  const begun = wait?.since ?? causes[0]?.since;
  const isSure = ["time", "origin"].includes(wait?.kind ?? causes[0]?.kind);
  const queues = new Set((job.waiting_on ?? []).filter((each) => each.kind === "queue").map(() => job.queue));
  const origins = (job.waiting_on ?? []).filter((each) => each.kind === "origin");
  const blocks = (explanation?.operations ?? []).filter((operation) => operation.operation !== rootAddress && operation.state !== "running" && operation.waiting_on?.some(isOwnCause));
  return [
    h("h2", withJobLinks(plainWords(explanation?.summary ?? wait?.detail ?? `The job is ${job.state}.`))),
    held ? h("p", mayWrite() ? "It goes on when a person releases it." : foreign(plainWords(explanation.next)))
      : explanation?.next && h("p", foreign(plainWords(explanation.next))),
    membersLine(job),
    until && h("p.countdown", icon("clock"), isSure ? "Goes on in " : "At the latest in ", h("b", left(until)), begun && h("span.dim", "(waiting for ", since(begun), ")")),
    job.progress && h("p", progressBar(job.progress)),
    callbackViews(explanation),
    signals.size > 0 && mayWrite() && h("p.row", [...signals].map((name) => signalButton(job.id, name, again))),
    origins.length > 0 && h("p", h("a", { href: routeHref(["origins"]) }, "See the origin, or reset it")),
    [...queues].map((queue) => h("p", h("a", { href: routeHref(["queues", queue]) }, "See the queue ", foreign(queue)))),
    blocks.length > 1 && h("ul.blocks", blocks.slice(0, 6).map((operation) => h("li",
      stateShape(operation.state, 14), h("b", foreign(operation.operation)), h("span.dim", foreign(plainWords(operation.waiting_on.find(isOwnCause).detail))),
      operation.waiting_on[0].estimated_until && h("span", left(operation.waiting_on[0].estimated_until)))),
      blocks.length > 6 && h("li.dim", `and ${blocks.length - 6} more`)),
    job.last_error && h("details.last-error", h("summary", "Why the last attempt failed: ", h("span.tone-bad.strong", foreign(job.last_error.title))),
      errorView(job.last_error, calls, job)),
    job.start_by && !job.started_at && h("p.dim.small", "It expires unless it is started in ", left(job.start_by, "a moment")),
    job.finish_by && h("p.dim.small", "It fails unless it has ended in ", left(job.finish_by, "a moment")),
  ];
}

/** What an operation waits for by itself, rather than for others. */
function isOwnCause(cause) { return !["dependency", "members", "group"].includes(cause.kind); }

/** Times of the spec for people. */
export function settingText(value) {
  if (value === null) return "none";
  if (typeof value === "object") return writeJSON(value);
  return typeof value === "string" ? specDurationText(value) : String(value);
}
