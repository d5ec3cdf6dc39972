import { durationText } from "../../Basics/durations.js";
import { writeJSON } from "../../Basics/lossless-json.js";
import { curlLine } from "../../Basics/shell-words.js";
import { minuteText } from "../../Basics/times.js";
import { countText } from "../../Basics/visible-text.js";
import { PolledScreen, screen } from "../../Parts/screen.js";
import { tableOf } from "../../Parts/table-screen.js";
import { setScreenKeys } from "../../Shell/keys.js";
import { goTo, routeHref } from "../../Shell/route.js";
import { codeView } from "../../View/code-view.js";
import { fill, foreign, h, refill } from "../../View/dom.js";
import { facts, panel, screenHead, widePanel } from "../../View/facts.js";
import { icon } from "../../View/icons.js";
import { emptyPanel, loadingPanel, problemPanel } from "../../View/notices.js";
import { barLine, sparkline } from "../../View/sparkline.js";
import { left, since } from "../../View/time-text.js";
import { get, serverURL } from "../../Wire/api.js";
import { Polling } from "../../Wire/polling.js";
import { session } from "../../Wire/session.js";
import { failuresView } from "./failures-view.js";
import { HistoryChart } from "./history-chart.js";
import { failureKey, historyBars, historyQuery, historyRange, historySpans, inOrder, rateWords, shareText } from "./history-model.js";
import { stuckThings } from "./stuck-model.js";

const stuckMax = 10;
const spanTitles = { "1h": "1 h", "3h": "3 h", "24h": "24 h", "7d": "7 d", "30d": "30 d" };

/** What broke, where and since when: ends over time, failures in groups, and what does not go on by itself. */
class OverviewScreen extends PolledScreen {
  connectedCallback() {
    this.spans = h("nav.state-tabs.spans", { "aria-label": "Time" });
    this.chart = new HistoryChart((from, to) => goTo(["overview"], { from, to }));
    this.chartPanel = h("section.panel.chart-panel", { "aria-label": "Ends over time" }, this.chart.element);
    this.figures = h("div.figures");
    this.stuck = h("div");
    this.failures = h("div");
    this.upstreams = h("div");
    this.top = h("div.overview-top", this.chartPanel, this.figures);
    this.content = h("div.overview", this.top, this.failures, h("div.overview-columns", this.stuck, this.upstreams));
    this.body = h("div", loadingPanel());
    this.append(screenHead("Overview", this.spans), this.body);
    const names = Object.keys(historySpans);
    setScreenKeys({
      ...Object.fromEntries(names.map((name, index) => [String(index + 1), [`The last ${spanTitles[name]}`, () => goTo(["overview"], { span: name })]])),
      Escape: ["", () => { if (this.range.from) goTo(["overview"]); }],
    });
  }

  show({ query }) {
    this.range = historyRange(query);
    this.words = undefined;
    const { span, from, to } = this.range;
    const tab = (name) => h("a.state-tab", { href: routeHref(["overview"], { span: name }), "aria-current": name === span ? "true" : undefined }, spanTitles[name]);
    refill(this.spans, from && h("span.state-tab.chosen-time", { "aria-current": "true" }, `${minuteText(from)} – ${minuteText(to)}`,
      h("a", { href: routeHref(["overview"]), "aria-label": "Without this time", title: "Without this time" }, icon("cross", 12))), Object.keys(historySpans).map(tab));
    if (this.polling) this.polling.now(); else this.polling = new Polling(() => this.read(), 5, () => true);
    this.polling.gap = 5;
  }

  async read() {
    const { range } = this;
    const query = historyQuery(range);
    const isWhole = !session.tenant;
    try {
      const [history, queues, origins, schedules, approvals] = await Promise.all([
        readHistory(query), get("/v1/queues", { page_size: 200 }), isWhole ? get("/v1/origins", { page_size: 100 }) : { items: [] },
        get("/v1/schedules", { page_size: 200 }), get("/v1/approvals", { state: "open", page_size: 100 }),
      ]);
      if (range !== this.range) return;
      const isNew = !history.stats?.total.count && (await get("/v1/jobs", { page_size: 1 })).items.length === 0;
      this.tell(history, stuckThings({ queues: queues.items, origins: origins.items, schedules: schedules.items, approvals: approvals.items }), isNew);
    } catch (problem) {
      if (!this.content.isConnected) this.showProblem(problem);
      throw problem;
    }
  }

  tell({ stats, hosts, failures, problem }, stuck, isNew) {
    if (isNew) { fill(this.body, firstSteps()); return; }
    if (!this.content.isConnected) fill(this.body, this.content);
    const words = JSON.stringify([stats, hosts, failures, stuck, problem?.code]);
    if (words === this.words || this.content.matches(":has(:active)")) return;
    this.words = words;
    refill(this.stuck, widePanel("Stuck now", stuckList(stuck)));
    this.top.hidden = this.upstreams.hidden = Boolean(problem);
    if (problem) { fill(this.failures, problemPanel(problem, () => this.polling.now())); return; }
    const ended = { from: stats.from, to: stats.to };
    this.chart.tell(historyBars(stats));
    refill(this.figures, figuresOf(stats, ended));
    const groups = this.order && this.failures.matches(":hover, :focus-within") ? inOrder(failures.groups, this.order) : failures.groups;
    this.order = groups.map(failureKey);
    refill(this.failures, widePanel(`Failures${failures.count ? ` · ${countText(failures.count)}` : ""}`, failures.groups.length
      ? failuresView({ ...failures, groups }, () => this.polling.now()) : h("p.panel-body.dim", "Nothing failed in this time.")));
    refill(this.upstreams, hosts.groups.length > 0 && widePanel("Upstreams", tableOf(["Upstream", "#Ended", "#Failed", "", "#Duration p95"], hosts.groups, (group) => hostCells(group, ended))));
  }
}

/** The history of a time; `{ problem }` when the server refuses to tell it: what is stuck is told even so. */
async function readHistory(query) {
  try {
    const [stats, hosts, failures] = await Promise.all([
      get("/v1/stats", { ...query, by: "state" }), get("/v1/stats", { ...query, by: "host", limit: 8 }), get("/v1/failures", query),
    ]);
    return { stats, hosts, failures };
  } catch (problem) {
    if (!(problem.status >= 400)) throw problem;
    return { problem };
  }
}

function figuresOf({ total, points, from, to }, ended) {
  const [rate, per] = rateWords(total.count, Date.parse(to) - Date.parse(from));
  const jobs = (query, text) => h("a", { href: routeHref(["jobs"], { ...query, ...ended }) }, text);
  const times = (title, name) => {
    const spread = total[name];
    const line = (which) => points.map((point) => point[name]?.[which] ?? 0);
    return panel(title, [h("p.figure", h("b", spread ? durationText(spread.p50) : "–"), " median"),
      spread && facts(["p95", durationText(spread.p95)], ["p99", durationText(spread.p99)]),
      spread && sparkline(line("p95"), { height: 34, label: `${title}: p95 over time`, tone: "run" })]);
  };
  return [
    panel("Ended", [h("p.figure", h("b", countText(total.count))), h("p.dim.small", `${countText(rate)} ${per}`), h("p.small", jobs({}, "All that ended"))]),
    panel("Failed", [h("p.figure", h("b", { class: total.failed ? "tone-bad" : "" }, countText(total.failed)), " ", shareText(total.failed, total.count)), total.failed > 0 && h("p.small", jobs({ state: "failed,expired" }, "All that failed"))]),
    times("Start delay", "start_delay_ms"), times("Duration", "duration_ms")];
}

function stuckList(stuck) {
  if (!stuck.length) return h("p.panel-body.dim", "Nothing: no queue, upstream, schedule or person holds jobs back.");
  return h("ul.stuck", stuck.slice(0, stuckMax).map(({ tone, sign, parts, name, text, since: begun, until }) => h("li", { class: `tone-${tone}` }, icon(sign),
    h("span", h("a.strong", { href: routeHref(parts) }, foreign(name)), " ", foreign(text)),
    h("span.dim.small.nowrap", begun ? since(begun) : until && ["for ", left(until, "a moment")]))),
  stuck.length > stuckMax && h("li.dim", `and ${countText(stuck.length - stuckMax)} more`));
}

function hostCells({ value, count, failed, duration_ms: duration, failed_counts: counts }, ended) {
  return [
    h("a.strong", { href: routeHref(["jobs"], { state: "failed,expired", host: value, ...ended }), title: "Its jobs that failed" }, foreign(value)), countText(count),
    failed ? h("span.tone-bad.nowrap", `${countText(failed)} · ${shareText(failed, count)}`) : "0",
    failed > 0 && barLine(counts, { label: "Failures over time", tone: "bad" }), duration && h("span.nowrap", durationText(duration.p95))];
}

function firstSteps() {
  const spec = { type: "network", name: "first", request: "https://example.com/" };
  return emptyPanel("empty", "No jobs yet",
    h("p", "A job is one HTTP call, or many, that this server runs for you and remembers."),
    h("div.example", codeView(curlLine({ url: serverURL("/v1/jobs").href, body: writeJSON(spec), isJSON: true }), { label: "curl line" })));
}

export const overviewScreen = screen("overview-screen", OverviewScreen, { path: "overview", title: "Overview", icon: "overview", group: "work" });
