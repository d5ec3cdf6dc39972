import { durationText } from "../../Basics/durations.js";
import { rootAddress } from "../../Basics/operation-address.js";
import { curlLine } from "../../Basics/shell-words.js";
import { clockText, exactClockText, spanOf } from "../../Basics/times.js";
import { byteText } from "../../Basics/visible-text.js";
import { deliveryLine } from "../../Parts/delivery.js";
import { plainWords } from "../../Parts/upstream-words.js";
import { routeHref } from "../../Shell/route.js";
import { fill, foreign, h, keyed, refill } from "../../View/dom.js";
import { codeView, looksLikeJSON } from "../../View/code-view.js";
import { copyCurlButton } from "../../View/copying.js";
import { facts } from "../../View/facts.js";
import { icon, iconButton } from "../../View/icons.js";
import { emptyPanel, problemPanel, sayProblem } from "../../View/notices.js";
import { left } from "../../View/time-text.js";
import { getText, jobPath } from "../../Wire/api.js";
import { showCompared } from "./attempt-compare-view.js";
import { attemptDifference } from "./attempt-difference.js";
import { operationName } from "./spec-model.js";
import { archiveEntry, readSentCalls, sentCall } from "./sent-calls.js";

const sentAtOnce = 40;
const tones = { succeeded: "good", failed: "bad", running: "run", cancelled: "idle", not_done: "wait", interrupted: "wait" };
const phaseNames = { line: "line", dns: "name", connect: "connect", tls: "TLS", send: "send", wait: "wait", receive: "receive" };

/** The attempts of a job, the last first, each with what went over the wire; what is opened stays open when more come. */
export class AttemptList {
  constructor(job) {
    this.job = job;
    this.opened = new Map();
    this.head = h("div.attempts-head");
    this.cards = h("div.attempts");
    this.more = h("p.dim");
    this.element = h("div.attempt-list", this.head, this.cards, this.more);
  }

  /** Shows the attempts, those of an operation only if one is said. `calls` has method and URL of each. */
  tell(job, items, calls, hasMore, operation, elements) {
    this.job = job;
    this.elements = elements;
    this.items = items;
    this.calls = calls;
    if (!items.length) {
      fill(this.head);
      fill(this.cards, emptyPanel("retry", "No attempts yet", h("p", "An attempt is one try of a call. Delays, waits and groups have none.")));
      this.cards.keyedChildren = undefined;
      return;
    }
    refill(this.head,
      operation !== undefined ? h("p", "Those of ", h("b", foreign(operation === rootAddress ? job.name : operationName({ name: operation, operation }, elements))), ". ", h("a", { href: routeHref(["jobs", job.id, "attempts"]) }, "All attempts"))
        : null,
      items.some((item) => item.timing_ms) && Object.assign(iconButton("download", "HAR", () => saveArchive(job)), { title: "The calls of these attempts for a browser's tools. Times are those of this server; what is not known is left out." }));
    const at = document.activeElement?.closest?.(".attempt")?.dataset.key;
    if (!this.opened.size) this.opened.set(keyOfAttempt(items.at(-1)), true);
    keyed(this.cards, [...items].reverse(), (item) => `${keyOfAttempt(item)}/${item.state}/${item.next_attempt_at ?? ""}`, (item) => this.card(item));
    for (const card of this.cards.children) if (card.dataset.key === at && !card.contains(document.activeElement)) card.firstChild.focus({ preventScroll: true });
    this.readSent();
    fill(this.more, hasMore ? `The first ${items.length} attempts are shown; the HAR file has all.` : "");
  }

  /** Shows the URLs that were sent where the spec has a template. */
  readSent() {
    const cards = new Map([...this.cards.children].slice(0, sentAtOnce).map((card) => [card.dataset.key, card]));
    const asked = this.items.filter((item) => item.timing_ms && cards.has(keyOfAttempt(item)) && !sentCall(this.job, item) && this.calls.get(keyOfAttempt(item))?.url.includes("{"));
    readSentCalls(this.job, asked, (item, call) => fill(cards.get(keyOfAttempt(item)).called, h("b.method", call.method), foreign(call.url)));
  }

  card(item) {
    const at = this.items.indexOf(item);
    const before = this.items.slice(0, at).findLast((each) => each.operation === item.operation);
    return attemptCard(this, item, before, sentCall(this.job, item) ?? this.calls.get(keyOfAttempt(item)));
  }
}

const keyOfAttempt = ({ operation, number }) => `${operation}#${number}`;

function attemptCard(list, attempt, before, call) {
  const { job, opened } = list;
  const { operation } = attempt;
  const key = keyOfAttempt(attempt);
  const isOpen = opened.get(key) ?? false;
  const tone = tones[attempt.state] ?? "idle";
  const took = attempt.finished_at ? durationText(attempt.timing_ms?.total ?? spanOf(attempt.started_at, attempt.finished_at)) : "";
  const wire = h("div.wire");
  const called = h("span.attempt-call", call?.method && h("b.method", call.method), foreign(call?.url ?? (operation === rootAddress ? job.name : operation)));
  let isRead = false;
  const read = async () => {
    if (isRead) return;
    isRead = true;
    try {
      const entry = await archiveEntry(job, attempt);
      if (!entry) return;
      fill(called, h("b.method", entry.request.method), foreign(entry.request.url));
      fill(wire, wireView(entry));
    } catch (problem) {
      isRead = false;
      fill(wire, problemPanel(problem, read));
    }
  };
  const compare = async () => {
    try { showCompared(...await Promise.all([before, attempt].map(async (each) => [each, await archiveEntry(job, each)]))); } catch (problem) { sayProblem(problem); }
  };
  const difference = before ? attemptDifference(attempt, before) : [];
  const card = h("details.attempt", { open: isOpen, "data-key": key, ontoggle: () => { opened.set(key, card.open); if (card.open && attempt.timing_ms) read(); } },
    h("summary",
      h("span.attempt-number", `#${attempt.number}`),
      h("span.pill", { class: `tone-${tone}` }, attempt.status ? String(attempt.status) : attempt.state.replaceAll("_", " ")),
      called,
      h("span.attempt-when", took && h("span", took), h("span.dim", { title: attempt.started_at }, exactClockText(attempt.started_at)))),
    h("div.attempt-body",
      operation !== rootAddress && h("p.small", h("span.dim", "Operation "), h("b", foreign(operationName({ name: operation, operation }, list.elements)))),
      attempt.error && h("div.attempt-error", h("p.tone-bad.strong", foreign(attempt.error.title)),
        h("p", foreign(plainWords(attempt.error.detail ?? "")))),
      deliveryLine(attempt.delivery, call?.method, attempt.state === "succeeded"),
      attempt.retried && attempt.next_attempt_at && !job.done && h("p.small", "Tried again in ", left(attempt.next_attempt_at, "a moment")),
      difference.length > 0 && h("p.small.difference", h("span.dim", "Unlike the attempt before: "), difference.join(" · ")),
      before && attempt.timing_ms && h("p.row", h("button", { onclick: compare }, icon("compare"), `Compare with #${before.number}`)),
      attempt.timing_ms && phaseBar(attempt.timing_ms),
      attempt.timing_ms && facts(
        ["Address", attempt.peer && [h("code", attempt.peer), attempt.used_proxy ? " (a proxy)" : ""]],
        ["Protocol", [attempt.protocol, attempt.tls_version && ` over ${attempt.tls_version}`].filter(Boolean).join("")],
        ["Certificate", attempt.certificate_expires_at && `valid until ${clockText(attempt.certificate_expires_at)}`],
        ["Connection", attempt.reused_connection === undefined ? null : attempt.reused_connection ? "kept from a call before" : attempt.peer ? "a new one" : null],
        ["Sent, received", attempt.bytes_sent === undefined ? null : `${byteText(attempt.bytes_sent ?? 0)}, ${byteText(attempt.bytes_received ?? 0)}`],
        ["Redirects", attempt.redirects ? `${attempt.redirects}, to ${attempt.effective_url}` : null]),
      wire));
  card.called = called;
  if (isOpen && attempt.timing_ms) read();
  return card;
}

function phaseBar(phases) {
  const parts = Object.keys(phaseNames).map((name) => [name, phases[name]]).filter(([, time]) => time > 0);
  if (!parts.length) return null;
  // Below 1 the parts would not fill the bar.
  const all = parts.reduce((sum, [, time]) => sum + time, 0);
  const words = parts.map(([name, time]) => `${phaseNames[name]} ${durationText(time)}`);
  return h("figure.phases", { "aria-label": `Where the time went: ${words.join(", ")}` },
    h("div.phase-bar", { "aria-hidden": "true" }, parts.map(([name, time]) => h("i", { class: `phase-${name}`, style: { "flex-grow": String(100 * time / all) } }))),
    h("figcaption", { "aria-hidden": "true" }, parts.map(([name, time]) => h("span", h("i", { class: `phase-${name}` }), phaseNames[name], " ", h("b", durationText(time))))));
}

/** Request and answer of an attempt. */
function wireView(entry) {
  const { request, response } = entry;
  const line = curlLine({
    method: request.method, url: request.url, body: request.postData?.text,
    headers: request.headers.filter(({ name }) => name.toLowerCase() !== "user-agent").map(({ name, value }) => [name, value]),
  });
  const message = (title, first, headers, body, type) => h("section.message", h("h3", title),
    h("p.request-line", first),
    h("div.header-lines", headers.map(({ name, value }) => h("div", h("span.dim", foreign(name), ": "), foreign(value)))),
    body && codeView(body, { json: looksLikeJSON(body, type), label: `body of the ${title.toLowerCase()}` }));
  return [
    h("p.row", copyCurlButton(line)),
    h("div.messages",
      message("Request", [h("b.method", request.method), foreign(request.url)], request.headers, request.postData?.text, request.postData?.mimeType),
      response.status > 0
        ? message("Answer", [h("b.method", String(response.status)), foreign(response.statusText)], response.headers, response.content?.text, response.content?.mimeType)
        : h("section.message", h("h3", "Answer"), h("p.dim", "None came."))),
  ];
}

async function saveArchive(job) {
  try {
    const text = await getText(jobPath(job.id, "/attempts"), "application/har+json");
    const url = URL.createObjectURL(new Blob([text], { type: "application/har+json" }));
    h("a", { href: url, download: `${job.id}.har` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  } catch (problem) { sayProblem(problem); }
}
