import { countText } from "../Basics/visible-text.js";
import { goTo, routeHref } from "../Shell/route.js";
import { confirmDialog } from "../View/dialogs.js";
import { foreign, h } from "../View/dom.js";
import { say, sayProblem } from "../View/notices.js";
import { stateMark } from "../View/states.js";
import { get, send } from "../Wire/api.js";
import { jobActions, reasonField } from "../Wire/job-actions.js";

/**
 * Asks for a bulk action on jobs, which are `ids` or those of a `filter`, and shows first how many they are and some of
 * them. `skipped` more were selected that it does not fit. `then` is called when it was done; a long one has a screen.
 */
export async function askForBulk(name, target, skipped, then) {
  const { label, text, tone = "primary", asksReason } = jobActions[name];
  const request = { action: name, ...target };
  let preview;
  try { preview = (await send("POST", "/v1/bulk", { json: request, query: { validate_only: "true" } })).data; } catch (problem) { sayProblem(problem); return; }
  const { count, samples } = preview;
  const reason = asksReason ? reasonField() : undefined;
  const whole = count === 1 ? "one job" : `${countText(count)} jobs`;
  confirmDialog({
    title: `${label} ${whole}?`, action: `${label} ${countText(count)}`, tone, fields: [
      h("ul.samples", samples.map((job) => h("li", stateMark(job.state), foreign(job.name ?? job.id))),
        count > samples.length && h("li.dim", `and ${countText(count - samples.length)} more`)), reason],
    text: [text, skipped > 0 && h("span.dim", ` Not for ${skipped} selected jobs: they stay as they are.`)],
    act: async () => {
      const said = reason?.input.value.trim();
      // Exactly those that were shown: when another number passes by now, nothing is done.
      const { data } = await send("POST", "/v1/bulk", { json: { ...request, expected_count: count, ...(said ? { reason: said } : {}) } });
      let bulk = data;
      for (let tries = 0; bulk.state === "running" && tries < 8; tries += 1) {
        await new Promise((done) => { setTimeout(done, 150); });
        bulk = await get(`/v1/bulk/${bulk.id}`);
      }
      then();
      if (bulk.outcomes.done < count) goTo(["bulk", bulk.id]);
      else say([`${label}: ${whole}. `, h("a", { href: routeHref(["bulk", bulk.id]) }, "Results")], "good");
    },
  });
}
