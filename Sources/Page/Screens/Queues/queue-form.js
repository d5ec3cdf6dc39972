import { memberFields } from "../../Parts/member-fields.js";
import { confirmDialog, dialogField } from "../../View/dialogs.js";
import { say } from "../../View/notices.js";
import { send } from "../../Wire/api.js";
import { queuePath } from "./queue-parts.js";

const limitField = { type: "number", min: 1, placeholder: "no limit" };
const timeField = { placeholder: "1s, 5m, 1h" };
const limitMembers = [
  ["concurrency", "Run at the same time", limitField], ["max_waiting", "May wait", limitField],
  ["rate.count", "Begin at most", limitField], ["rate.per", "in a time of", timeField],
  ["rate.burst", "Burst", { type: "number", min: 1, placeholder: "what 100 ms give" }],
  ["per_key.concurrency", "At the same time per key", limitField],
  ["per_key.rate.count", "Begin at most per key", limitField], ["per_key.rate.per", "per key in a time of", timeField],
  ["order", "Order", { choices: [["", "Keys take turns (fair)"], ["fifo", "The oldest first (fifo)"]] }],
  ["when_full", "When too many wait", { choices: [["", "Reject more"], ["wait", "Let requests wait"]] }],
];

/** Asks for the limits of a queue, those of `queue` at first, and stores them. `then` gets its name. */
export function askForLimits(queue, then) {
  const name = queue ? undefined : dialogField("Name", { required: true, spellcheck: "false", autofocus: true });
  const form = memberFields(limitMembers, queue?.spec);
  confirmDialog({
    title: queue ? `Limits of ${queue.name}` : "A queue with limits", action: "Store", fields: [name, form.element],
    text: "They apply at once, also to waiting jobs. Running jobs are not stopped.",
    act: async () => {
      const path = queue?.name ?? name.input.value.trim();
      // Another person's change is not overwritten unseen.
      const headers = queue?.version ? { "If-Match": `"${queue.version}"` } : { "If-None-Match": "*" };
      await send("PUT", queuePath(path), { json: form.read(), headers });
      say("The limits are stored", "good");
      then(path);
    },
  });
}
