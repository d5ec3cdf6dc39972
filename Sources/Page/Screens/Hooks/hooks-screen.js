import { writeJSON } from "../../Basics/lossless-json.js";
import { countText } from "../../Basics/visible-text.js";
import { screen } from "../../Parts/screen.js";
import { TableScreen, tableOf } from "../../Parts/table-screen.js";
import { routeHref } from "../../Shell/route.js";
import { codeView } from "../../View/code-view.js";
import { showDialog } from "../../View/dialogs.js";
import { foreign, h } from "../../View/dom.js";
import { icon } from "../../View/icons.js";
import { say, sayProblem } from "../../View/notices.js";
import { ago } from "../../View/time-text.js";
import { get, send } from "../../Wire/api.js";
import { mayWrite } from "../../Wire/session.js";

/** What requests from outside do, and what came of them. */
class HooksScreen extends TableScreen {
  title_ = "Hooks";
  path = "/v1/hooks";
  columns = ["Hook", "Address", "Senders prove it by", "Changed", "By", ""];
  empty = ["signal", "No hooks", "A hook makes a job of a signed request from outside."];
  example = ["deploy", { verify: { scheme: "github", key: { $secret: "github" } }, job: { type: "value", value: { $hook: "", at: "/body/ref" } } }];

  cells({ name, spec, address, warnings, updated_at: changed, updated_by: by }) {
    const look = () => showDialog(name, () => codeView(writeJSON(spec), { json: true, label: "hook" }), { wide: true });
    return [
      h("button.link", { onclick: look }, foreign(name)),
      [h("code", foreign(address)), warnings.map(({ detail }) => h("p.dim.small", icon("warning"), " ", foreign(detail)))],
      foreign(spec?.verify?.scheme ?? ""), ago(changed), foreign(by ?? ""),
      h("button", { onclick: () => this.list(name) }, "Deliveries"),
    ];
  }

  async list(name) {
    const path = `/v1/hooks/${encodeURIComponent(name)}/deliveries`;
    try {
      const { items } = await get(path, { page_size: 50 });
      showDialog(`Deliveries to ${name}`, () => (items.length
        ? tableOf(["Came", "Outcome", "Job", "From", ""], items, (delivery) => this.deliveryCells(path, delivery))
        : h("p", "Nothing came in the last 7 days.")), { wide: true });
    } catch (problem) { sayProblem(problem); }
  }

  deliveryCells(path, { id, received_at: at, outcome, reason, detail, times, job_id: job, address }) {
    const replay = async () => {
      try {
        const made = await send("POST", `${path}/${id}:replay`, { json: {} });
        say(`Sent again: ${made.outcome}.`);
      } catch (problem) { sayProblem(problem); }
    };
    return [
      ago(at),
      [outcome, times > 1 && ` (${countText(times)})`, reason && h("p.dim.small", { title: detail }, foreign(reason))],
      job ? h("a", { href: routeHref(["jobs", job]) }, h("code", job)) : "", foreign(address),
      mayWrite() && outcome !== "duplicate" && outcome !== "refused" && h("button", { onclick: replay }, icon("retry"), "Replay"),
    ];
  }
}

export const hooksScreen = screen("hooks-screen", HooksScreen, { path: "hooks", title: "Hooks", icon: "signal", group: "kept" });
