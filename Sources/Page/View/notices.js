import { fill, h } from "./dom.js";
import { icon, iconButton } from "./icons.js";

const place = h("div.notices", { role: "status", "aria-live": "polite" });

/** The place where notices appear. */
export function noticePlace() { return place; }

/** Says something for a few seconds, also to screen readers; `tone` is good, bad or plain. */
export function say(text, tone = "plain") {
  const notice = h("div.notice", { class: `tone-${tone}` },
    icon(tone === "bad" ? "warning" : tone === "good" ? "check" : "info"), h("span", text),
    h("button.quiet", { "aria-label": "Close", onclick: () => notice.remove() }, icon("cross", 14)));
  place.append(notice);
  while (place.children.length > 4) place.firstChild.remove();
  setTimeout(() => notice.remove(), tone === "bad" ? 9000 : 3500);
}

/** Says why something did not work. */
export function sayProblem(problem) {
  say(problem.detail ?? problem.message ?? String(problem), "bad");
}

/** A panel with what went wrong, and what to do. */
export function problemPanel(problem, again) {
  return h("div.problem-panel", { role: "alert" },
    h("div.problem-icon", icon("warning", 22)),
    h("div",
      h("h2", problem.title ?? "Something went wrong"),
      h("p", problem.detail ?? problem.message),
      problem.code && h("p.dim.small", h("code", problem.code),
        problem.requestID && [" · request ", h("code", problem.requestID)]),
      again && h("p", iconButton("retry", "Try again", again))));
}

/** A panel for a list without entries. */
export function emptyPanel(name, title, ...content) {
  return h("div.empty-panel", icon(name, 28), h("h2", title), content);
}

/** The panel while something is read for the first time. */
export function loadingPanel() {
  return h("div.loading-panel", { role: "status" }, h("span.visually-hidden", "Loading"),
    [1, 2, 3, 4].map(() => h("div.bone")));
}

/** Shows in `element` what `make` gives, or the problem that it throws, unless something else is shown there by then. */
export async function showOrExplain(element, make, again) {
  const turn = element.turn = {};
  let content;
  try { content = await make(); } catch (problem) { content = problemPanel(problem, again); }
  if (element.turn === turn) fill(element, content);
}
