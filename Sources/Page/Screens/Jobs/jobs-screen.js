import { askForBulk } from "../../Parts/bulk-form.js";
import { PolledScreen, screen } from "../../Parts/screen.js";
import { setScreenKeys } from "../../Shell/keys.js";
import { currentRoute, goTo, routeHref } from "../../Shell/route.js";
import { fill, foreign, h, keyed } from "../../View/dom.js";
import { screenHead } from "../../View/facts.js";
import { icon } from "../../View/icons.js";
import { emptyPanel, loadingPanel } from "../../View/notices.js";
import { countText } from "../../Basics/visible-text.js";
import { minuteText } from "../../Basics/times.js";
import { jobStates } from "../../View/states.js";
import { ago } from "../../View/time-text.js";
import { get, isWireWell, jobPath } from "../../Wire/api.js";
import { jobActions } from "../../Wire/job-actions.js";
import { readCounts } from "../../Wire/metrics.js";
import { Polling } from "../../Wire/polling.js";
import { mayWrite } from "../../Wire/session.js";
import { apiQuery, bulkFilter, endStates, filtersOf, hasFilters, isOfEnded, queryOf, spans } from "./job-filters.js";
import { FilterField } from "./filter-field.js";
import { jobRow, tellRow } from "./job-row.js";
import { keepRows, listTitle, pinBehind } from "./list-model.js";
import { stateTabs } from "./state-tabs.js";

const pageRows = 50;
const rowsMax = 500;
const leftMax = 10;
const handTime = 3000;

/** How the list was when a job of it was opened, for the way back. */
let keptList;

/** All jobs, or those that pass the filters in the address; kept up to date while it is looked at. */
class JobsScreen extends PolledScreen {
  constructor() {
    super();
    this.picked = new Map();
    this.jobs = [];
    this.rows = pageRows;
    this.pageToken = null;
    this.handAt = -Infinity;
    this.scrolledTo = 0;
  }

  connectedCallback() {
    this.tabs = h("nav.state-tabs", { "aria-label": "Jobs by state" });
    this.chips = h("div.chips");
    this.list = h("ol.job-list", { "aria-label": "Jobs" });
    this.body = h("div.job-body", { class: mayWrite() ? "" : "no-pick" }, loadingPanel());
    this.bar = h("div.pick-bar", { hidden: true, role: "toolbar", "aria-label": "What to do with the selected jobs" });
    this.pauseButton = h("button.quiet.live", { onclick: () => this.togglePause() });
    this.newButton = h("button.primary.new-jobs", { hidden: true, onclick: () => this.showNew() });
    this.field = new FilterField(() => this.filters, () => this.jobs, (filters) => this.filter(filters));
    this.span = h("select", { "aria-label": "Time", onchange: () => this.filter({ ...this.filters, since: this.span.value, ended: undefined }) });
    this.append(
      screenHead("Jobs", this.pauseButton,
        mayWrite() && h("a.button.primary", { href: routeHref(["compose"]) }, icon("compose"), "New job")),
      this.tabs, h("div.filter-line", this.field.element, this.span), this.field.trouble, this.chips,
      h("div.new-line", { role: "status" }, this.newButton), this.body, this.bar);
    this.showPause();
    this.watchHand();
    setScreenKeys({
      "/": ["Filter", () => this.field.input.select()],
      j: ["Next job", () => this.move(1)], k: ["Job before", () => this.move(-1)],
      ArrowDown: ["", () => this.move(1)], ArrowUp: ["", () => this.move(-1)],
      Enter: ["Open the job", () => this.here()?.link.click()],
      ...mayWrite() && {
        x: ["Select the job", () => this.pickHere()],
        a: ["Select all that are shown", () => this.pickAll(this.picked.size < this.jobs.length)],
        r: ["Retry what is selected", () => this.act("retry")],
        s: ["Cancel what is selected", () => this.act("cancel")],
      },
      n: ["Show new jobs", () => this.newButton.click()],
      p: ["Pause the list, or go on", () => this.togglePause()],
      Escape: ["", () => this.pickAll(false)],
    });
  }

  /** Notices where the page is scrolled to, and a hand in the list. */
  watchHand() {
    this.onScroll = () => {
      this.scrolledTo = window.scrollY;
      this.growNearEnd();
      if (this.pin && !this.isHeld()) this.polling.soon();
    };
    window.addEventListener("scroll", this.onScroll, { passive: true });
    this.onWire = () => this.showPause();
    window.addEventListener("wire", this.onWire);
    this.list.addEventListener("pointermove", ({ movementX, movementY }) => {
      if (!movementX && !movementY) return;
      this.handAt = Date.now();
      clearTimeout(this.handTimer);
      this.handTimer = setTimeout(() => { if (this.pin) this.polling.soon(); }, handTime);
    });
    this.list.addEventListener("focusin", () => { this.hereID = this.here()?.dataset.id; });
    this.list.addEventListener("focusout", () => { if (this.pin) this.polling.soon(); });
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.handTimer);
    window.removeEventListener("scroll", this.onScroll);
    window.removeEventListener("wire", this.onWire);
    const { parts } = currentRoute();
    const { place, jobs, rows, next, hasMore, counts, picked, pin, scrolledTo, hereID } = this;
    keptList = parts[0] === "jobs" && parts.length > 1 && jobs.length ? { place, jobs, rows, next, hasMore, counts, picked, pin, scrolledTo, hereID } : undefined;
  }

  show(route) {
    const page = route.query.get("page");
    if (page !== this.pageToken) window.scrollTo(0, 0);
    this.pageToken = page;
    this.filters = filtersOf(route.query);
    this.place = String(route.query);
    const isBack = keptList?.place === this.place && !this.polling;
    if (isBack) Object.assign(this, keptList);
    else {
      this.rows = pageRows;
      this.isAnew = true;
      this.pin = this.hereID = undefined;
      this.newCount = 0;
      this.countedAt = 0;
      this.isReleased = true;
      this.picked.clear();
      this.bar.hidden = true;
    }
    this.isBack = isBack;
    keptList = undefined;
    fill(this.span, h("option", { value: "" }, "Any time"),
      Object.keys(spans).map((name) => h("option", { value: name }, `${isOfEnded(this.filters) ? "Ended in the last" : "Last"} ${spanWords[name]}`)));
    this.span.value = this.filters.since ?? "";
    document.title = `${listTitle(this.filters)} · jobserver`;
    this.field.say("");
    this.showChips();
    this.showTabs();
    this.showNewCount();
    this.isGrowing = false;
    if (isBack) this.showJobs();
    if (this.polling) { this.polling.now(); return; }
    this.polling = new Polling(() => this.read(), 2, () => true);
    this.polling.told = () => this.showPause();
  }

  /** Puts the way back to the list where it was left. */
  restore() {
    if (!this.isBack) return;
    const { scrolledTo, hereID } = this;
    [...this.list.children].find((row) => row.dataset.id === hereID)?.link.focus({ preventScroll: true });
    window.scrollTo(0, scrolledTo);
  }

  /** Whether rows must not move: something is selected, or a person is in the midst of the list. */
  isHeld() {
    return this.picked.size > 0 || window.scrollY > 160 || this.list.contains(document.activeElement) || Date.now() - this.handAt < handTime;
  }

  async read() {
    const { filters } = this;
    const isGrowing = this.isGrowing && this.hasMore && this.rows > this.jobs.length;
    this.isGrowing = false;
    const isHeld = !this.isReleased && this.isHeld();
    this.isReleased = false;
    if (!isGrowing) this.pin = isHeld && !filters.isOldestFirst && !this.pageToken ? this.pin ?? pinBehind(this.jobs) : undefined;
    const query = apiQuery(filters);
    try {
      const counting = this.count(filters);
      counting.catch(() => undefined);
      const page = await get("/v1/jobs", {
        ...query, view: "full", created_to: this.pin && new Date(Date.parse(this.pin) - 1).toISOString(),
        ...(isGrowing ? { page_size: this.rows - this.jobs.length, page_token: this.next } : { page_size: this.rows, page_token: this.pageToken }),
      });
      if (filters !== this.filters) return;
      const kept = new Set(this.picked.keys());
      if (isHeld) kept.add(this.here()?.dataset.id);
      this.jobs = keepRows(this.isAnew ? [] : this.jobs, isGrowing ? [...this.jobs.filter((job) => !job.hasLeft), ...page.items] : page.items, kept, filters.isOldestFirst);
      this.isAnew = false;
      this.next = page.next_page_token;
      this.hasMore = this.next !== undefined;
      await this.followLeft();
      this.showJobs();
      // The list need not wait for them.
      await counting;
      if (filters !== this.filters) return;
      this.showTabs();
      this.newCount = this.pin ? (await get("/v1/jobs:count", { ...query, order_by: undefined, created_from: this.pin })).count : 0;
      this.showNewCount();
    } catch (problem) {
      // What passes by leaves the rows where they are; the banner tells it.
      if (!this.list.isConnected || (problem.status >= 400 && problem.status < 500 && problem.status !== 429)) this.showProblem(problem);
      throw problem;
    }
    this.polling.gap = this.polling.seconds = this.rows > 200 ? 5 : 2;
  }

  /** Counts by state what passes the filters; what takes long to count is counted less often. */
  async count(filters) {
    const now = Date.now();
    if (now - (this.countedAt ?? 0) < (this.countTook ?? 0) * 20) return;
    this.countedAt = now;
    const of = (states) => {
      const { state: _, order_by: __, ...query } = apiQuery({ ...filters, states });
      return readCounts(query);
    };
    // A span of time is that of the creation, or of the end: each tab counts what it leads to.
    const [all, ended] = await Promise.all([of([]), filters.since && of(endStates)]);
    const counts = { ...all, all: Object.keys(jobStates).reduce((sum, state) => sum + (all[state] ?? 0), 0) };
    if (ended) for (const state of endStates) counts[state] = ended[state] ?? 0;
    this.countTook = Date.now() - now;
    if (filters === this.filters) this.counts = counts;
  }

  /** Reads again what left the list and is shown for its being selected. */
  async followLeft() {
    await Promise.all(this.jobs.filter((job) => job.hasLeft).slice(0, leftMax).map(async (job) => {
      try { Object.assign(job, await get(jobPath(job.id))); } catch (problem) { if (problem.status !== 404) throw problem; }
    }));
  }

  showTabs() {
    stateTabs(this.tabs, this.counts, this.filters.states,
      (states) => routeHref(["jobs"], queryOf({ ...this.filters, states })));
  }

  showNewCount() {
    this.newButton.hidden = !this.newCount;
    const words = this.newCount === 1 ? "One new job" : `${countText(this.newCount ?? 0)} new jobs`;
    if (this.newButton.textContent !== words) this.newButton.textContent = words;
  }

  /** Shows the newest, also beside those that are selected. */
  showNew() {
    this.isReleased = true;
    this.handAt = -Infinity;
    document.activeElement?.blur?.();
    window.scrollTo(0, 0);
    this.polling.now();
  }

  showChips() {
    const chip = (text, without) => h("button.chip", {
      "aria-label": `Without the filter ${text}`, onclick: () => this.filter(without),
    }, foreign(text), icon("cross", 12));
    const { words, labels, ended } = this.filters;
    fill(this.chips,
      this.pageToken && h("span.page-note", "Further down the list. ", h("a", { href: routeHref(["jobs"], queryOf(this.filters)) }, this.filters.isOldestFirst ? "To the oldest" : "To the newest")),
      ended && chip(`ended ${minuteText(ended[0])} – ${minuteText(ended[1])}`, { ...this.filters, ended: undefined }),
      Object.entries(words).map(([name, value]) => {
        const { [name]: _, ...rest } = words;
        return chip(`${chipWords[name] ?? name}: ${value}`, { ...this.filters, words: rest });
      }),
      labels.map((label) => chip(`${label[0]} = ${label[1]}`,
        { ...this.filters, labels: labels.filter((each) => each !== label) })));
    this.chips.hidden = this.chips.childElementCount === 0;
  }

  showJobs() {
    for (const job of this.jobs) if (this.picked.has(job.id)) this.picked.set(job.id, job);
    if (!this.jobs.length) { fill(this.body, this.emptyText()); this.showBar(); return; }
    if (!this.list.isConnected) {
      this.all = h("input", { type: "checkbox", "aria-label": "Select all that are shown", onchange: () => this.pickAll(this.all.checked) });
      this.more = h("div.more-line");
      this.titles = h("div.job-head");
      fill(this.body, this.titles, this.list, this.more);
    }
    const tellsEnd = isOfEnded(this.filters);
    if (this.titles.tellsEnd !== tellsEnd) fill(this.titles, mayWrite() && h("label.pick", this.all),
      ["State", "Job", "Call", "What matters", "Tries", "Took", tellsEnd ? "Ended" : "Created"].map((title) => h("span", title)));
    this.titles.tellsEnd = tellsEnd;
    const hrefWith = (name, value) => routeHref(["jobs"], queryOf({ ...this.filters, words: { ...this.filters.words, [name]: value } }));
    keyed(this.list, this.jobs, (job) => job.id, (job) => jobRow(job, (id, isOn) => this.pick(id, isOn), hrefWith),
      (row, job) => tellRow(row, job, this.picked.has(job.id), tellsEnd));
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
    if (this.hasMore && this.polling && !this.isAnew && this.jobs.length >= this.rows && this.rows < rowsMax && this.more?.getBoundingClientRect().top < innerHeight + 400) this.grow();
  }

  emptyText() {
    if (hasFilters(this.filters)) {
      return emptyPanel("search", "No job passes these filters",
        this.filters.words.origin && isOfEnded(this.filters) && h("p", "The filter “origin” finds jobs that wait for an origin, and none that ended. “host” finds those that failed."),
        h("p", h("a", { href: routeHref(["jobs"]) }, "Show all jobs")));
    }
    return emptyPanel("empty", "No jobs yet",
      h("p", "A job is one HTTP call, or many, that this server runs for you and remembers."),
      mayWrite() && h("p", h("a.button.primary", { href: routeHref(["compose"]) }, icon("compose"), "Compose the first")));
  }

  filter(filters) { goTo(["jobs"], queryOf(filters)); }

  pick(id, isOn) {
    const job = this.jobs.find((each) => each.id === id);
    if (isOn && job) this.picked.set(id, job); else this.picked.delete(id);
    this.showJobs();
    if (!isOn) this.polling.soon();
  }

  pickAll(isOn) {
    this.isAllPicked = false;
    this.picked = new Map(isOn ? this.jobs.map((job) => [job.id, job]) : []);
    if (this.jobs.length) this.showJobs();
    if (!isOn) this.polling.soon();
  }

  showBar() {
    const jobs = [...this.picked.values()];
    const unpicked = this.jobs.filter((job) => !this.picked.has(job.id)).length;
    this.bar.hidden = jobs.length === 0;
    if (this.all) {
      this.all.checked = jobs.length > 0 && !unpicked;
      this.all.indeterminate = jobs.length > 0 && unpicked > 0;
    }
    const canPickMore = !unpicked && this.hasMore && hasFilters(this.filters);
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
    const jobs = this.picked.size ? [...this.picked.values()] : this.jobs.filter((job) => job.id === here);
    const fitting = jobs.filter(jobActions[name].fits);
    if (!mayWrite() || !(fitting.length || this.isAllPicked)) return;
    askForBulk(name, this.isAllPicked ? { filter: bulkFilter(this.filters) } : { ids: fitting.map((job) => job.id) },
      this.isAllPicked ? 0 : jobs.length - fitting.length, () => { this.pickAll(false); this.polling.now(); }, this.isAllPicked ? [] : fitting);
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

  /** Whether the list is live: not while it is paused, nor while it cannot be read. */
  showPause() {
    const isStale = !this.isPaused && this.polling && (!this.polling.isWell || !isWireWell());
    const state = this.isPaused ? "Paused" : isStale ? "Not up to date" : "Live";
    const time = state !== "Live" && this.polling?.wellAt ? new Date(this.polling.wellAt).toISOString() : "";
    if (this.pauseButton.state === state + time) return;
    this.pauseButton.state = state + time;
    this.pauseButton.classList.toggle("is-paused", state === "Paused");
    this.pauseButton.classList.toggle("is-stale", state === "Not up to date");
    fill(this.pauseButton, h("span.live-dot"), state, time && h("span.dim", ago(time)), icon(this.isPaused ? "play" : "pause", 14));
    this.pauseButton.setAttribute("aria-label", this.isPaused ? "The list is paused: go on" : isStale ? "The list is not up to date: pause it" : "The list is live: pause it");
  }
}

const chipWords = { "error.code": "error", "waiting_on.kind": "waits", url_prefix: "url", name_prefix: "name begins", id_prefix: "id begins" };
const spanWords = { "15m": "15 minutes", "1h": "hour", "24h": "24 hours", "7d": "7 days" };

export const jobsScreen = screen("jobs-screen", JobsScreen, { path: "jobs", title: "Jobs", icon: "jobs", group: "work" });
