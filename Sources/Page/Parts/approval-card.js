import { byWhom, foreign, h } from "../View/dom.js";
import { codeView, looksLikeJSON } from "../View/code-view.js";
import { facts } from "../View/facts.js";
import { iconButton } from "../View/icons.js";
import { say } from "../View/notices.js";
import { pill } from "../View/states.js";
import { ago, left } from "../View/time-text.js";
import { writeJSON } from "../Basics/lossless-json.js";
import { rootAddress } from "../Basics/operation-address.js";
import { byteText } from "../Basics/visible-text.js";
import { routeHref } from "../Shell/route.js";
import { send } from "../Wire/api.js";
import { mayWrite } from "../Wire/session.js";

const verdicts = {
  open: ["wait", "clock", "Open"], approved: ["good", "check", "Approved"], rejected: ["bad", "cross", "Rejected"],
  expired: ["idle", "cross", "Expired"], withdrawn: ["idle", "cross", "Withdrawn"],
};

/** What a job asks people: the exact request that will be sent, and the answer. `then` is called after one was given. */
export function approvalCard(approval, then, { showsJob = true } = {}) {
  const comment = h("input", { placeholder: "Comment (kept with the answer)", maxlength: 1000, "aria-label": "Comment" });
  const trouble = h("p.trouble", { role: "alert", hidden: true });
  const answer = (verb, done) => async (event) => {
    const buttons = event.target.closest(".answer").querySelectorAll("button");
    for (const button of buttons) button.disabled = true;
    try {
      // The digest is that of the request shown here: another request is not approved by mistake.
      await send("POST", `/v1/approvals/${approval.id}:${verb}`, {
        json: { digest: approval.digest, ...(comment.value.trim() ? { comment: comment.value.trim() } : {}) },
      });
      say(done, "good");
      window.dispatchEvent(new Event("decided"));
      then();
    } catch (problem) {
      trouble.textContent = problem.detail;
      trouble.hidden = false;
      for (const button of buttons) button.disabled = false;
    }
  };
  const isOpen = approval.state === "open";
  return h("article.approval",
    h("header",
      h("h2", foreign(approval.prompt)),
      pill(verdicts, approval.state)),
    requestView(approval.request),
    facts(
      showsJob && ["Job", h("a", { href: routeHref(["jobs", approval.job_id]) }, approval.operation && approval.operation !== rootAddress ? foreign(approval.operation) : approval.job_id)],
      approval.audience && ["For", foreign(approval.audience)],
      ["Asked", ago(approval.created_at)],
      isOpen && approval.expires_at && ["Unanswered", [approval.on_timeout === "continue" ? "it goes on in " : "it fails in ", left(approval.expires_at)]],
      !isOpen && approval.closed_at && ["Answered", [ago(approval.closed_at), byWhom(approval.decided_by)]],
      approval.comment && ["Comment", foreign(approval.comment)]),
    isOpen && mayWrite() && h("div.answer", comment,
      iconButton("check", "Approve", answer("approve", "Approved"), "good-action"),
      iconButton("cross", "Reject", answer("reject", "Rejected"), "danger")),
    trouble);
}

/** A request as it will be sent. */
export function requestView(request) {
  if (!request.method) {
    return h("div.request", h("p", "An operation of type ", h("code", request.type), "."),
      request.members && codeView(writeJSON(request.members), { json: true, label: "members" }));
  }
  const headers = Object.entries(request.headers ?? {});
  const body = request.body;
  return h("div.request",
    h("p.request-line", h("b.method", request.method), foreign(request.url)),
    headers.length > 0 && h("div.header-lines", headers.map(([name, value]) =>
      h("div", h("span.dim", foreign(name), ": "), foreign(value)))),
    body && codeView(body, { json: looksLikeJSON(body, request.headers?.["content-type"]), label: "body" }),
    body !== undefined && request.body_bytes > new TextEncoder().encode(body).length &&
      h("p.dim.small", `The beginning of ${byteText(request.body_bytes)}.`));
}
