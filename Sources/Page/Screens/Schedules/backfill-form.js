import { countText } from "../../Basics/visible-text.js";
import { memberFields } from "../../Parts/member-fields.js";
import { confirmDialog } from "../../View/dialogs.js";
import { fill, h } from "../../View/dom.js";
import { say } from "../../View/notices.js";
import { send } from "../../Wire/api.js";
import { schedulePath } from "./schedule-parts.js";
import { zonedTimeText } from "./schedule-words.js";

const backfillMembers = [
  ["from", "From (your time)", { type: "datetime-local", required: true }], ["to", "To (your time; now, if empty)", { type: "datetime-local" }],
  ["only", "Planned times", { choices: [["", "without a job"], ["failed", "whose job failed"], ["all", "all"]] }],
  ["concurrency", "Jobs at a time", { type: "number", min: 1, max: 100, placeholder: "1" }],
];

/** Asks for which planned times of the past jobs are made, and shows them first. */
export function askForBackfill(name, then, zone) {
  const form = memberFields(backfillMembers);
  const shown = h("p.dim", { role: "status" });
  const ask = (isPreview) => {
    const said = form.read();
    for (const end of ["from", "to"]) if (said[end]) said[end] = new Date(said[end]).toISOString();
    return send("POST", schedulePath(name, ":backfill"), { json: said, query: { validate_only: isPreview } });
  };
  let latest = 0;
  form.element.addEventListener("input", async () => {
    // An earlier answer may come after a later one.
    const mine = ++latest;
    try {
      const { times, has_more: hasMore } = (await ask(true)).data;
      if (mine !== latest) return;
      fill(shown, `${countText(times.length)}${hasMore ? "+" : ""} planned times would get a job`,
        times.length > 0 && [": ", zonedTimeText(times[0], zone), times.length > 1 && [" to ", zonedTimeText(times.at(-1), zone)]]);
    } catch (problem) { if (mine === latest) fill(shown, problem.detail); }
  });
  confirmDialog({
    title: `Make jobs of ${name} for the past`, action: "Begin", fields: [form.element, shown],
    act: async () => { await ask(); say("The backfill has begun", "good"); then(); },
  });
}
