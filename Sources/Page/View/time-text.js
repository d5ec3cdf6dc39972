import { clockText, fullTimeText, relativeText, remainingText } from "../Basics/times.js";
import { durationText } from "../Basics/durations.js";
import { h } from "./dom.js";

// Texts that change as time goes by. One clock moves all of them.

const moving = new Set();

setInterval(() => {
  if (document.hidden) return;
  for (const element of moving) element.tell();
}, 1000);

/** A time as a text that keeps up: `kind` is ago, left or since. */
export class TimeText extends HTMLElement {
  connectedCallback() { moving.add(this); this.tell(); }
  disconnectedCallback() { moving.delete(this); }

  tell() {
    const text = this.text();
    if (this.textContent !== text) this.textContent = text;
  }

  text() {
    const time = this.getAttribute("time");
    switch (this.getAttribute("kind")) {
      case "left": return remainingText(time) || this.getAttribute("over") || "now";
      case "since": return durationText(Math.floor(Math.max(0, Date.now() - Date.parse(time)) / 1000) * 1000);
      default: return relativeText(time);
    }
  }
}

customElements.define("time-text", TimeText);

/** How long ago a time is. */
export function ago(time) {
  return time ? h("time-text", { time, title: fullTimeText(time) }) : null;
}

/** How long it is until a time; `over` is said when it is past. */
export function left(time, over = "any moment") {
  return time ? h("time-text", { time, kind: "left", over, title: fullTimeText(time) }) : null;
}

/** How long a time is over, counting on. */
export function since(time) {
  return time ? h("time-text", { time, kind: "since", title: fullTimeText(time) }) : null;
}

/** A fixed time. */
export function clock(time) {
  return time ? h("time", { datetime: time, title: fullTimeText(time) }, clockText(time)) : null;
}
