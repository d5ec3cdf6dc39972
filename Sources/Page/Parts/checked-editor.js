import { formatJSON } from "../Basics/json-text.js";
import { setScreenKeys } from "../Shell/keys.js";
import { fill, foreign, h } from "../View/dom.js";
import { panel } from "../View/facts.js";
import { icon } from "../View/icons.js";
import { problemPanel } from "../View/notices.js";
import { probeAt } from "./completion.js";
import { SpecEditor } from "./editor.js";
import { isCurl, problemPlaces, withSuggestion } from "./problem-places.js";

/**
 * An editor whose text the server checks while it is written, with problems at their place: `element`, and beside it
 * `verdict`. `check(text, signal)` gives what the verdict shows, or throws a problem; `wrote(text)` is called
 * with each change, `told(text, isGood)` with each outcome, and `hint` is shown while nothing is written.
 */
export class CheckedEditor {
  constructor({ label, placeholder, check, wrote, told, hint }) {
    this.editor = new SpecEditor(label, placeholder, () => this.changed());
    this.element = this.editor.element;
    this.verdict = h("div.compose-verdict", { id: "compose-problems", role: "status" });
    this.ask = check;
    this.wrote = wrote;
    this.told = told;
    this.hint = hint;
    this.onWire = ({ detail }) => { if (detail === "well" && this.isUnchecked) this.check(); };
    window.addEventListener("wire", this.onWire);
  }

  get text() { return this.editor.text; }

  /** Replaces the text. */
  take(text) {
    this.editor.text = text;
    this.changed(true);
  }

  /** A list of texts to begin with: `[title, text or JSON]`. */
  exampleChoice(examples) {
    const choice = h("select", { "aria-label": "Examples", onchange: () => {
      const example = examples[choice.value]?.[1];
      choice.value = "";
      if (example) this.take(typeof example === "string" ? example : formatJSON(JSON.stringify(example)));
    } }, h("option", { value: "" }, "Start from an example…"), examples.map(([title], index) => h("option", { value: index }, title)));
    return choice;
  }

  /** Lets Ctrl and Enter press a button, and Ctrl and the space bar show what is possible. */
  sendsBy(button, name) {
    const { area } = this.editor;
    area.addEventListener("keydown", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      if (event.key === "Enter") { event.preventDefault(); button.click(); }
      if (event.key === " ") { event.preventDefault(); this.complete(); }
    });
    setScreenKeys({ i: ["Write", () => area.focus()], "Ctrl ␣": ["What is possible here", () => this.complete()], "Ctrl ↵": [name, () => button.click()] });
  }

  /** Shows the names or words that are possible at the caret. */
  async complete() {
    const { area } = this.editor;
    const found = probeAt(this.text, area.selectionStart);
    if (!found) return;
    this.halt();
    const { probe, place, start, end, lead, more, typed } = found;
    let names = [];
    try { await this.ask(probe); } catch ({ errors }) {
      names = problemPlaces(probe, errors ?? []).find((each) => each.start === place && each.error.allowed)?.error.allowed ?? [];
    }
    fill(this.verdict, panel("Possible here", h("div.labels", names.filter((each) => each.startsWith(typed)).map((each) => h("button", { onclick: () => {
      area.setRangeText(lead + JSON.stringify(each) + more, start, end, "end");
      area.focus();
      area.dispatchEvent(new Event("input"));
    } }, each)), names.length ? "" : "Anything.")));
    this.verdict.querySelector("button")?.focus();
  }

  /** Gives the focus to the text, where there is a keyboard. */
  begin() {
    if (!matchMedia("(min-width: 860px)").matches) return;
    this.editor.area.setSelectionRange(0, 0);
    this.editor.area.focus({ preventScroll: true });
  }

  /** Asks no more. */
  stop() {
    this.halt();
    window.removeEventListener("wire", this.onWire);
  }

  halt() {
    clearTimeout(this.timer);
    this.abort?.abort();
  }

  changed(atOnce = false) {
    this.wrote?.(this.text);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), atOnce ? 0 : 250);
  }

  async check() {
    this.abort?.abort();
    const { text } = this;
    let isGood = false;
    if (text.trim()) {
      this.abort = new AbortController();
      try {
        fill(this.verdict, await this.ask(text, this.abort.signal));
        this.editor.mark([]);
        isGood = true;
      } catch (problem) {
        if (problem.name === "AbortError") return;
        this.isUnchecked = problem.status === 0;
        if (this.isUnchecked) {
          fill(this.verdict, problemPanel({ title: problem.title, detail: "What you wrote is kept, and checked as soon as the server answers." }));
          this.told(text, false);
          return;
        }
        const places = problemPlaces(text, problem.errors?.length ? problem.errors : [{ detail: problem.detail ?? problem.message, code: problem.code }]);
        this.editor.mark(places);
        fill(this.verdict, panel(places.length === 1 ? "One problem" : `${places.length} problems`, h("ol.problems", places.map((place) => this.problemItem(place)))));
      }
    } else {
      this.editor.mark([]);
      fill(this.verdict, this.hint);
    }
    this.told(text, isGood);
  }

  problemItem(place) {
    const { error } = place;
    return h("li.problem", icon("warning"), h("div",
      place.start !== undefined
        ? h("button.quiet.place", { onclick: () => this.editor.select(place) }, h("code", foreign(error.pointer || "show")))
        : error.pointer && h("code", foreign(error.pointer)),
      h("p", foreign(error.detail)),
      error.suggestion && place.start !== undefined && !isCurl(this.text) && h("p", h("button", {
        onclick: () => this.take(withSuggestion(this.text, place)),
      }, "Write ", h("code", foreign(error.suggestion))))));
  }
}
