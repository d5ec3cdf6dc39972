import { formatJSON, jsonTokens } from "../Basics/json-text.js";
import { visibleText } from "../Basics/visible-text.js";
import { copyButton } from "./copying.js";
import { fill, h } from "./dom.js";

const shownAtOnce = 60_000;

/** Text in a box with a button to copy it; JSON in colour. A long one begins with its first part. */
export function codeView(text, { json = false, label = "text", format = true } = {}) {
  const laid = json && format ? formatJSON(text) : text;
  const code = h("code");
  const show = (part) => fill(code, json ? colouredJSON(part) : visibleText(part));
  show(laid.slice(0, shownAtOnce));
  const view = h("div.code-view", h("pre", { tabindex: "0", "aria-label": label }, code),
    copyButton(() => text, `Copy the ${label}`));
  if (laid.length > shownAtOnce) {
    const more = h("button.more", {
      onclick: () => { show(laid.slice(0, 2_000_000)); more.remove(); },
    }, `Show all of it (${Math.ceil(laid.length / 1000)} kB)`);
    view.append(more);
  }
  return view;
}

/** The text of JSON as coloured spans. */
export function colouredJSON(text) {
  const parts = [];
  let at = 0;
  for (const token of jsonTokens(text)) {
    if (token.start > at) parts.push(text.slice(at, token.start));
    const shown = visibleText(token.text);
    parts.push(token.kind === "mark" ? shown : h("span", { class: `json-${token.kind}` }, shown));
    at = token.end;
  }
  parts.push(text.slice(at));
  return parts;
}

/** Whether a text is JSON worth colouring. */
export function looksLikeJSON(text, contentType = "") {
  return /\bjson\b/i.test(contentType) || /^\s*[[{]/.test(text);
}
