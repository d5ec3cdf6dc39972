import { urlParts } from "../Basics/call-urls.js";
import { countText } from "../Basics/visible-text.js";
import { goTo, routeHref } from "../Shell/route.js";
import { confirmDialog } from "../View/dialogs.js";
import { foreign, h } from "../View/dom.js";
import { icon } from "../View/icons.js";
import { say, sayProblem } from "../View/notices.js";
import { stateMark } from "../View/states.js";
import { matterOf } from "./job-words.js";
import { get, send } from "../Wire/api.js";
import { jobActions, reasonField } from "../Wire/job-actions.js";

/**
 * Asks for a bulk action on jobs, which are `ids` or those of a `filter`, and shows first how many they are and some of
 * them. `skipped` more were selected that it does not fit; `known` are those that are shown by the list. `then` is called when it was done; a long one has a screen.
 */
export async function askForBulk(name, target, skipped, then, known = []) {
  const { label, text, tone = "primary", asksReason } = jobActions[name];
  const request = { action: name, ...target };
  let preview;
  try { preview = (await send("POST", "/v1/bulk-actions", { json: request, query: { validate_only: "true" } })).data; } catch (problem) { sayProblem(problem); return; }
  const { count, samples } = preview;
  const risks = name === "retry" || name === "requeue" ? riskWords(known.length === count ? known : samples, count) : undefined;
  const reason = asksReason ? reasonField() : undefined;
  const whole = count === 1 ? "one job" : `${countText(count)} jobs`;
  confirmDialog({
    title: `${label} ${whole}?`, action: `${label} ${countText(count)}`, tone, fields: [
      h("ul.samples", samples.map((job) => h("li", stateMark(job.state), foreign(job.name ?? job.id), h("span.sample-matter", matterOf(job)))),
        count > samples.length && h("li.dim", `and ${countText(count - samples.length)} more`)), risks ? h("p.warning-line.tone-warn", icon("warning"), h("span", risks)) : undefined, reason],
    text: [text, skipped > 0 && h("span.dim", ` Not for ${skipped} selected jobs: they stay as they are.`)],
    act: async () => {
      const said = reason?.input.value.trim();
      // Exactly those that were shown: when another number passes by now, nothing is done.
      const { data } = await send("POST", "/v1/bulk-actions", { json: { ...request, expected_count: count, ...(said ? { reason: said } : {}) } });
      let bulk = data;
      for (let tries = 0; bulk.state === "running" && tries < 8; tries += 1) {
        await new Promise((done) => { setTimeout(done, 150); });
        bulk = await get(`/v1/bulk-actions/${bulk.id}`);
      }
      then();
      if (bulk.by_state.succeeded < count) goTo(["bulk", bulk.id]);
      else say([`${label}: ${whole}. `, h("a", { href: routeHref(["bulk", bulk.id]) }, "Results")], "good");
    },
  });
}

/** What may happen when jobs are run again: how many may act twice, which errors they had, and which upstreams. */
function riskWords(jobs, count) {
  const [unknown, answered] = ["sent_unknown", "answered"].map((delivery) => jobs.filter((job) => job.error?.delivery === delivery).length);
  const most = (textOf) => {
    const counts = new Map();
    for (const job of jobs) { const text = textOf(job); if (text) counts.set(text, (counts.get(text) ?? 0) + 1); }
    return [...counts].sort((one, other) => other[1] - one[1]).slice(0, 3).map(([text, number]) => `${countText(number)} × ${text}`).join(", ");
  };
  const errors = most((job) => job.error?.code);
  const upstreams = most((job) => job.call && urlParts(job.call.url)?.host);
  if (!errors) return "";
  return [unknown && `${countText(unknown)} may have reached the upstream without an answer: they may act twice.`,
    answered && `${countText(answered)} got an answer: look whether the upstream acted.`,
    `Errors: ${errors}.`, upstreams && `Upstreams: ${upstreams}.`, jobs.length < count && `That is of the ${jobs.length} shown.`].filter(Boolean).join(" ");
}
