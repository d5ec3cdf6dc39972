import { h } from "./dom.js";

/** Names and values beside each other; entries without a value are left out. */
export function facts(...entries) {
  return h("dl.facts", entries
    .filter((entry) => entry && entry[1] !== null && entry[1] !== undefined && entry[1] !== false && entry[1] !== "")
    .map(([name, value]) => h("div", h("dt", name), h("dd", value))));
}

/** A panel with a heading. */
export function panel(title, content, ...aside) {
  return h("section.panel",
    title && h("header.panel-head", h("h2", title), aside.length ? h("div.aside", aside) : null),
    h("div.panel-body", content));
}

/** A panel with a heading whose content, such as a table, reaches its edges. */
export function widePanel(title, ...content) { return h("section.panel", h("header.panel-head", h("h2", title)), content); }

/** The head of a screen: its name, and what can be done. */
export function screenHead(title, ...actions) {
  return h("header.screen-head", h("h1", title), h("div.actions", actions));
}
