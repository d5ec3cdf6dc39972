import { writeJSON } from "../../Basics/lossless-json.js";
import { formatJSON } from "../../Basics/json-text.js";
import { visibleJSON } from "../../Basics/visible-text.js";
import { CheckedEditor } from "../../Parts/checked-editor.js";
import { screen } from "../../Parts/screen.js";
import { goTo } from "../../Shell/route.js";
import { foreign, h } from "../../View/dom.js";
import { panel, screenHead } from "../../View/facts.js";
import { icon } from "../../View/icons.js";
import { say, sayProblem } from "../../View/notices.js";
import { get, send } from "../../Wire/api.js";
import { plannedTimes, schedulePath } from "./schedule-parts.js";

const job = { type: "network", request: "https://example.com/report" };
const scheduleExamples = [
  ["Every weekday at three in the night", { cron: "0 3 * * MON-FRI", tz: "Europe/Berlin", job }],
  ["Every ten minutes", { every: "10m", overlap: "skip", job }],
  ["The first Tuesday and the last Friday", { on: { weekdays: ["first tue", "last fri"], at: ["08:00"] }, tz: "America/New_York", job }],
  ["The last workday of each month, of a template", { on: { days: ["last workday"], at: ["17:30"] }, tz: "Europe/London", template: "resize", params: {} }],
  ["Each hour, with its time in the request", { cron: "@hourly", missed: "all", job: {
    type: "network", request: { url: "https://example.com/export{?from}", vars: { from: { $job: "scheduled_for" } } },
  } }],
];

/** A schedule while it is written: its next ten times, and what the clocks do to them. */
class ScheduleFormScreen extends HTMLElement {
  connectedCallback() {
    this.editor = new CheckedEditor({
      label: "Schedule: JSON", placeholder: '{ "cron": "0 3 * * MON-FRI", "job": { … } }',
      check: (text, signal) => this.check(text, signal), told: (_, isGood) => { this.button.disabled = !isGood; },
      wrote: (text) => this.keepDraft(text),
      hint: h("div.hint", h("p", "When: cron, every or on, in a time zone. Which job: job, or template with params."),
        h("p.dim", "The next ten times appear here while you write.")),
    });
    this.button = h("button.primary", { disabled: true, onclick: () => this.store() }, "Store", h("kbd", "Ctrl ↵"));
    this.input = h("input", { placeholder: "name", "aria-label": "Name", spellcheck: "false", oninput: () => this.editor.changed() });
    this.append(screenHead("Schedule", this.input, this.editor.exampleChoice(scheduleExamples), this.button),
      h("div.compose", h("section.panel", this.editor.element), h("div.compose-right", this.editor.verdict)));
    this.editor.sendsBy(this.button, "Store");
  }

  disconnectedCallback() { this.editor.stop(); }

  async show({ parts: [, name] }) {
    this.input.disabled = Boolean(name);
    this.input.value = name ?? "";
    try {
      this.known = name && await get(schedulePath(name));
      const stored = name ? formatJSON(visibleJSON(writeJSON(this.known.schedule))) : "";
      this.draftName = `schedule-draft/${name ?? ""}`;
      const draft = sessionStorage.getItem(this.draftName);
      this.editor.take(draft ?? stored);
      this.stored = stored;
      if (draft !== null && draft !== stored) {
        say([name ? "What you had not stored is here again. " : "Your draft is here again. ", h("button.link", { onclick: () => this.editor.take(stored) }, name ? "Take what is stored" : "Begin anew")]);
      }
    } catch (problem) { sayProblem(problem); }
    if (name) this.editor.begin(); else this.input.focus();
  }

  /** Keeps what is written until it is stored. */
  keepDraft(text) {
    if (this.stored === undefined || !this.draftName) return;
    if (text === this.stored) sessionStorage.removeItem(this.draftName); else sessionStorage.setItem(this.draftName, text);
  }

  put(text, options) { return send("PUT", schedulePath(this.input.value.trim() || "new"), { text, ...options }); }

  async check(text, signal) {
    const { data } = await this.put(text, { query: { validate_only: "true" }, signal });
    return panel("Its next times", [
      data.warnings.map((warning) => h("p.warning-line", icon("warning"), h("span", foreign(warning.detail)))), plannedTimes(data.next)]);
  }

  async store() {
    const name = this.input.value.trim();
    if (!name) { say("Give it a name", "bad"); this.input.focus(); return; }
    try {
      await this.put(this.editor.text, { headers: this.known ? { "If-Match": `"${this.known.version}"` } : { "If-None-Match": "*" } });
      sessionStorage.removeItem(this.draftName);
      say("The schedule is stored", "good");
      goTo(["schedules", name]);
    } catch (problem) { sayProblem(problem.status === 412 ? { detail: "Another schedule of this name was stored meanwhile. Nothing was changed." } : problem); }
  }
}

export const scheduleFormScreen = screen("schedule-form-screen", ScheduleFormScreen, { path: "schedule-form", title: "Schedule", writes: true });
