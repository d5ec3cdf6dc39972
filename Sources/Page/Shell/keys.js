import { hasDialog, showDialog } from "../View/dialogs.js";
import { h } from "../View/dom.js";
import { goTo } from "./route.js";

const going = { v: ["overview"], j: ["jobs"], n: ["compose"], a: ["approvals"], o: ["origins"], q: ["queues"], s: ["schedules"], b: ["bulk"], t: ["templates"], h: ["health"] };
let screenKeys = {};
let isGoing = false;

/** Says which keys the screen that is shown has: `{ x: ["Select", () => …] }`. */
export function setScreenKeys(keys) { screenKeys = keys; }

/** Keys that give the focus to the next of some rows or to the one before: to what `selector` finds in it. */
export function rowKeys(rows, selector) {
  const move = (step) => {
    const all = [...rows()];
    const at = all.findIndex((row) => row.contains(document.activeElement));
    all[Math.max(0, Math.min(all.length - 1, at + step))]?.querySelector(selector)?.focus();
  };
  return {
    j: ["Next row", () => move(1)], k: ["Row before", () => move(-1)],
    ArrowDown: ["", () => move(1)], ArrowUp: ["", () => move(-1)],
  };
}

/** Listens to the keyboard. */
export function listenToKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || hasDialog()) return;
    const target = event.target;
    // Letters choose in a list; these do not.
    const isChoice = target.matches?.("select") && "/?".includes(event.key);
    if (!isChoice && target.matches?.("input, textarea, select, [contenteditable]")) {
      if (event.key === "Escape") target.blur();
      return;
    }
    if (isGoing) {
      isGoing = false;
      if (going[event.key]) { event.preventDefault(); goTo(going[event.key]); }
      return;
    }
    if (event.key === "g") { isGoing = true; setTimeout(() => { isGoing = false; }, 1500); return; }
    if (event.key === "?") { event.preventDefault(); showKeys(); return; }
    if (event.key === "c" && !screenKeys.c) { event.preventDefault(); goTo(["compose"]); return; }
    const own = screenKeys[event.key];
    // Enter and space belong to a button or a link that has the focus.
    if (!own || ((event.key === "Enter" || event.key === " ") && target.matches?.("a, button, summary"))) return;
    event.preventDefault();
    own[1]();
  });
}

/** Shows what the keys do. */
export function showKeys() {
  const row = (keys, text) => h("div.key-row", h("dt", keys.map((key) => h("kbd", key))), h("dd", text));
  const names = { " ": "space", ArrowDown: "↓", ArrowUp: "↑" };
  showDialog("Keyboard", () => h("div.key-help",
    Object.keys(screenKeys).length > 0 && h("section", h("h3", "On this screen"), h("dl",
      Object.entries(screenKeys).filter(([, [text]]) => text).map(([key, [text]]) => row([names[key] ?? key], text)))),
    h("section", h("h3", "Everywhere"), h("dl",
      row(["g", "v"], "Overview"), row(["g", "j"], "Jobs"), row(["c"], "Compose a job"), row(["g", "a"], "Approvals"), row(["g", "q"], "Queues"), row(["g", "s"], "Schedules"), row(["g", "b"], "Bulk actions"), row(["g", "o"], "Origins"),
      row(["g", "t"], "Templates"), row(["g", "h"], "Health"), row(["Esc"], "Close, or leave a field"), row(["?"], "This list"))),
  ));
}
