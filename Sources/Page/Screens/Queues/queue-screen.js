import { writeJSON } from "../../Basics/lossless-json.js";
import { countText } from "../../Basics/visible-text.js";
import { DetailScreen } from "../../Parts/detail-screen.js";
import { matterOf } from "../../Parts/job-words.js";
import { limitWords } from "../../Parts/limit-words.js";
import { screen } from "../../Parts/screen.js";
import { plainWords } from "../../Parts/upstream-words.js";
import { tableOf } from "../../Parts/table-screen.js";
import { goTo, routeHref } from "../../Shell/route.js";
import { codeView } from "../../View/code-view.js";
import { confirmDialog } from "../../View/dialogs.js";
import { byWhom, foreign, h } from "../../View/dom.js";
import { facts, panel, widePanel } from "../../View/facts.js";
import { iconButton } from "../../View/icons.js";
import { sparkline } from "../../View/sparkline.js";
import { stateMark } from "../../View/states.js";
import { ago, left, since } from "../../View/time-text.js";
import { get, send } from "../../Wire/api.js";
import { reasonField } from "../../Wire/job-actions.js";
import { mayAdmin, mayWrite } from "../../Wire/session.js";
import { askForLimits } from "./queue-form.js";
import { flowMark, queueHistory, queuePath, queuePauseButton, runningText, waitingText } from "./queue-parts.js";

const jobsShown = 10;

/** A queue: what waits and runs, its limits, and its busiest keys. */
class QueueScreen extends DetailScreen {
  list = ["queues", "Queues"];
  keys = { p: ["Pause, or resume", () => this.press("pause", "resume")] };

  async load() {
    const queue = await get(queuePath(this.name));
    const [keys, jobs, history, audit] = await Promise.all([
      queue.spec ? get(queuePath(this.name, "/keys"), { page_size: 50 }) : { items: [] },
      get("/v1/jobs", { queue: this.name, state: "running,queued,waiting,retrying", order_by: "created_at", view: "full", page_size: jobsShown }),
      queueHistory(), queue.state === "paused" && mayAdmin() ? get("/v1/audit", { page_size: 200 }) : { items: [] },
    ]);
    const pause = audit.items.find((each) => each.kind === "queues" && each.action === "pause" && each.target === this.name);
    return [queue, keys.items, jobs.items, history.get(this.name), pause];
  }

  tell([queue, keys, inside, history, pause]) {
    const limits = queue.spec;
    const jobs = (text, query) => h("a", { href: routeHref(["jobs"], { queue: queue.name, ...query }) }, text);
    return {
      mark: flowMark(queue),
      actions: [
        mayWrite() && queuePauseButton(queue, () => this.polling.now(), ""),
        mayAdmin() && iconButton("edit", "Limits", () => askForLimits(queue, () => this.polling.now())),
        mayWrite() && iconButton("trash", "Cancel waiting", () => this.cancelWaiting(queue), "danger"),
        mayAdmin() && limits && iconButton("cross", "Remove limits", () => this.removeLimits(queue), "danger"),
      ],
      body: [
        h("div.two-panels",
          panel("Now", [queue.detail && h("p.strong", foreign(plainWords(queue.detail))), facts(
            pause && ["Paused", [ago(pause.at), byWhom(pause.by)]],
            ["Waiting", jobs(waitingText(queue), { state: "queued" })],
            ["Oldest waits for", since(queue.oldest_waiting_since) ?? "nothing waits"],
            ["Running", jobs(runningText(queue.running, limits?.concurrency), { state: "running" })],
            queue.opens_at && ["Next may begin", ["in ", left(queue.opens_at, "a moment")]],
            queue.rate_available !== undefined && ["Rate", `${countText(queue.rate_available)} may begin now`])]),
          panel("Limits", limits ? facts(
            ["All jobs", limitWords({ ...limits, per_key: undefined }) || "none"],
            ["Jobs of a key", limitWords(limits.per_key) || "none"],
            ["Order", limits.order === "fifo" ? "the oldest first" : "keys take turns"],
            limits.max_waiting && ["May wait", [countText(limits.max_waiting), limits.when_full === "wait" ? "; requests wait for room" : "; more are rejected"]],
            limits.defaults && ["Defaults", codeView(writeJSON(limits.defaults), { json: true, label: "defaults" })],
            ["Stored", [ago(queue.updated_at), byWhom(queue.updated_by)]],
          ) : h("p.dim", "It has no limits: its jobs begin as the server has room.")),
          history && panel("Ended in the last hour", [h("p.figure", h("b", countText(history.count)), history.failed > 0 && h("span.tone-bad", ` ${countText(history.failed)} failed`)),
            sparkline(history.counts, { height: 40, label: `${countText(history.count)} jobs ended in the last hour`, tone: "good" })])),
        inside.length > 0 && widePanel("Jobs inside, the oldest first", tableOf(["Job", "State", "What matters", "Created"], inside, (job) => [
          h("a.strong", { href: routeHref(["jobs", job.id]) }, foreign(job.name)), stateMark(job.state), matterOf(job), ago(job.created_at)])),
        limits && widePanel("Busiest keys", keys.length
          ? tableOf(["Key", "State", "Waiting", "Oldest", "Running"], keys, (key) => [
            h("a.strong", { href: routeHref(["jobs"], { queue: queue.name, queue_key: key.key }) }, foreign(key.key)), flowMark(key),
            countText(key.waiting), since(key.oldest_waiting_since) ?? h("span.dim", "–"), runningText(key.running, limits.per_key?.concurrency)])
          : h("p.panel-body.dim", "No job here has a key."))],
    };
  }

  cancelWaiting(queue) {
    const { name } = queue;
    const reason = reasonField();
    confirmDialog({
      title: `Cancel all waiting jobs of ${name}?`, action: "Cancel them", tone: "danger", fields: [reason],
      text: `${waitingText(queue)} wait to run; scheduled and pending jobs are cancelled, too. Running jobs go on.`,
      act: async () => {
        const said = reason.input.value.trim();
        const filter = { queue: name, state: "queued,scheduled,pending" };
        const { data } = await send("POST", "/v1/bulk-actions", { json: { action: "cancel", filter, ...(said ? { reason: said } : {}) } });
        goTo(["bulk", data.id]);
      },
    });
  }

  removeLimits({ name }) {
    confirmDialog({
      title: `Remove the limits of ${name}?`, action: "Remove", tone: "danger", text: "Its jobs begin without limits.",
      act: async () => { await send("DELETE", queuePath(name)); goTo(["queues"]); },
    });
  }
}

export const queueScreen = screen("queue-screen", QueueScreen, { path: "queues", title: "Queue", isDetail: true });
