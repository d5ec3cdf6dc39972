import { goTo } from "../../Shell/route.js";
import { fill, foreign, h } from "../../View/dom.js";
import { icon } from "../../View/icons.js";
import { get } from "../../Wire/api.js";
import { suggestions } from "./filter-words.js";
import { withTyped } from "./job-filters.js";

/** The field for filters, with what may be typed: `element`, and `trouble` for a word that is no filter. */
export class FilterField {
  constructor(filters, jobs, then) {
    this.known = { counts: {} };
    this.choices = h("datalist", { id: "filter-words" });
    this.input = h("input", {
      type: "search", list: "filter-words", placeholder: "name, queue:billing, host:api.example.com, status:500, team=payments, job_…", "aria-label": "Filter jobs",
      spellcheck: "false", enterkeyhint: "search", onfocus: () => this.learn(jobs()), oninput: () => this.suggest(jobs()),
    });
    const take = (event) => {
      event.preventDefault();
      const fresh = withTyped(filters(), this.input.value);
      if (fresh.unknown) { this.say(fresh.why); return; }
      this.input.value = "";
      if (fresh.job) { goTo(["jobs", fresh.job]); return; }
      this.input.blur();
      then(fresh);
    };
    this.element = h("form.filter", { role: "search", onsubmit: take }, icon("search"), this.input, this.choices, h("kbd", { "aria-hidden": "true" }, "/"));
    this.trouble = h("p.trouble", { role: "alert", hidden: true });
  }

  /** Says why a word is no filter. */
  say(text) {
    this.trouble.hidden = !text;
    fill(this.trouble, foreign(text));
  }

  /** Learns how many jobs there are of each queue, type and state. */
  async learn(jobs) {
    this.suggest(jobs);
    try {
      const counts = {};
      for (const by of ["queue", "type", "state"]) {
        counts[by] = Object.fromEntries((await get("/v1/jobs:count", { by })).groups.map((group) => [group[by], group.count]));
      }
      this.known.counts = counts;
      this.suggest(jobs);
    } catch { /* What may be typed is of no use without a server. */ }
  }

  suggest(jobs) {
    fill(this.choices, suggestions(this.input.value, this.known.counts, jobs).map(({ value, label }) => h("option", { value, label })));
  }
}
