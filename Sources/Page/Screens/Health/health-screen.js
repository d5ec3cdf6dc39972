import { durationText } from "../../Basics/durations.js";
import { spanOf } from "../../Basics/times.js";
import { byteText, countText } from "../../Basics/visible-text.js";
import { PolledScreen, screen } from "../../Parts/screen.js";
import { routeHref } from "../../Shell/route.js";
import { fill, foreign, h } from "../../View/dom.js";
import { facts, panel, screenHead } from "../../View/facts.js";
import { icon } from "../../View/icons.js";
import { loadingPanel } from "../../View/notices.js";
import { sparkline } from "../../View/sparkline.js";
import { jobStates, stateShape } from "../../View/states.js";
import { since } from "../../View/time-text.js";
import { get, send } from "../../Wire/api.js";
import { jobCounts } from "../../Wire/metrics-text.js";
import { readMetrics } from "../../Wire/metrics.js";
import { Polling } from "../../Wire/polling.js";
import { percentile, rateOf } from "./rates.js";

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
      const [metrics, oldest, started, notReady] = await Promise.all([
        readMetrics(), get("/v1/jobs", { state: "queued", order_by: "created_at", page_size: 1 }),
        get("/v1/jobs", { page_size: 200, created_after: new Date(Date.now() - 3_600_000).toISOString() }), ready,
      ]);
      this.samples.push({ at: Date.now(), metrics });
      if (this.samples.length > samplesMax) this.samples.shift();
      this.tell(metrics, oldest.items[0], started.items, notReady);
    } catch (problem) {
      if (!this.samples.length) this.showProblem(problem);
      throw problem;
    }
  }

  tell(metrics, oldest, started, notReady) {
    const number = (name) => metrics.get(name) ?? 0;
    const counts = jobCounts(metrics);
    const ended = (one) => ["succeeded", "failed", "cancelled", "expired", "skipped"].reduce((sum, state) => sum + (jobCounts(one)[state] ?? 0), 0);
    const refused = [...metrics].filter(([name, value]) => name.startsWith("jobserver_refused_total") && value > 0);
    const delays = started.filter((job) => job.started_at)
      .map((job) => Math.max(0, spanOf(job.run_at > job.created_at ? job.run_at : job.created_at, job.started_at)));
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
        rate("Submitted", (one) => one.get("jobserver_submits_total") ?? 0, "run"),
        rate("Ended", ended, "good"),
        panel("Start delay", [h("p.figure", h("b", delays.length ? durationText(percentile(delays, 0.5)) : "–"), " in the middle"),
          facts(["95 of 100 within", delays.length ? durationText(percentile(delays, 0.95)) : "–"], ["Of", `the last ${delays.length} that started`])]),
        panel("Oldest in the queue", oldest
          ? [h("p.figure", h("b", since(oldest.created_at))), h("p", h("a", { href: routeHref(["jobs", oldest.id]) }, foreign(oldest.name)))]
          : [h("p.figure", h("b", "None")), h("p.dim", "No job waits for its turn.")])),
      panel(`${countText(all)} jobs by state`, [
        h("div.state-bar", { "aria-hidden": "true" }, Object.entries(counts).filter(([, count]) => count > 0).map(([state, count]) =>
          h("i", { class: `tone-${jobStates[state]?.tone}`, title: `${state}: ${count}`, style: { "flex-grow": String(count) } }))),
        h("div.state-counts", Object.entries(counts).map(([state, count]) => h("a", {
          href: routeHref(["jobs"], { state }), class: `tone-${jobStates[state]?.tone} ${count ? "" : "none"}`,
        }, stateShape(state, 14), h("span", state), h("b", countText(count)))))]),
      h("div.health-grid",
        panel("Storage", facts(["Takes writes", isSound ? "yes" : h("b.tone-bad", "no")], ["Writes that wait", countText(number("jobserver_waiting_writes"))],
          ["The oldest of them", durationText(number("jobserver_waiting_seconds") * 1000)],
          ["Until durable", number("jobserver_submit_seconds_count") > 0 && durationText(1000 * number("jobserver_submit_seconds_sum") / number("jobserver_submit_seconds_count"))])),
        panel("Refused for overload", refused.length
          ? facts(...refused.map(([name, value]) => [/reason="(\w+)"/.exec(name)[1], countText(value)])) : h("p.dim", "Nothing since the start.")),
        panel("Process", facts(["Up for", durationText(number("jobserver_uptime_seconds") * 1000)], ["Memory", byteText(number("process_resident_memory_bytes"))],
          ["Connections", countText(number("jobserver_http_connections"))], ["Descriptors", countText(number("process_open_fds"))],
          ["Runs here", countText(number("jobserver_jobs_running_here"))]))));
  }
}

export const healthScreen = screen("health-screen", HealthScreen, { path: "health", title: "Health", icon: "health", group: "server" });
