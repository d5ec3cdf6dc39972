import { minuteText } from "../../Basics/times.js";
import { countText } from "../../Basics/visible-text.js";
import { routeHref } from "../../Shell/route.js";
import { foreign, h } from "../../View/dom.js";
import { pill } from "../../View/states.js";
import { jobActions } from "../../Wire/job-actions.js";

const bulkStates = { running: ["run", "retry", "Running"], completed: ["good", "check", "Completed"], cancelled: ["idle", "stop", "Stopped"] };

/** The state of a bulk action. */
export function bulkMark(state) {
  return pill(bulkStates, state);
}

/** What a bulk action does, to how many jobs. */
export function bulkTitle({ request, count }) {
  return `${jobActions[request.action]?.label ?? request.action} ${count === 1 ? "one job" : `${countText(count)} jobs`}`;
}

/** The filter of a bulk action in words, which lead to the jobs that pass it now. */
export function filterLink({ labels = {}, finished_from: from, finished_to: to, ...rest }) {
  const named = Object.entries(labels);
  const query = { ...rest, ...Object.fromEntries(named.map(([name, value]) => [`label.${name}`, value])), ...(from && to ? { from, to } : {}) };
  const words = [...Object.entries(rest).map(([name, value]) => `${name}: ${value}`), ...named.map(([name, value]) => `${name}=${value}`),
    from && `ended from ${minuteText(from)}`, to && `ended before ${minuteText(to)}`].filter(Boolean);
  return h("a", { href: routeHref(["jobs"], query), title: "The jobs that pass this filter now" }, foreign(words.join(" · ") || "all jobs"));
}

/** What became of the jobs so far. */
export function outcomeWords({ succeeded, skipped, failed }) {
  return [`${countText(succeeded)} done`, skipped && `${countText(skipped)} skipped`, failed && `${countText(failed)} failed`].filter(Boolean).join(", ");
}

/** How far a bulk action is. */
export function bulkProgress({ settled, count }) {
  return h("span.progress", h("progress", { max: count || 1, value: settled, "aria-label": "Progress" }), `${countText(settled)} of ${countText(count)}`);
}
