import { fullTimeText } from "../../Basics/times.js";
import { h } from "../../View/dom.js";
import { jobStates } from "../../View/states.js";

/** Planned times of the past as ticks, the oldest first: each in the tone of its end, low where there was no job. */
export function outcomeTicks(occurrences) {
  if (!occurrences?.length) return h("span.dim", "–");
  const counts = {};
  const words = (each) => (each.skipped ? `no job: ${each.skipped}` : each.job_state ?? "erased");
  for (const each of occurrences) counts[words(each)] = (counts[words(each)] ?? 0) + 1;
  return h("span.ticks", { role: "img", "aria-label": `The last ${occurrences.length}: ${Object.entries(counts).map(([word, count]) => `${count} ${word}`).join(", ")}` },
    occurrences.toReversed().map((each) => h("i", {
      class: `tone-${each.skipped ? "idle" : jobStates[each.job_state]?.tone ?? "idle"} ${each.skipped ? "is-low" : ""}`, title: `${words(each)}\n${fullTimeText(each.scheduled_for)}`,
    })));
}
