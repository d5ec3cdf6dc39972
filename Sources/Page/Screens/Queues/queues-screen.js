import { limitWords } from "../../Parts/limit-words.js";
import { screen } from "../../Parts/screen.js";
import { TableScreen } from "../../Parts/table-screen.js";
import { goTo, routeHref } from "../../Shell/route.js";
import { foreign, h } from "../../View/dom.js";
import { iconButton } from "../../View/icons.js";
import { since } from "../../View/time-text.js";
import { mayAdmin, mayWrite } from "../../Wire/session.js";
import { askForLimits } from "./queue-form.js";
import { flowMark, queuePauseButton, runningText, waitingText } from "./queue-parts.js";

/** The queues in which jobs wait, and what holds them back. */
class QueuesScreen extends TableScreen {
  title_ = "Queues";
  path = "/v1/queues";
  columns = ["Queue", "State", "Waiting", "Oldest", "Running", "Limits", ""];
  empty = ["queues", "No queues yet", "A queue is here when a job names it or it was given limits."];
  actions = [mayAdmin() && iconButton("compose", "New queue", () => askForLimits(undefined, (name) => goTo(["queues", name])))];

  cells(queue) {
    return [
      h("a.strong", { href: routeHref(["queues", queue.name]) }, foreign(queue.name)), flowMark(queue), waitingText(queue),
      since(queue.oldest_waiting_since) ?? h("span.dim", "–"), runningText(queue.running, queue.spec?.concurrency),
      h("span.dim", limitWords(queue.spec) || "none"),
      mayWrite() && queuePauseButton(queue, () => this.polling.now()),
    ];
  }
}

export const queuesScreen = screen("queues-screen", QueuesScreen, { path: "queues", title: "Queues", icon: "queues", group: "work" });
