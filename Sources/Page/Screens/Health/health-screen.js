import { durationText } from "../../Basics/durations.js";
import { byteText, countText } from "../../Basics/visible-text.js";
import { PolledScreen, screen } from "../../Parts/screen.js";
import { routeHref } from "../../Shell/route.js";
import { fill, foreign, h } from "../../View/dom.js";
import { facts, panel, screenHead } from "../../View/facts.js";
import { icon } from "../../View/icons.js";
import { loadingPanel } from "../../View/notices.js";
import { sparkline } from "../../View/sparkline.js";
import { jobStates, stateShape } from "../../View/states.js";
import { plainWords } from "../../Parts/upstream-words.js";
import { isFinal } from "../../Wire/job-actions.js";
import { since } from "../../View/time-text.js";
import { get, send } from "../../Wire/api.js";
import { jobCounts } from "../../Wire/metrics-text.js";
import { readMetrics } from "../../Wire/metrics.js";
import { Polling } from "../../Wire/polling.js";
import { rateOf, totalOf } from "./rates.js";

const samplesMax = 150;

/** Whether the server is well: throughput, delays, the oldest that waits, storage, overload. */
class HealthScreen extends PolledScreen {
  connectedCallback() {
    this.samples = [];
    this.body = h("div.health", loadingPanel());
    this.append(screenHead("Health"), this.body);
  }

  show() { this.polling ??= new Polling(() => this.read(), 2); }

  async read() {
    try {
      const ready = send("GET", "/readyz").then(() => undefined, (problem) => problem);
      const [metrics, oldest, servers, notReady] = await Promise.all([
        readMetrics(), get("/v1/jobs", { state: "queued", order_by: "created_at", page_size: 1 }), get("/v1/servers"), ready, this.readEnds(),
      ]);
      this.samples.push({ at: Date.now(), metrics });
      if (this.samples.length > samplesMax) this.samples.shift();
      this.tell(metrics, oldest.items[0], servers.items.length > 1, notReady, this.ends);
    } catch (problem) {
      if (!this.samples.length) this.showProblem(problem);
      throw problem;
    }
  }

  /** Reads what ended in the last hour, now and then: it is counted in minutes. */
  async readEnds() {
    if (Date.now() - this.endsAt < 5000) return;
    this.ends = (await get("/v1/stats", { from: new Date(Date.now() - 3_600_000).toISOString(), by: "state", limit: 1 })).total;
    this.endsAt = Date.now();
  }

  tell(metrics, oldest, isShared, notReady, ends) {
    const number = (name) => metrics.get(name) ?? 0;
    const counts = jobCounts(metrics);
    const ended = (one) => totalOf(one, "jobserver_jobs_ended_total");
    // What came in has ended or is not over: batches, schedules and retries are in it, and erasing changes nothing.
    const cameIn = (one) => ended(one) + Object.entries(jobCounts(one)).reduce((sum, [state, count]) => sum + (isFinal(state) ? 0 : count), 0);
    const spread = (title, name) => {
      const text = (share) => (ends[name] ? durationText(ends[name][share]) : "–");
      return panel(title, h("div.spread", h("p.figure", h("b", text("p50")), " median"), facts(["p95", text("p95")], ["p99", text("p99")]),
        h("p.dim.small", ends.count === 1 ? "one job that ended in the last hour" : `${countText(ends.count)} jobs that ended in the last hour`)));
    };
    const [tried, lost] = [totalOf(metrics, "jobserver_attempts_total"), totalOf(metrics, "jobserver_attempts_total", "failed")];
    const refused = [...metrics].filter(([name, value]) => name.startsWith("jobserver_refused_total") && value > 0);
    const rate = (title, read, tone) => {
      const rates = rateOf(this.samples.map(({ at, metrics: one }) => [at, read(one)]));
      const now = rates.at(-1) ?? 0;
      return panel(title, [h("p.figure", h("b", countText(Number(now.toFixed(now < 10 ? 1 : 0)))), " a second"),
        sparkline(rates.length > 1 ? rates : [now, now], { label: `${title}: ${now.toFixed(1)} a second`, tone, max: 1 })]);
    };
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const isSound = number("jobserver_storage_sound") === 1;
    fill(this.body,
      h("div.ready-line", { class: `tone-${notReady ? "bad" : "good"}` }, icon(notReady ? "warning" : "check", 20),
        h("div", h("h2", notReady ? foreign(notReady.title) : "Ready"), h("p.dim", notReady ? foreign(notReady.detail) : "Jobs are taken and made durable."))),
      h("div.health-grid",
        !isShared && rate("Came in", cameIn, "run"),
        rate(isShared ? "Ended on this server" : "Ended", ended, "good"),
        spread("Start delay", "start_delay_ms"),
        spread("Duration", "duration_ms"),
        panel("Oldest in the queue", oldest
          ? [h("p.figure", h("b", since(oldest.created_at))), h("p", h("a", { href: routeHref(["jobs", oldest.id]) }, foreign(oldest.name))), oldest.waiting_on?.[0]?.detail && h("p.dim.small", foreign(plainWords(oldest.waiting_on[0].detail)))]
          : [h("p.figure", h("b", "None")), h("p.dim", "No job waits for its turn.")])),
      panel(`${countText(all)} jobs by state`, [
        h("div.state-bar", { "aria-hidden": "true" }, Object.entries(counts).filter(([, count]) => count > 0).map(([state, count]) =>
          h("i", { class: `tone-${jobStates[state]?.tone}`, title: `${state}: ${count}`, style: { "flex-grow": String(count) } }))),
        h("div.state-counts", Object.entries(counts).map(([state, count]) => h("a", {
          href: routeHref(["jobs"], { state }), class: `tone-${jobStates[state]?.tone} ${count ? "" : "none"}`,
        }, stateShape(state, 14), h("span", state), h("b", countText(count)))))]),
      h("div.health-grid",
        panel("Storage", facts(["Accepts writes", isSound ? "yes" : h("b.tone-bad", "no")], ["Writes waiting", countText(number("jobserver_waiting_writes"))],
          ["Oldest of them", durationText(number("jobserver_waiting_seconds") * 1000)],
          ["Commit takes", number("jobserver_submit_seconds_count") > 0 && durationText(1000 * number("jobserver_submit_seconds_sum") / number("jobserver_submit_seconds_count"))])),
        panel("Refused for overload", refused.length
          ? facts(...refused.map(([name, value]) => [/reason="(\w+)"/.exec(name)[1], countText(value)])) : h("p.dim", "Nothing since the start.")),
        panel("Process", facts(["Up for", durationText(number("jobserver_uptime_seconds") * 1000)], ["Memory", byteText(number("process_resident_memory_bytes"))],
          ["Connections", countText(number("jobserver_http_connections"))], ["Descriptors", countText(number("process_open_fds"))],
          ["Jobs running", countText(number("jobserver_jobs_running_here"))])),
        panel("Attempts since the start", facts(["All", countText(tried)], ["Failed", tried ? `${countText(lost)}, ${(100 * lost / tried).toFixed(1)} %` : "none"]))));
  }
}

export const healthScreen = screen("health-screen", HealthScreen, { path: "health", title: "Health", icon: "health", group: "server" });
