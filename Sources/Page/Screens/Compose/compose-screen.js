import { writeJSON } from "../../Basics/lossless-json.js";
import { formatJSON } from "../../Basics/json-text.js";
import { curlLine, shellWord } from "../../Basics/shell-words.js";
import { visibleJSON } from "../../Basics/visible-text.js";
import { CheckedEditor } from "../../Parts/checked-editor.js";
import { isCurl } from "../../Parts/problem-places.js";
import { screen } from "../../Parts/screen.js";
import { goTo, routeHref } from "../../Shell/route.js";
import { fill, h } from "../../View/dom.js";
import { codeView } from "../../View/code-view.js";
import { panel, screenHead } from "../../View/facts.js";
import { icon } from "../../View/icons.js";
import { say, sayProblem } from "../../View/notices.js";
import { get, getText, jobPath, newKey, send, serverURL } from "../../Wire/api.js";
import { examples } from "./examples.js";
import { withoutOwnLabels } from "./own-labels.js";
import { planView } from "./plan-view.js";
import { secretWarnings } from "./secret-words.js";

const draftName = "jobserver-draft";

/** A job while it is written: what is wrong with it, what it would do, and the curl line that submits it. */
class ComposeScreen extends HTMLElement {
  connectedCallback() {
    this.editor = new CheckedEditor({
      label: "Job: a curl line or JSON", placeholder: "Paste a curl line, or write JSON:\n\n{ \"type\": \"network\", \"request\": \"https://example.com/\" }",
      check: (text, signal) => this.check(text, signal), told: (text, isGood) => this.told(text, isGood),
      wrote: (text) => sessionStorage.setItem(draftName, text),
      hint: h("div.hint", h("h2", "What happens here"),
        h("p", "A job is checked while you write it. You see what it would do, with every default, before anything is stored."),
        h("p.dim", "A curl line becomes a job that the server makes durable: it is tried again, and remembered.")),
    });
    this.submitButton = h("button.primary", { disabled: true, onclick: () => this.submit() }, "Submit", h("kbd", "Ctrl ↵"));
    this.origin = h("p.compose-origin", { hidden: true });
    this.line = h("div");
    this.formatButton = h("button.quiet", { onclick: () => this.take(formatJSON(this.editor.text)) }, "Format");
    this.append(screenHead("Compose", this.editor.exampleChoice(examples), this.submitButton), this.origin,
      h("div.compose", h("div.compose-left", h("section.panel", h("header.panel-head", h("h2", "Job"), h("div.aside", this.formatButton)), this.editor.element), this.line),
        h("div.compose-right", this.editor.verdict)));
    this.editor.sendsBy(this.submitButton, "Submit");
  }

  disconnectedCallback() { this.editor.stop(); }

  async show({ query }) {
    const from = query.get("from");
    const template = query.get("template");
    this.origin.hidden = true;
    try {
      if (from) {
        const spec = await getText(jobPath(from, "/spec"), "application/json");
        fill(this.origin, "A copy of ", h("a", { href: routeHref(["jobs", from]) }, from),
          ", which becomes a new job.", spec.includes("(hidden)") && " Write again what was hidden in it.");
        this.origin.hidden = false;
        this.take(formatJSON(visibleJSON(withoutOwnLabels(spec))));
      } else if (template) {
        const found = await get(`/v1/templates/${encodeURIComponent(template)}`);
        const parameters = Object.entries(found.spec.parameters ?? {});
        this.take(formatJSON(writeJSON({
          template,
          params: Object.fromEntries(parameters.map(([name, { default: value, type, minimum }]) =>
            [name, value ?? minimum ?? { string: "", boolean: false, array: [], object: {} }[type] ?? null])),
        })));
      } else {
        this.take(sessionStorage.getItem(draftName) ?? "");
      }
    } catch (problem) { sayProblem(problem); }
    this.editor.begin();
  }

  take(text) { this.editor.take(text); }

  body(text) { return isCurl(text) ? { text, type: "text/x-shellscript" } : { text }; }

  async check(text, signal) {
    const { data } = await send("POST", "/v1/jobs", { query: { validate_only: "true" }, ...this.body(text), signal });
    const mark = h("span.tone-good.ok-mark", icon("check"));
    const warnings = secretWarnings(text).map((warning) => h("p.warning-line", icon("warning"), h("span", warning)));
    if (!data.operations) return panel([mark, "It is valid"], warnings);
    return panel([mark, "This is what it would do"], [warnings, planView(data)]);
  }

  told(text, isGood) {
    this.formatButton.hidden = !text.trim() || isCurl(text);
    this.submitButton.disabled = !isGood;
    this.showLine(isGood ? text : "");
  }

  showLine(text) {
    const url = serverURL("/v1/jobs").href;
    const line = isCurl(text) ? `curl -H 'Content-Type: text/x-shellscript' --data-binary ${shellWord(text.trim())} ${shellWord(url)}`
      : curlLine({ url, body: text.trim(), isJSON: true });
    fill(this.line, text && panel("The curl line that submits it", codeView(line, { label: "curl line" })));
  }

  async submit() {
    if (this.submitButton.disabled) return;
    this.submitButton.disabled = true;
    try {
      const { text } = this.editor;
      // Sent again after an answer that was lost, it is the same job.
      if (this.sent !== text) { this.sent = text; this.key = newKey(); }
      const { data } = await send("POST", "/v1/jobs", { ...this.body(text), headers: { "Idempotency-Key": this.key } });
      this.sent = undefined;
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
