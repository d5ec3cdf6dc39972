import { parseJSON } from "../Basics/lossless-json.js";
import { h } from "../View/dom.js";
import { icon } from "../View/icons.js";
import { confirmDialog, dialogField } from "../View/dialogs.js";
import { say } from "../View/notices.js";
import { jobPath, send } from "../Wire/api.js";

/** Asks for the value of a signal and sends it. */
export function askForSignal(job, name, then) {
  const nameField = dialogField("Signal", { value: name ?? "", required: true, spellcheck: "false", autofocus: !name });
  const field = dialogField("Value (JSON; nothing is null)", { rows: 5, spellcheck: "false", class: "mono", placeholder: '{ "amount": 1200 }', autofocus: Boolean(name) });
  confirmDialog({
    title: "Send a signal", action: "Send", fields: [nameField, field],
    text: "The value becomes the result of the operation that waits for the signal.",
    act: async () => {
      const text = field.input.value.trim();
      if (text) try { parseJSON(text); } catch { throw new Error("The value is not JSON. A text needs double quotes."); }
      // As it was typed, so that no digit is lost.
      await send("POST", jobPath(job, `/signals/${encodeURIComponent(nameField.input.value.trim())}`),
        text ? { text } : {});
      say("The signal is stored", "good");
      then?.();
    },
  });
}

/** A button that does so. */
export function signalButton(job, name, then) {
  return h("button", { onclick: () => askForSignal(job, name, then) }, icon("signal"),
    name ? `Send “${name}”` : "Signal");
}
