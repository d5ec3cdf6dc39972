import { approvalCard } from "../../Parts/approval-card.js";
import { PolledScreen, screen } from "../../Parts/screen.js";
import { signalButton } from "../../Parts/signal-form.js";
import { setScreenKeys } from "../../Shell/keys.js";
import { goTo, routeHref } from "../../Shell/route.js";
import { writeJSON } from "../../Basics/lossless-json.js";
import { countText, shortened } from "../../Basics/visible-text.js";
import { apiQuery, filtersOf } from "../Jobs/job-filters.js";
import { copyButton, copyLinkButton } from "../../View/copying.js";
import { byWhom, fill, foreign, h, refill } from "../../View/dom.js";
import { facts } from "../../View/facts.js";
import { showCards } from "../../View/hover-card.js";
import { icon } from "../../View/icons.js";
import { emptyPanel, loadingPanel, say, sayProblem, showOrExplain } from "../../View/notices.js";
import { stateMark } from "../../View/states.js";
import { ago, clock } from "../../View/time-text.js";
import { get, jobPath } from "../../Wire/api.js";
import { actionsFor, askAndRun, isFinal, jobActions } from "../../Wire/job-actions.js";
import { Polling } from "../../Wire/polling.js";
import { mayWrite } from "../../Wire/session.js";
import { ArrivingContent, arrivingOperation } from "./arriving-view.js";
import { AttemptList } from "./attempts-view.js";
import { eventsView } from "./events-view.js";
import { countedStates, groupProgress } from "./group-words.js";
import { graphView } from "./graph-view.js";
import { operationsView, showSentCalls } from "./operations-view.js";
import { resultView } from "./result-view.js";
import { specFacts } from "./spec-model.js";
import { specView } from "./spec-view.js";
import { foldedAxis, idleTimes, timelineRows } from "./timeline-model.js";
import { showTimeline } from "./timeline-view.js";
import { verdictCard } from "./verdict.js";

const tabTitles = { timeline: "Timeline", attempts: "Attempts", operations: "Operations", events: "Events", result: "Result", spec: "Spec" };
const eventsAtOnce = 500;
const operationsAtOnce = 500;
const sentMost = 50;

/** One job: what came of it or why it waits, what it did, and what can be done about it. */
class JobScreen extends PolledScreen {
  constructor() {
    super();
    this.events = [];
    this.calls = new Map();
  }

  connectedCallback() {
    this.head = h("header.job-head-line");
    this.verdict = h("div", loadingPanel());
    this.status = h("p.visually-hidden", { role: "status" });
    this.approvals = h("div.job-approvals");
    this.arriving = h("div.job-arriving");
    this.tabs = h("nav.tabs", { "aria-label": "Parts of the job" });
    this.tabBody = h("div.tab-body");
    showCards(this.tabBody);
    this.aside = h("aside.job-facts", { "aria-label": "Facts" });
    this.append(this.head, this.status, h("div.job-columns",
      h("div.job-column", this.verdict, this.approvals, this.arriving, this.tabs, this.tabBody), this.aside));
    const tabKeys = Object.keys(tabTitles);
    setScreenKeys({
      u: ["Back to the list", () => this.back()],
      r: ["Retry", () => this.act("retry")], e: ["Edit a copy", () => mayWrite() && goTo(["compose"], { from: this.jobID })],
      n: ["Older failed job", () => this.goToFailed(1)], b: ["Newer failed job", () => this.goToFailed(-1)],
      s: ["Cancel", () => this.act("cancel")], h: ["Hold, or release", () => this.act(this.job?.state === "held" ? "release" : "hold")],
      "[": ["Tab before", () => this.step(-1)], "]": ["Next tab", () => this.step(1)],
      ...Object.fromEntries(tabKeys.map((name, index) => [String(index + 1), [tabTitles[name], () => this.open(name)]])),
    });
  }

  show(route) {
    this.jobID = route.parts[1];
    const wanted = route.parts[2];
    this.tab = tabTitles[wanted] ? wanted : "timeline";
    this.chosen = { operation: route.query.get("operation") ?? undefined, state: route.query.get("state") ?? undefined };
    // Its first line is enough beside the other parts.
    this.verdict.classList.toggle("is-line", this.tab !== "timeline");
    if (this.polling) { this.showTabs(); this.showPart(true); return; }
    this.polling = new Polling(() => this.read(), 1, ({ ids }) => ids.includes(this.jobID));
    this.polling.gap = 0.3;
  }

  async read() {
    try {
      this.job = await get(jobPath(this.jobID), { view: "full" });
      const isOver = this.job.done;
      const changed = this.shownRevision !== this.job.revision;
      if (changed || !isOver) {
        const [operations, explanation] = await Promise.all([
          get(jobPath(this.jobID, "/operations"), { view: "full", page_size: 500 }),
          isOver ? undefined : get(jobPath(this.jobID, "/explain"), { page_size: 200 }), this.readEvents(),
        ]);
        this.operations = operations.items;
        this.hasMoreOperations = operations.next_page_token !== undefined;
        this.explanation = explanation;
        if (this.operations.length > 1 || !isOver) await this.specFacts();
      }
      if (!isOver && this.job.operations && !this.hasMoreOperations) this.job.operations.by_state ??= countedStates(this.operations);
      if (changed) await this.readApprovals();
      this.showAll(changed);
      await this.showArriving();
      this.polling.seconds = isOver ? 10 : 1;
      // Progress is no change of the job: it is asked for.
      this.polling.liveSeconds = this.job.state === "running" || this.job.progress ? 1 : 15;
    } catch (problem) {
      if (problem.status === 404) {
        this.polling.stop();
        fill(this, emptyPanel("search", "There is no such job", h("p", problem.detail),
          h("p", h("a", { href: routeHref(["jobs"]) }, "See the jobs"))));
        return;
      }
      if (!this.isShown) this.showProblem(problem, this.verdict);
      throw problem;
    }
  }

  /** Reads the events behind the last one that is known; those of a very long job up to a bound. */
  async readEvents() {
    for (let pages = 0; pages < 8; pages += 1) {
      const after = this.events.at(-1)?.sequence ?? 0;
      const page = await get(jobPath(this.jobID, "/events"), { after, page_size: eventsAtOnce });
      for (const event of page.items) {
        this.events.push(event);
        if (event.type === "attempt_started") {
          if (event.url) this.calls.set(`${event.operation}#${event.attempt}`, { method: event.method, url: event.url });
        }
      }
      this.hasMoreEvents = page.next_page_token !== undefined;
      if (!this.hasMoreEvents || this.events.length > 3000) break;
    }
  }

  /** Shows the content of a call while it arrives. */
  async showArriving() {
    const operation = this.job.done ? undefined : arrivingOperation(this.operations, this.facts.streams, this.chosen.operation);
    if (this.content?.operation !== operation?.operation) {
      this.content = operation && new ArrivingContent(this.jobID, operation, this.facts.items);
      fill(this.arriving, this.content?.element);
    }
    await this.content?.read();
  }

  async readApprovals() {
    const ids = [...new Set((this.job.waiting_on ?? []).map((wait) => wait.approval_id).filter(Boolean))].slice(0, 5);
    const found = await Promise.all(ids.map((id) => get(`/v1/approvals/${id}`)));
    fill(this.approvals, found.map((approval) => h("section.panel.approval-panel",
      approvalCard(approval, () => this.polling.now(), { showsJob: false }))));
  }

  showAll(changed) {
    const { job } = this;
    this.isShown = true;
    if (changed) {
      document.title = `${job.name} · ${job.state} · jobserver`;
      this.status.textContent = `The job is ${job.state}`;
      this.showHead();
      this.showFacts();
      this.showTabs();
      this.shownRevision = job.revision;
    }
    const words = JSON.stringify([job.revision, this.explanation, job.progress, job.operations]);
    if (words !== this.verdictWords) {
      this.verdictWords = words;
      refill(this.verdict, verdictCard(job, this.explanation, this.calls, () => this.polling.now(), this.idleTimes()));
    }
    this.showPart(changed);
  }

  /** Why the job took long; nothing while that is not known. */
  idleTimes() {
    const { job } = this;
    return !job.done || !job.started_at || this.hasMoreEvents ? {} : idleTimes(job, foldedAxis(timelineRows(job, this.events, Date.now())));
  }

  showHead() {
    const { job } = this;
    const again = () => this.polling.now();
    const isFailed = ["failed", "expired"].includes(job.state);
    const actions = actionsFor(job);
    // What succeeded is not run again.
    const lost = groupProgress(job)?.failed;
    const action = (name) => h("button", { class: name === "retry" ? "primary" : jobActions[name].tone, onclick: () => this.act(name) },
      icon(jobActions[name].icon), name === "retry" && lost ? `Retry ${countText(lost)} failed` : jobActions[name].label);
    const canSignal = mayWrite() && !isFinal(job.state) && job.type !== "network" && job.type !== "delay";
    refill(this.head,
      h("p.crumb", isFailed && h("span.neighbours", h("button.quiet", { onclick: () => this.goToFailed(-1) }, "Newer failed"), h("button.quiet", { onclick: () => this.goToFailed(1) }, "Older failed")), h("a", { href: routeHref(["jobs"]), onclick: (event) => { event.preventDefault(); this.back(); } }, icon("left", 14), "Jobs")),
      h("div.job-title", h("h1", foreign(job.name)), stateMark(job.state)),
      h("div.actions",
        canSignal && signalButton(job.id, undefined, again),
        actions.filter((name) => name !== "erase").map(action),
        mayWrite() && h("a.button", { href: routeHref(["compose"], { from: job.id }) }, icon("edit"), isFinal(job.state) && job.state !== "succeeded" ? "Retry edited" : "Edit a copy"),
        actions.includes("erase") && h("details.menu", { onfocusout: ({ currentTarget: menu }) => closeLeft(menu) }, h("summary.button", { "aria-label": "More actions" }, "…"), h("div.menu-body", action("erase")))),
      h("p.job-id", h("code", job.id), copyButton(() => job.id, "Copy the id"), copyLinkButton()));
  }

  /** Goes to the next job that failed: an older one (1) or a newer one (-1), among those of the list that was left. */
  async goToFailed(step) {
    const filters = filtersOf(new URLSearchParams(lastList.split(/\?(.*)/s)[1] ?? ""));
    const query = apiQuery({ ...filters, states: ["failed", "expired"], isOldestFirst: step < 0 });
    try {
      // Others may have the same time.
      const side = step > 0 ? { created_to: this.job.created_at } : { created_from: this.job.created_at };
      const { items } = await get("/v1/jobs", { ...query, ...side, page_size: 200 });
      const at = items.findIndex((job) => job.id === this.jobID);
      const next = items[at + 1];
      if (next) goTo(["jobs", next.id, ...(this.tab === "timeline" ? [] : [this.tab])]);
      else say(step > 0 ? "No older job failed" : "No newer job failed");
    } catch (problem) { sayProblem(problem); }
  }

  showFacts() {
    const { job } = this;
    const listed = (query, text) => h("a", { href: routeHref(["jobs"], query) }, foreign(text));
    fill(this.aside, facts(
      ["Type", job.type], ["Queue", listed({ queue: job.queue }, job.queue)], ["Key", job.queue_key !== undefined && listed({ queue: job.queue, queue_key: job.queue_key }, job.queue_key)], ["Priority", String(job.priority)],
      ["Schedule", job.labels?.schedule && h("a", { href: routeHref(["schedules", job.labels.schedule]) }, foreign(job.labels.schedule))],
      ["Labels", Object.keys(job.labels ?? {}).length > 0 && h("span.labels", Object.entries(job.labels).map(([name, value]) =>
        h("a.label", { href: routeHref(["jobs"], { [`label.${name}`]: value }) }, foreign(`${name}=${value}`))))],
      ...Object.entries(job.metadata ?? {}).slice(0, 6).map(([name, value]) => [foreign(name), foreign(shortened(typeof value === "string" ? value : writeJSON(value), 120))]),
      ["Callback of", job.labels?.callback_of && h("a", { href: routeHref(["jobs", job.labels.callback_of]) }, foreign(job.labels.callback_of))],
      ["Created", [clock(job.created_at), byWhom(job.created_by), h("br"), h("span.dim", ago(job.created_at))]],
      ["Due", clock(job.run_at)], ["Start by", clock(job.start_by)], ["Finish by", clock(job.finish_by)], ["Started", clock(job.started_at)], ["Ended", clock(job.finished_at)],
      ["Attempts", job.attempt > 0 && `${job.attempt} of ${job.max_attempts}`],
      ["Operations", job.operations?.total > 1 && String(job.operations.total)],
      ["Abandoned", job.abandoned && "its work did not stop in time"],
      ["Erased", job.erase_at && ago(job.erase_at)]));
  }

  showTabs() {
    if (!this.job) return;
    const counts = { operations: this.job.operations?.total ?? this.operations?.length - 1, events: this.events.length };
    refill(this.tabs, Object.entries(tabTitles)
      .filter(([name]) => (name !== "operations" || this.operations?.length > 1) && (name !== "result" || this.job.result || this.job.links?.artifacts))
      .map(([name, title]) => h("a.tab", { href: routeHref(["jobs", this.jobID, name]), "aria-current": name === this.tab ? "page" : undefined },
        title, counts[name] ? h("span.count", `${counts[name]}${name === "events" && this.hasMoreEvents ? "+" : ""}`) : null)));
    // In a narrow window, the tab that is shown is in sight.
    const here = this.tabs.querySelector("[aria-current]");
    if (here && this.tabInSight !== this.tab) this.tabs.scrollLeft = here.offsetLeft - this.tabs.offsetLeft - 60;
    this.tabInSight = this.tab;
  }

  /** Shows the tab; `isNew` also when nothing of it has changed. */
  async showPart(isNew) {
    const { job, tab, tabBody } = this;
    if (!this.shownRevision) return;
    const signature = JSON.stringify([tab, this.chosen, job.revision, this.events.length, job.operations]);
    const moves = tab === "timeline" && !job.done;
    if (!isNew && this.partSignature === signature && !moves) return;
    this.partSignature = signature;
    const turn = tabBody.turn = {};
    switch (tab) {
      case "timeline":
        return showTimeline(this.tabBody, job, this.events, this.operations, {
          items: this.facts?.items,
          showsAll: this.showsAllRows, onAll: () => { this.showsAllRows = true; this.showPart(true); },
          isProportional: this.isProportional, onScale: () => { this.isProportional = !this.isProportional; this.showPart(true); },
        });
      case "operations": {
        const causes = new Map((this.explanation?.operations ?? []).map((operation) => [operation.operation, operation]));
        const { state } = this.chosen;
        if (this.rowsState !== state) Object.assign(this, { rowsState: state, rowsShown: operationsAtOnce });
        const found = state ? await this.operationsIn(state, this.rowsShown) : this.hasMoreOperations ? await this.allOperations() : this.operations;
        const facts = await this.specFacts();
        if (tabBody.turn !== turn) return undefined;
        const more = found.length > this.rowsShown && (() => { this.rowsShown += operationsAtOnce; this.showPart(true); });
        refill(this.tabBody, !state && graphView(job, found, this.tabBody.clientWidth - 34, facts),
          operationsView(job, found.slice(0, this.rowsShown), causes, more, state, facts.items));
        if (state || job.done) showSentCalls(job, this.tabBody, this.calls, sentMost);
        return undefined;
      }
      case "events":
        fill(this.tabBody, eventsView(this.events, this.hasMoreEvents, async () => { await this.readEvents(); this.showPart(true); }));
        return undefined;
      case "attempts": {
        const { operation } = this.chosen;
        const attempts = await get(jobPath(this.jobID, "/attempts"), { page_size: 200, operation });
        if (tabBody.turn !== turn) return undefined;
        if (this.attemptList?.operation !== operation || !this.attemptList) this.attemptList = Object.assign(new AttemptList(job), { operation });
        if (!this.attemptList.element.isConnected) fill(this.tabBody, this.attemptList.element);
        this.attemptList.tell(job, attempts.items, this.calls, attempts.next_page_token !== undefined, operation, this.facts?.items);
        return undefined;
      }
      case "result": return showOrExplain(this.tabBody, () => resultView(job), () => this.showPart(true));
      default: return showOrExplain(this.tabBody, () => specView(job), () => this.showPart(true));
    }
  }

  /** What the spec says of the operations; it never changes. */
  async specFacts() {
    this.facts ??= specFacts(await get(jobPath(this.jobID, "/spec")).catch(() => undefined));
    return this.facts;
  }

  /** All operations of a large job, to a bound; read once for a revision, and again and again while it runs. */
  async allOperations() {
    if (this.wholeRevision !== this.job.revision || (!this.job.done && Date.now() - this.wholeAt > 4000)) {
      const items = [];
      let token;
      for (let pages = 0; pages < 20; pages += 1) {
        const page = await get(jobPath(this.jobID, "/operations"), { view: "full", page_size: 500, page_token: token });
        items.push(...page.items);
        token = page.next_page_token;
        if (!token) break;
      }
      this.whole = items;
      this.wholeRevision = this.job.revision;
      this.wholeAt = Date.now();
    }
    return this.whole;
  }

  /** The members in a state, until there are more than a number of them, or all: the server looks for them. */
  async operationsIn(state, count) {
    const found = [];
    let token;
    do {
      const page = await get(jobPath(this.jobID, "/operations"), { view: "full", state, page_size: operationsAtOnce, page_token: token });
      found.push(...page.items.filter((operation) => operation.depth > 0));
      token = page.next_page_token;
    } while (token && found.length <= count);
    return found;
  }

  open(tab) {
    if (this.tabs.querySelector(`[href="${routeHref(["jobs", this.jobID, tab])}"]`)) goTo(["jobs", this.jobID, tab], {}, { replace: true });
  }

  step(by) {
    const shown = [...this.tabs.children];
    const index = shown.findIndex((link) => link.hasAttribute("aria-current"));
    shown[(index + by + shown.length) % shown.length]?.click();
  }

  act(name) {
    if (!this.job || !mayWrite() || !jobActions[name].fits(this.job)) return;
    askAndRun(name, this.job, (isDone) => { if (name === "erase" && isDone) goTo(["jobs"]); else this.polling.now(); });
  }

  /** Back to the list with the filters that it had. */
  back() { location.hash = lastList; }
}

/** Closes a menu when the focus has left it; not before a click in it has arrived. */
function closeLeft(menu) { setTimeout(() => { if (!menu.contains(document.activeElement)) menu.open = false; }, 200); }

/** The address of the list that was looked at last. */
let lastList = routeHref(["jobs"]);
window.addEventListener("hashchange", (event) => {
  const old = new URL(event.oldURL || location.href).hash;
  if (/^#\/jobs(\?|$)/.test(old)) lastList = old;
});

export const jobScreen = screen("job-screen", JobScreen, { path: "jobs", title: "Job", isDetail: true });
