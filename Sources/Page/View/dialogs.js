import { fill, h } from "./dom.js";
import { icon } from "./icons.js";

let openDialog;

/** Opens a dialog; `content(close)` makes what is inside. Esc and a click beside it close it. */
export function showDialog(title, content, { wide = false } = {}) {
  openDialog?.close();
  const before = document.activeElement;
  const dialog = h("dialog", { class: wide ? "wide" : "", "aria-labelledby": "dialog-title" });
  const close = () => dialog.close();
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (openDialog === dialog) openDialog = undefined;
    if (before?.isConnected) before.focus();
  });
  dialog.addEventListener("mousedown", (event) => { if (event.target === dialog) close(); });
  fill(dialog, h("div.dialog-body",
    h("header", h("h2", { id: "dialog-title" }, title),
      h("button.quiet", { "aria-label": "Close", onclick: close }, icon("cross"))),
    content(close)));
  document.body.append(dialog);
  dialog.showModal();
  openDialog = dialog;
  dialog.querySelector("[autofocus]")?.focus();
  return dialog;
}

/** Closes the dialog that is open, if any. */
export function closeDialog() { openDialog?.close(); }

/** Whether a dialog is open. */
export function hasDialog() { return openDialog?.open ?? false; }

/**
 * Asks before something is done. `fields` are inputs that are shown above the buttons; `act` does it and may throw a
 * problem, which is shown in the dialog.
 */
export function confirmDialog({ title, text, action, tone = "primary", fields = [], act }) {
  showDialog(title, (close) => {
    const trouble = h("div.trouble", { role: "alert", hidden: true });
    const button = h("button", { type: "submit", class: tone }, action);
    const submit = async (event) => {
      event.preventDefault();
      button.disabled = true;
      try { await act(); close(); } catch (problem) {
        trouble.hidden = false;
        fill(trouble, troubleText(problem));
        button.disabled = false;
      }
    };
    if (!fields.some((field) => field?.querySelector("[autofocus]"))) button.setAttribute("autofocus", "");
    return h("form", { onsubmit: submit },
      text && h("p", text), fields, trouble,
      h("footer", h("button", { onclick: close }, "Back"), button));
  });
}

function troubleText(problem) {
  if (problem.status === 412) return `${problem.title}. Nothing was changed: close this and look again.`;
  if (problem.errors?.length) return problem.errors.map((each) => h("p", `${each.pointer ?? each.parameter ?? each.header}: ${each.detail}`));
  return problem.detail ?? problem.message;
}

/** A text field with its label, for dialogs. */
export function dialogField(label, properties = {}, hint = undefined) {
  const input = h(properties.rows ? "textarea" : "input", properties);
  const field = h("label.field", h("span", label), input, hint && h("small.dim", hint));
  field.input = input;
  return field;
}
