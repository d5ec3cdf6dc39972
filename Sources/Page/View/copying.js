import { h } from "./dom.js";
import { icon } from "./icons.js";
import { say } from "./notices.js";

/** Puts a text on the clipboard. Works without HTTPS, too, where browsers have no clipboard for pages. */
export async function copyText(text, what = "Copied") {
  let done = false;
  try {
    await navigator.clipboard.writeText(text);
    done = true;
  } catch {
    const area = h("textarea.offscreen", { value: text, readonly: true });
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    done = document.execCommand("copy");
    area.remove();
  }
  say(done ? what : "The browser does not let the page copy", done ? "good" : "bad");
}

/** A button that copies the text that `text()` gives. */
export function copyButton(text, label = "Copy", what = undefined) {
  return h("button.quiet.copy", {
    "aria-label": label, title: label,
    onclick: (event) => { event.stopPropagation(); copyText(text(), what ?? "Copied"); },
  }, icon("copy"));
}
