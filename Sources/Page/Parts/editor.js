import { jsonTokens } from "../Basics/json-text.js";
import { fill, h } from "../View/dom.js";
import { isCurl } from "./problem-places.js";

/** A text area with a layer behind it that has the colours and the lines below what is wrong. */
export class SpecEditor {
  constructor(label, placeholder, onInput) {
    this.layer = h("pre", { "aria-hidden": "true" });
    this.area = h("textarea", {
      spellcheck: "false", autocapitalize: "off", "aria-label": label, "aria-describedby": "compose-problems", placeholder,
      oninput: () => { this.colour(); onInput(); },
    });
    this.element = h("div.editor", this.layer, this.area);
    this.marks = [];
  }

  get text() { return this.area.value; }

  set text(text) {
    this.area.value = text;
    this.marks = [];
    this.colour();
  }

  /** Draws lines below these places. */
  mark(places) {
    this.marks = places.filter((place) => place.start !== undefined);
    this.colour();
  }

  /** Selects a place and shows it. */
  select({ start, end }) {
    this.area.focus();
    this.area.setSelectionRange(start, end);
  }

  colour() {
    const { text } = this;
    if (text.length > 100_000) { fill(this.layer, text, "\n"); return; }
    const spans = isCurl(text) ? [] : jsonTokens(text);
    const cuts = new Set([0, text.length]);
    for (const { start, end } of [...spans, ...this.marks]) { cuts.add(start); cuts.add(Math.min(end, text.length)); }
    const places = [...cuts].sort((left, right) => left - right);
    let index = 0;
    fill(this.layer, places.slice(0, -1).map((start, at) => {
      const end = places[at + 1];
      while (spans[index] && spans[index].end <= start) index += 1;
      const token = spans[index] && spans[index].start <= start ? spans[index].kind : undefined;
      const isWrong = this.marks.some((mark) => mark.start < end && mark.end > start);
      const part = text.slice(start, end);
      return token || isWrong ? h("span", { class: `${token ? `json-${token}` : ""} ${isWrong ? "wrong" : ""}` }, part) : part;
    }), "\n");
  }
}
