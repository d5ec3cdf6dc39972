import { countText, shortened } from "../../Basics/visible-text.js";
import { askForBulk } from "../../Parts/bulk-form.js";
import { callView } from "../../Parts/call-view.js";
import { plainWords, upstreamMessage } from "../../Parts/upstream-words.js";
import { routeHref } from "../../Shell/route.js";
import { foreign, h } from "../../View/dom.js";
import { iconButton } from "../../View/icons.js";
import { barLine } from "../../View/sparkline.js";
import { ago } from "../../View/time-text.js";
import { mayWrite } from "../../Wire/session.js";

/** The address of the list of the jobs of a group of failures. */
export function failuresHref({ code, host, name, retry: { filter } }) {
  return routeHref(["jobs"], { state: "failed,expired", "error.code": code, host, name, from: filter.finished_from, to: filter.finished_to });
}

/** Failures in groups that have error, upstream and name in common, those with most first. */
export function failuresView({ groups, other }, then) {
  return h("ol.failures", groups.map((group) => failureRow(group, then)),
    other && h("li.small.failures-other", h("span.dim", `${countText(other.count)} more in smaller groups`), h("a", { href: routeHref(["jobs"], { state: "failed,expired" }) }, "All that failed")));
}

function failureRow(group, then) {
  const { count, newest } = group;
  const said = upstreamMessage({ upstream: { body_excerpt: newest?.message } }) ?? newest?.title ?? group.code;
  const jobs = count === 1 ? "one" : `all ${countText(count)}`;
  return h("li.failure",
    h("div.failure-what",
      h("p.failure-title", newest?.status && h("b.tone-bad", `${newest.status} `), h("a.strong", { href: failuresHref(group), title: newest?.detail && plainWords(newest.detail) }, foreign(shortened(said, 160)))),
      h("p.failure-where.dim.small", newest?.url ? callView(newest) : group.host && h("b", foreign(group.host)), h("span.nowrap", foreign(group.name)), h("code.nowrap", group.code))),
    barLine(group.counts, { label: `${countText(count)} over time`, tone: "bad" }),
    h("p.failure-count", h("b", countText(count)), h("span.dim.small", count === 1 ? "once" : "times")),
    h("p.failure-seen.small", group.last_at && h("span", h("span.dim", "last "), ago(group.last_at)), count > 1 && group.first_at && h("span.dim", "first ", ago(group.first_at))),
    h("div.failure-do", newest && h("a.button", { href: routeHref(["jobs", newest.job]) }, "Newest"),
      mayWrite() && iconButton("retry", `Retry ${jobs}`, () => askForBulk("retry", { filter: group.retry.filter }, 0, then))));
}
