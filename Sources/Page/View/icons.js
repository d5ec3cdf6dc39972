import { h, svg } from "./dom.js";

// Drawn for this page on a grid of 16, with lines of 1.5.
const drawings = {
  jobs: "M2.5 4h11M2.5 8h11M2.5 12h7",
  overview: "M3 13V8M8 13V3M13 13V6",
  compose: "M8 3v10M3 8h10",
  history: "M3.5 8a4.5 4.5 0 114.5 4.5M3.5 8l-2-2M3.5 8l2-2M8 5.5V8l2 1.2",
  approvals: "M8 1.8l5 2v4c0 3.2-2.1 5.4-5 6.4-2.9-1-5-3.2-5-6.4v-4zM5.8 8l1.6 1.6 2.9-3.2",
  origins: "M8 14A6 6 0 108 2a6 6 0 000 12zM2.2 8h11.6M8 2c2 2 2.6 4 2.6 6S10 12 8 14M8 2C6 4 5.4 6 5.4 8S6 12 8 14",
  templates: "M3 2.5h10v11H3zM3 6h10M6.5 6v7.5",
  connections: "M6.5 9.5l3-3M7.3 5l1.5-1.5a2.6 2.6 0 013.7 3.7L11 8.7M8.7 11l-1.5 1.5a2.6 2.6 0 01-3.7-3.7L5 7.3",
  secrets: "M10.5 9a3.5 3.5 0 10-3.3-2.3L2.5 11.4v2.1h2.1V12H6v-1.4h1.4l.9-.9a3.5 3.5 0 002.2-.7zM11 5.2h0",
  health: "M1.8 8.5h3l1.7-4.5 3 8 1.7-3.5h3",
  queues: "M2 5.5h3v5H2zM6.7 5.5h3v5h-3zM11.6 5.5L14 8l-2.4 2.5",
  schedules: "M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 1.8v2.5M10.5 1.8v2.5",
  bulk: "M5.5 5.5h8v8h-8zM10.5 2.5h-8v8M7.5 9.5l1.4 1.4 2.6-2.9",
  servers: "M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h0M5 11h0",
  search: "M7.2 12a4.8 4.8 0 100-9.6 4.8 4.8 0 000 9.6zM10.8 10.8l3 3",
  compare: "M8 2v12M2.5 5h3v6h-3zM10.5 5h3v6h-3z",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  check: "M3 8.5l3.5 3.5L13 4.5",
  cross: "M4 4l8 8M12 4l-8 8",
  down: "M3.5 6L8 10.5 12.5 6",
  left: "M10 3.5L5.5 8l4.5 4.5",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  play: "M5 3.2v9.6l7.5-4.8z",
  resume: "M5 3.2v9.6l7.5-4.8z",
  retry: "M13 8a5 5 0 11-1.5-3.5M13 2.2v2.8h-2.8",
  stop: "M4 4h8v8H4z",
  edit: "M10.5 3l2.5 2.5L6 12.5l-3 .5.5-3z",
  trash: "M2.8 4.5h10.4M6 4.5V2.8h4v1.7M4.3 4.5l.6 9h6.2l.6-9",
  signal: "M8 9.2a1.2 1.2 0 100-2.4 1.2 1.2 0 000 2.4zM4.9 11.1a4.4 4.4 0 010-6.2M11.1 4.9a4.4 4.4 0 010 6.2M2.7 13.2a7.4 7.4 0 010-10.4M13.3 2.8a7.4 7.4 0 010 10.4",
  download: "M8 2.5v7.5M4.8 7.2L8 10.4l3.2-3.2M2.8 13.3h10.4",
  warning: "M8 2.2L14.5 13.5h-13zM8 6.5v3.2M8 11.6h0",
  theme: "M8 14A6 6 0 108 2a6 6 0 000 12zM8 2v12M8 5l5-1M8 8h6M8 11l5 1",
  info: "M8 14A6 6 0 108 2a6 6 0 000 12zM8 7.5v3.3M8 5.2h0",
  keyboard: "M1.8 4h12.4v8H1.8zM4.5 6.8h0M8 6.8h0M11.5 6.8h0M5.5 9.5h5",
  out: "M6.5 2.8h-4v10.4h4M9.5 5l3 3-3 3M12.5 8h-7",
  clock: "M8 14A6 6 0 108 2a6 6 0 000 12zM8 4.8V8l2.2 1.5",
  empty: "M2.5 9.5l2-6h7l2 6v3.5h-11zM2.5 9.5h3.3l.9 1.7h2.6l.9-1.7h3.3",
};

/** A small drawing, for the eye only. */
export function icon(name, size = 16) {
  return svg("svg.icon", { viewBox: "0 0 16 16", width: size, height: size, "aria-hidden": "true" },
    svg("path", { d: drawings[name] ?? drawings.info }));
}

/** The mark of the page, as icon.svg has it. */
export function logo(size) {
  return svg("svg.logo", { viewBox: "0 0 32 32", width: size, height: size, "aria-hidden": "true" },
    svg("rect", { width: 32, height: 32, rx: 8 }), svg("path", { d: "M9 16.5l4.5 4.5L23 11" }));
}

/** A button with a small drawing. */
export function iconButton(name, label, onclick, tone) { return h("button", { class: tone, onclick }, icon(name), label); }
