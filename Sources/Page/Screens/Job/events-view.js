import { exactClockText, fullTimeText } from "../../Basics/times.js";
import { rootAddress } from "../../Basics/operation-address.js";
import { foreign, h } from "../../View/dom.js";
import { emptyPanel } from "../../View/notices.js";

const eventWords = {
  started: "began", attempt_started: "attempt began", attempt_finished: "attempt ended", waiting: "waits", note_added: "noted",
  signal_taken: "took a signal", finished: "ended", cancel_requested: "was asked to stop", retried: "tried again",
  approval_requested: "asked for an approval", approval_expired: "approval expired", signal_received: "got a signal",
  approved: "was approved", rejected: "was rejected", operation_added: "got an operation", held: "was held", released: "was released",
};
const eventTones = {
  approval_expired: "bad", rejected: "bad", cancel_requested: "stop", waiting: "wait", held: "wait", approval_requested: "wait",
};

/** Everything that happened to a job, the last first. */
export function eventsView(events, hasMore, more) {
  if (!events.length) return emptyPanel("clock", "Nothing happened yet", h("p", "The first event is that the job begins."));
  return h("div.events",
    h("ol", [...events].reverse().map((event) => h("li.event", { class: `tone-${toneOf(event)}` },
      h("time", { datetime: event.at, title: fullTimeText(event.at) }, exactClockText(event.at)),
      h("span.event-dot", { "aria-hidden": "true" }),
      h("span.event-text",
        event.operation !== rootAddress && [h("b", foreign(event.operation)), " "],
        eventWords[event.type] ?? event.type, detailOf(event))))),
    hasMore && h("p", h("button", { onclick: more }, "Show later events")));
}

function toneOf(event) {
  if (event.type === "finished" || event.type === "attempt_finished") {
    const end = event.state;
    return end === "succeeded" ? "good" : end === "failed" || end === "expired" ? "bad" : "idle";
  }
  return eventTones[event.type] ?? "idle";
}

function detailOf(event) {
  const parts = [
    event.attempt && `#${event.attempt}`, event.method && `${event.method} ${event.url}`, event.state,
    event.status && `answered ${event.status}`, event.reason && `“${event.reason}”`,
    event.detail?.replace(/^It waits /, "").replace(/\.$/, ""), event.name, event.group && event.group !== rootAddress && `in ${event.group}`, event.error_code, event.comment && `“${event.comment}”`,
    event.until && `until ${exactClockText(event.until)}`, event.next_attempt_at && `again at ${exactClockText(event.next_attempt_at)}`,
    event.abandoned && "its work was left behind", event.by && `by ${event.by}`,
  ].filter(Boolean);
  return parts.length ? [" ", h("span.dim", foreign(parts.join(" · ")))] : null;
}
