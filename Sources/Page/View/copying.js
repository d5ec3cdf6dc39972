import { h } from "./dom.js";
import { icon, iconButton } from "./icons.js";
import { say } from "./notices.js";

/** Puts a text on the clipboard. Works without HTTPS, too, where browsers have no clipboard for pages. */
async function copyText(text, what = "Copied") {
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

/** A button that copies a curl line. */
export function copyCurlButton(line) { return iconButton("copy", "Copy as curl", () => copyText(line, "The curl line is copied")); }

/** A button that copies the address of what is shown. */
export function copyLinkButton() {
  return h("button.quiet.copy", { "aria-label": "Copy the link", title: "Copy the link", onclick: () => copyText(location.href, "The link is copied") }, icon("connections"));
}

/** A button that copies the text that `text()` gives. */
export function copyButton(text, label = "Copy") {
  return h("button.quiet.copy", {
    "aria-label": label, title: label,
    onclick: (event) => { event.stopPropagation(); copyText(text()); },
  }, icon("copy"));
}
