import { writeJSON } from "../../Basics/lossless-json.js";
import { formatJSON } from "../../Basics/json-text.js";
import { curlLine, shellWord } from "../../Basics/shell-words.js";
import { screen } from "../../Parts/screen.js";
import { setScreenKeys } from "../../Shell/keys.js";
import { goTo, routeHref } from "../../Shell/route.js";
import { fill, foreign, h } from "../../View/dom.js";
import { codeView } from "../../View/code-view.js";
import { panel, screenHead } from "../../View/facts.js";
import { icon } from "../../View/icons.js";
import { say, sayProblem } from "../../View/notices.js";
import { get, getText, jobPath, send, serverURL } from "../../Wire/api.js";
import { SpecEditor } from "./editor.js";
import { examples } from "./examples.js";
import { planView } from "./plan-view.js";
import { isCurl, problemPlaces, withSuggestion } from "./problem-places.js";

const draftName = "jobserver-draft";

/** A job while it is written: what is wrong with it, what it would do, and the curl line that submits it. */
class ComposeScreen extends HTMLElement {
  connectedCallback() {
    this.editor = new SpecEditor(() => this.changed());
    this.submitButton = h("button.primary", { disabled: true, onclick: () => this.submit() }, "Submit", h("kbd", "Ctrl ↵"));
    this.origin = h("p.compose-origin", { hidden: true });
    this.verdict = h("div.compose-verdict", { id: "compose-problems", role: "status" });
    this.line = h("div");
    const choice = h("select", { "aria-label": "Examples", onchange: () => {
      const example = examples[choice.value];
      choice.value = "";
      if (example) this.take(typeof example[1] === "string" ? example[1] : formatJSON(JSON.stringify(example[1])));
    } }, h("option", { value: "" }, "Start from an example…"), examples.map(([title], index) => h("option", { value: index }, title)));
    this.formatButton = h("button.quiet", { onclick: () => this.take(formatJSON(this.editor.text)) }, "Format");
    this.append(screenHead("Compose", choice, this.submitButton), this.origin,
      h("div.compose", h("div.compose-left", h("section.panel", h("header.panel-head", h("h2", "Job"), h("div.aside", this.formatButton)), this.editor.element), this.line),
        h("div.compose-right", this.verdict)));
    this.editor.area.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); this.submit(); }
    });
    setScreenKeys({ i: ["Write", () => this.editor.area.focus()], "Ctrl ↵": ["Submit", () => this.submit()] });
  }

  disconnectedCallback() {
    clearTimeout(this.timer);
    this.abort?.abort();
  }

  async show({ query }) {
    const from = query.get("from");
    const template = query.get("template");
    this.origin.hidden = true;
    try {
      if (from) {
        const spec = await getText(jobPath(from, "/spec"), "application/json");
        fill(this.origin, "A copy of ", h("a", { href: routeHref(["jobs", from]) }, from),
          ", which becomes a new job. Write again what was hidden in it.");
        this.origin.hidden = false;
        this.take(formatJSON(spec));
      } else if (template) {
        const found = await get(`/v1/templates/${encodeURIComponent(template)}`);
        const parameters = Object.entries(found.template.parameters ?? {});
        this.take(formatJSON(writeJSON({
          type: "wrapper", template,
          params: Object.fromEntries(parameters.map(([name, { default: value, type, minimum }]) =>
            [name, value ?? minimum ?? { string: "", boolean: false, array: [], object: {} }[type] ?? null])),
        })));
      } else {
        this.take(sessionStorage.getItem(draftName) ?? "");
      }
    } catch (problem) { sayProblem(problem); }
    if (matchMedia("(min-width: 860px)").matches) this.editor.area.focus();
  }

  take(text) {
    this.editor.text = text;
    this.changed(true);
  }

  changed(atOnce = false) {
    const { text } = this.editor;
    sessionStorage.setItem(draftName, text);
    this.formatButton.hidden = !text.trim() || isCurl(text);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), atOnce ? 0 : 250);
  }

  body(text) { return isCurl(text) ? { text, type: "text/x-shellscript" } : { text }; }

  async check() {
    this.abort?.abort();
    const { text } = this.editor;
    this.plan = undefined;
    if (!text.trim()) {
      this.editor.mark([]);
      this.showLine("");
      this.submitButton.disabled = true;
      fill(this.verdict, h("div.hint", h("h2", "What happens here"),
        h("p", "A job is checked while you write it. You see what it would do, with every default, before anything is stored."),
        h("p.dim", "A curl line becomes a job that the server makes durable: it is tried again, and remembered.")));
      return;
    }
    this.abort = new AbortController();
    try {
      const { data } = await send("POST", "/v1/jobs", { query: { validate_only: "true" }, ...this.body(text), signal: this.abort.signal });
      this.plan = data;
      this.editor.mark([]);
      fill(this.verdict, panel([h("span.tone-good.ok-mark", icon("check")), "This is what it would do"], planView(data)));
    } catch (problem) {
      if (problem.name === "AbortError") return;
      const places = problemPlaces(text, problem.errors?.length ? problem.errors : [{ detail: problem.detail ?? problem.message, code: problem.code }]);
      this.editor.mark(places);
      fill(this.verdict, panel(places.length === 1 ? "One problem" : `${places.length} problems`, h("ol.problems", places.map((place) => this.problemItem(place)))));
    }
    this.submitButton.disabled = !this.plan;
    this.showLine(text);
  }

  problemItem(place) {
    const { error } = place;
    return h("li.problem", icon("warning"), h("div",
      place.start !== undefined
        ? h("button.quiet.place", { onclick: () => this.editor.select(place) }, h("code", foreign(error.pointer || "show")))
        : error.pointer && h("code", foreign(error.pointer)),
      h("p", foreign(error.detail)),
      error.suggestion && place.start !== undefined && !isCurl(this.editor.text) && h("p", h("button", {
        onclick: () => this.take(withSuggestion(this.editor.text, place)),
      }, "Write ", h("code", foreign(error.suggestion))))));
  }

  showLine(text) {
    const url = serverURL("/v1/jobs").href;
    const line = isCurl(text) ? `curl -H 'Content-Type: text/x-shellscript' --data-binary ${shellWord(text.trim())} ${shellWord(url)}`
      : curlLine({ url, body: text.trim(), isJSON: true });
    fill(this.line, this.plan && panel("The curl line that submits it", codeView(line, { label: "curl line" })));
  }

  async submit() {
    if (this.submitButton.disabled) return;
    this.submitButton.disabled = true;
    try {
      // Sent again by a nervous finger, it is the same job.
      const key = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("");
      const { data } = await send("POST", "/v1/jobs", { ...this.body(this.editor.text), headers: { "Idempotency-Key": `page-${key}` } });
      sessionStorage.removeItem(draftName);
      say("The job is stored", "good");
      goTo(["jobs", data.id]);
    } catch (problem) {
      sayProblem(problem);
      this.submitButton.disabled = false;
    }
  }
}

export const composeScreen = screen("compose-screen", ComposeScreen, { path: "compose", title: "Compose", icon: "compose", group: "work", writes: true });
