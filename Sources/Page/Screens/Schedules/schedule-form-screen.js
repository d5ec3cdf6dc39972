import { parseJSON, writeJSON } from "../../Basics/lossless-json.js";
import { formatJSON } from "../../Basics/json-text.js";
import { visibleJSON } from "../../Basics/visible-text.js";
import { memberFields } from "../../Parts/member-fields.js";
import { CheckedEditor } from "../../Parts/checked-editor.js";
import { screen } from "../../Parts/screen.js";
import { goTo } from "../../Shell/route.js";
import { fill, foreign, h } from "../../View/dom.js";
import { panel, screenHead } from "../../View/facts.js";
import { icon } from "../../View/icons.js";
import { say, sayProblem } from "../../View/notices.js";
import { get, send } from "../../Wire/api.js";
import { plannedTimes, schedulePath } from "./schedule-parts.js";

const zones = ["UTC", "Europe/London", "Europe/Berlin", "America/New_York", "America/Los_Angeles", "Asia/Kolkata", "Asia/Tokyo"];
const scheduleMembers = [
  ["cron", "Cron", { placeholder: "0 3 * * MON-FRI", spellcheck: "false", autofocus: false }], ["every", "or every", { placeholder: "10m", spellcheck: "false" }],
  ["tz", "Time zone", { placeholder: "UTC", spellcheck: "false", list: "zones" }],
  ["overlap", "While an earlier job runs", { choices: [["", "make none (skip)"], ["wait", "wait for it"], ["replace", "cancel it"], ["allow", "run both"]] }],
];

const job = { type: "network", request: "https://example.com/report" };
const scheduleExamples = [
  ["Every weekday at three in the night", { cron: "0 3 * * MON-FRI", tz: "Europe/Berlin", job }],
  ["Every ten minutes", { every: "10m", overlap: "skip", job }],
  ["The first Tuesday and the last Friday", { calendar: { weekdays: ["first tue", "last fri"], at: ["08:00"] }, tz: "America/New_York", job }],
  ["The last workday of each month, of a template", { calendar: { days: ["last workday"], at: ["17:30"] }, tz: "Europe/London", template: "resize", params: {} }],
  ["Each hour, with its time in the request", { cron: "@hourly", missed: "all", job: {
    type: "network", request: { url: "https://example.com/export{?from}", vars: { from: { $job: "scheduled_for" } } },
  } }],
];

/** A schedule while it is written: its next ten times, and the effect of clock changes. */
class ScheduleFormScreen extends HTMLElement {
  connectedCallback() {
    this.editor = new CheckedEditor({
      label: "Schedule: JSON", placeholder: '{ "cron": "0 3 * * MON-FRI", "job": { … } }',
      check: (text, signal) => this.check(text, signal), told: (text, isGood) => { this.button.disabled = !isGood; this.showForm(text); },
      wrote: (text) => this.keepDraft(text),
      hint: h("div.hint", h("p", "When: cron, every or calendar, in a time zone. Which job: job, or template with params."),
        h("p.dim", "The next ten times appear here while you write.")),
    });
    this.button = h("button.primary", { disabled: true, onclick: () => this.store() }, "Store", h("kbd", "Ctrl ↵"));
    this.input = h("input", { placeholder: "name", "aria-label": "Name", spellcheck: "false", oninput: () => this.editor.changed() });
    this.form = h("div.schedule-form");
    this.append(screenHead("Schedule", this.input, this.editor.exampleChoice(scheduleExamples), this.button),
      h("div.compose", h("section.panel", this.form, this.editor.element), h("div.compose-right", this.editor.verdict)));
    this.editor.sendsBy(this.button, "Store");
  }

  disconnectedCallback() { this.editor.stop(); }

  async show({ parts: [, name] }) {
    this.input.disabled = Boolean(name);
    this.input.value = name ?? "";
    try {
      this.known = name && await get(schedulePath(name));
      const stored = name ? formatJSON(visibleJSON(writeJSON(this.known.spec))) : "";
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

  /** Shows the members that most schedules have as fields, which write the JSON. */
  showForm(text) {
    if (this.form.contains(document.activeElement)) return;
    let value;
    try { value = text.trim() ? parseJSON(text) : { job: { type: "network", request: "https://example.com/" } }; } catch { value = undefined; }
    // Not while the text is no object, or has numbers that only a text keeps.
    this.form.inert = !value || typeof value !== "object" || writeJSON(structuredClone(value)) !== writeJSON(value);
    if (this.form.inert) return;
    const fields = memberFields(scheduleMembers, value);
    fields.element.addEventListener("input", () => this.editor.take(formatJSON(writeJSON(fields.read()))));
    fill(this.form, fields.element, h("datalist", { id: "zones" }, zones.map((zone) => h("option", { value: zone }))));
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
