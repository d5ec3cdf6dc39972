import { limitWords } from "../../Parts/limit-words.js";
import { screen } from "../../Parts/screen.js";
import { TableScreen } from "../../Parts/table-screen.js";
import { goTo, routeHref } from "../../Shell/route.js";
import { foreign, h } from "../../View/dom.js";
import { countText } from "../../Basics/visible-text.js";
import { barLine } from "../../View/sparkline.js";
import { iconButton } from "../../View/icons.js";
import { since } from "../../View/time-text.js";
import { mayAdmin, mayWrite } from "../../Wire/session.js";
import { askForLimits } from "./queue-form.js";
import { flowMark, queueHistory, queuePauseButton, runningText, waitingText } from "./queue-parts.js";

/** The queues in which jobs wait, and what holds them back. */
class QueuesScreen extends TableScreen {
  title_ = "Queues";
  path = "/v1/queues";
  columns = ["Queue", "State", "#Waiting", "#Oldest", "Running", "Ended, last hour", ""];
  empty = ["queues", "No queues yet", "A queue is here when a job names it or it was given limits."];
  actions = [mayAdmin() && iconButton("compose", "New queue", () => askForLimits(undefined, (name) => goTo(["queues", name])))];

  async prepare() {
    this.history = await queueHistory();
    return [...this.history];
  }

  cells(queue) {
    const past = this.history.get(queue.name);
    return [
      [h("a.strong", { href: routeHref(["queues", queue.name]) }, foreign(queue.name)), queue.spec && h("p.dim.small", limitWords(queue.spec))],
      flowMark(queue), waitingText(queue),
      since(queue.oldest_waiting_since) ?? h("span.dim", "–"), runningText(queue.running, queue.spec?.concurrency),
      past && h("span.progress", barLine(past.counts, { label: "Ended over time", tone: "good" }), countText(past.count), past.failed > 0 && h("span.tone-bad.small", `${countText(past.failed)} failed`)),
      mayWrite() && queuePauseButton(queue, () => this.polling.now()),
    ];
  }
}

export const queuesScreen = screen("queues-screen", QueuesScreen, { path: "queues", title: "Queues", icon: "queues", group: "work" });
