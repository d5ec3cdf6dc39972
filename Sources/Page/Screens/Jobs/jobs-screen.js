import { askForBulk } from "../../Parts/bulk-form.js";
import { PolledScreen, screen } from "../../Parts/screen.js";
import { setScreenKeys } from "../../Shell/keys.js";
import { goTo, routeHref } from "../../Shell/route.js";
import { fill, foreign, h, keyed } from "../../View/dom.js";
import { screenHead } from "../../View/facts.js";
import { icon } from "../../View/icons.js";
import { emptyPanel, loadingPanel } from "../../View/notices.js";
import { get } from "../../Wire/api.js";
import { jobActions } from "../../Wire/job-actions.js";
import { readCounts } from "../../Wire/metrics.js";
import { Polling } from "../../Wire/polling.js";
import { mayWrite } from "../../Wire/session.js";
import { apiQuery, bulkFilter, filtersOf, hasFilters, queryOf, spans, withTyped } from "./job-filters.js";
import { jobRow, tellRow } from "./job-row.js";
import { stateTabs } from "./state-tabs.js";

const pageRows = 50;
const rowsMax = 500;

/** All jobs, or those that pass the filters in the address; kept up to date while it is looked at. */
class JobsScreen extends PolledScreen {
  constructor() {
    super();
    this.picked = new Set();
    this.jobs = [];
    this.rows = pageRows;
    this.pageToken = null;
  }

  connectedCallback() {
    this.tabs = h("nav.state-tabs", { "aria-label": "Jobs by state" });
    this.chips = h("div.chips");
    this.list = h("ol.job-list", { "aria-label": "Jobs" });
    this.body = h("div.job-body", loadingPanel());
    this.bar = h("div.pick-bar", { hidden: true, role: "toolbar", "aria-label": "What to do with the selected jobs" });
    this.pauseButton = h("button.quiet.live", { onclick: () => this.togglePause() });
    this.input = h("input", {
      type: "search", placeholder: "name, queue:billing, team=payments, error:…, waits:signal, job_…", "aria-label": "Filter jobs",
      spellcheck: "false", enterkeyhint: "search",
    });
    this.span = h("select", { "aria-label": "Created", onchange: () => this.filter({ ...this.filters, since: this.span.value }) },
      h("option", { value: "" }, "Any time"), Object.keys(spans).map((name) => h("option", { value: name }, `Last ${spanWords[name]}`)));
    const form = h("form.filter", { role: "search", onsubmit: (event) => { event.preventDefault(); this.filterTyped(); } },
      icon("search"), this.input, h("kbd", { "aria-hidden": "true" }, "/"));
    this.append(
      screenHead("Jobs", this.pauseButton,
        mayWrite() && h("a.button.primary", { href: routeHref(["compose"]) }, icon("compose"), "New job")),
      this.tabs, h("div.filter-line", form, this.span), this.chips, this.body, this.bar);
    this.showPause();
    this.onScroll = () => this.growNearEnd();
    window.addEventListener("scroll", this.onScroll, { passive: true });
    setScreenKeys({
      "/": ["Filter", () => this.input.select()],
      j: ["Next job", () => this.move(1)], k: ["Job before", () => this.move(-1)],
      ArrowDown: ["", () => this.move(1)], ArrowUp: ["", () => this.move(-1)],
      Enter: ["Open the job", () => this.here()?.link.click()],
      x: ["Select the job", () => this.pickHere()],
      a: ["Select all that are shown", () => this.pickAll(this.picked.size < this.jobs.length)],
      r: ["Retry what is selected", () => this.act("retry")],
      s: ["Stop (cancel) what is selected", () => this.act("cancel")],
      p: ["Pause the list, or go on", () => this.togglePause()],
      Escape: ["", () => this.pickAll(false)],
    });
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    window.removeEventListener("scroll", this.onScroll);
  }

  show(route) {
    const page = route.query.get("page");
    if (page !== this.pageToken) window.scrollTo(0, 0);
    this.pageToken = page;
    this.filters = filtersOf(route.query);
    this.rows = pageRows;
    this.span.value = this.filters.since ?? "";
    this.showChips();
    this.showTabs();
    this.isGrowing = false;
    if (this.polling) { this.polling.now(); return; }
    this.polling = new Polling(() => this.read(), 2, () => true);
  }

  async read() {
    const { filters } = this;
    const isGrowing = this.isGrowing && this.hasMore && this.rows > this.jobs.length;
    this.isGrowing = false;
    try {
      const counting = readCounts();
      counting.catch(() => undefined);
      const page = await get("/v1/jobs", {
        ...apiQuery(filters), ...(isGrowing ? { page_size: this.rows - this.jobs.length, page_token: this.next } : { page_size: this.rows, page_token: this.pageToken }),
      });
      if (filters !== this.filters) return;
      this.jobs = isGrowing ? [...this.jobs, ...page.items] : page.items;
      this.next = page.next_page_token;
      this.hasMore = this.next !== undefined;
      this.showJobs();
      // The list need not wait for them.
      this.counts = await counting;
      this.showTabs();
    } catch (problem) {
      if (!this.list.isConnected || problem.status >= 400) this.showProblem(problem);
      throw problem;
    }
    this.polling.gap = this.polling.seconds = this.rows > 200 ? 5 : 2;
  }

  showTabs() {
    stateTabs(this.tabs, this.counts, this.filters.states,
      (states) => routeHref(["jobs"], queryOf({ ...this.filters, states })));
  }

  showChips() {
    const chip = (text, without) => h("button.chip", {
      "aria-label": `Without the filter ${text}`, onclick: () => this.filter(without),
    }, foreign(text), icon("cross", 12));
    const { words, labels } = this.filters;
    fill(this.chips,
      Object.entries(words).map(([name, value]) => {
        const { [name]: _, ...rest } = words;
        return chip(`${name}: ${value}`, { ...this.filters, words: rest });
      }),
      labels.map((label) => chip(`${label[0]} = ${label[1]}`,
        { ...this.filters, labels: labels.filter((each) => each !== label) })));
    this.chips.hidden = this.chips.childElementCount === 0;
  }

  showJobs() {
    const known = new Set(this.jobs.map((job) => job.id));
    for (const id of this.picked) if (!known.has(id)) this.picked.delete(id);
    if (!this.jobs.length) { fill(this.body, this.emptyText()); this.showBar(); return; }
    if (!this.list.isConnected) {
      this.all = h("input", { type: "checkbox", "aria-label": "Select all that are shown", onchange: () => this.pickAll(this.all.checked) });
      this.more = h("div.more-line");
      fill(this.body,
        h("div.job-head", h("label.pick", this.all), h("span", "State"), h("span", "Job"),
          h("span", "What matters"), h("span", "Created")),
        this.list, this.more);
    }
    keyed(this.list, this.jobs, (job) => job.id, (job) => jobRow(job, (id, isOn) => this.pick(id, isOn)),
      (row, job) => tellRow(row, job, this.picked.has(job.id)));
    const isFull = this.rows >= rowsMax;
    // A button that is replaced while it is pressed loses the click.
    const shown = this.hasMore ? isFull && this.next : this.jobs.length;
    if (shown !== this.more.shown) fill(this.more, !this.hasMore
      ? h("p.dim", this.jobs.length === 1 ? "One job" : `${this.jobs.length} jobs`)
      : !isFull ? h("button", { onclick: () => this.grow() }, "Show more")
        : h("p.dim", `The ${this.pageToken ? "next" : this.filters.isOldestFirst ? "oldest" : "newest"} ${rowsMax} are shown. `,
          h("a", { href: routeHref(["jobs"], [...queryOf(this.filters), ["page", this.next]]) }, this.filters.isOldestFirst ? "Newer jobs" : "Older jobs")));
    this.more.shown = shown;
    this.showBar();
    this.growNearEnd();
  }

  /** Reads the rows behind those that are shown. */
  grow() {
    this.rows = Math.min(rowsMax, this.jobs.length + pageRows * 2);
    this.isGrowing = true;
    this.polling.now();
  }

  /** Reads more of the list when its end comes into view. */
  growNearEnd() {
    if (this.hasMore && this.jobs.length === this.rows && this.rows < rowsMax && this.more?.getBoundingClientRect().top < innerHeight + 400) this.grow();
  }

  emptyText() {
    if (hasFilters(this.filters)) {
      return emptyPanel("search", "No job passes these filters",
        h("p", h("a", { href: routeHref(["jobs"]) }, "Show all jobs")));
    }
    return emptyPanel("empty", "No jobs yet",
      h("p", "A job is one HTTP call, or many, that this server runs for you and remembers."),
      mayWrite() && h("p", h("a.button.primary", { href: routeHref(["compose"]) }, icon("compose"), "Compose the first")));
  }

  filter(filters) { goTo(["jobs"], queryOf(filters)); }

  filterTyped() {
    const fresh = withTyped(this.filters, this.input.value);
    this.input.value = "";
    if (fresh.job) { goTo(["jobs", fresh.job]); return; }
    this.input.blur();
    this.filter(fresh);
  }

  pick(id, isOn) {
    if (isOn) this.picked.add(id); else this.picked.delete(id);
    this.showJobs();
  }

  pickAll(isOn) {
    this.isAllPicked = false;
    this.picked = new Set(isOn ? this.jobs.map((job) => job.id) : []);
    if (this.jobs.length) this.showJobs();
  }

  showBar() {
    const jobs = this.jobs.filter((job) => this.picked.has(job.id));
    this.bar.hidden = jobs.length === 0;
    if (this.all) {
      this.all.checked = jobs.length > 0 && jobs.length === this.jobs.length;
      this.all.indeterminate = jobs.length > 0 && jobs.length < this.jobs.length;
    }
    const canPickMore = jobs.length === this.jobs.length && this.hasMore && hasFilters(this.filters);
    if (!canPickMore) this.isAllPicked = false;
    const signature = jobs.map((job) => job.id + job.state).join() + canPickMore + this.isAllPicked;
    if (!jobs.length || this.barSignature === signature) return;
    this.barSignature = signature;
    const names = Object.keys(jobActions).filter((name) => this.isAllPicked || jobs.some(jobActions[name].fits));
    fill(this.bar, h("b", this.isAllPicked ? "All that pass the filters" : `${jobs.length} selected`),
      canPickMore && !this.isAllPicked && h("button", { onclick: () => { this.isAllPicked = true; this.showBar(); } }, "Select all that pass the filters"),
      mayWrite() && names.map((name) => h("button", {
        class: jobActions[name].tone, onclick: () => this.act(name),
      }, icon(jobActions[name].icon), jobActions[name].label)),
      h("button.quiet", { onclick: () => this.pickAll(false) }, "Clear"));
  }

  act(name) {
    const here = this.here()?.dataset.id;
    const jobs = this.jobs.filter((job) => this.picked.size ? this.picked.has(job.id) : job.id === here);
    const fitting = jobs.filter(jobActions[name].fits);
    if (!mayWrite() || !(fitting.length || this.isAllPicked)) return;
    askForBulk(name, this.isAllPicked ? { filter: bulkFilter(this.filters) } : { ids: fitting.map((job) => job.id) },
      this.isAllPicked ? 0 : jobs.length - fitting.length, () => { this.pickAll(false); this.polling.now(); });
  }

  here() { return document.activeElement?.closest?.(".job-row") ?? undefined; }

  move(step) {
    const rows = [...this.list.children];
    const index = rows.indexOf(this.here());
    const next = rows[Math.max(0, Math.min(rows.length - 1, index < 0 ? (step > 0 ? 0 : rows.length - 1) : index + step))];
    next?.link.focus();
    next?.scrollIntoView({ block: "nearest" });
  }

  pickHere() {
    const id = this.here()?.dataset.id;
    if (id) this.pick(id, !this.picked.has(id));
  }

  togglePause() {
    this.isPaused = !this.isPaused;
    this.polling?.pause(this.isPaused);
    this.showPause();
  }

  showPause() {
    this.pauseButton.classList.toggle("is-paused", Boolean(this.isPaused));
    fill(this.pauseButton, h("span.live-dot"), this.isPaused ? "Paused" : "Live", icon(this.isPaused ? "play" : "pause", 14));
    this.pauseButton.setAttribute("aria-label", this.isPaused ? "The list is paused: go on" : "The list is live: pause it");
  }
}

const spanWords = { "15m": "15 minutes", "1h": "hour", "24h": "24 hours", "7d": "7 days" };

export const jobsScreen = screen("jobs-screen", JobsScreen, { path: "jobs", title: "Jobs", icon: "jobs", group: "work" });
