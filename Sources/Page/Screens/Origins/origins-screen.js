import { urlParts } from "../../Basics/call-urls.js";
import { countText } from "../../Basics/visible-text.js";
import { screen } from "../../Parts/screen.js";
import { TableScreen } from "../../Parts/table-screen.js";
import { foreign, h } from "../../View/dom.js";
import { iconButton } from "../../View/icons.js";
import { say, sayProblem } from "../../View/notices.js";
import { pill } from "../../View/states.js";
import { plainWords } from "../../Parts/upstream-words.js";
import { routeHref } from "../../Shell/route.js";
import { ago, left } from "../../View/time-text.js";
import { send } from "../../Wire/api.js";
import { mayWrite } from "../../Wire/session.js";

const originStates = {
  open: ["good", "check", "Open"], cooling_down: ["hold", "clock", "Asked for a pause"], broken: ["bad", "warning", "Circuit open"],
  probing: ["run", "retry", "Being tried"],
};

/** The upstreams that jobs call, and those that hold calls back. */
class OriginsScreen extends TableScreen {
  title_ = "Origins";
  path = "/v1/origins";
  columns = ["Origin", "State", "#In flight", "#Failed, 1 min", "#Retries, 10 s", "Used", ""];
  empty = ["origins", "No upstream was called yet", "Each scheme, host and port that jobs call appears here, with whether it is spared."];

  cells(origin) {
    const { calls, failures } = origin.breaker;
    return [
      [h("a.strong", { href: routeHref(["jobs"], { state: "failed,expired", host: urlParts(origin.origin)?.host, since: "24h" }), title: "Its jobs that failed in the last 24 hours" }, foreign(origin.origin)),
        origin.detail && h("p.dim.small", foreign(plainWords(origin.detail.replace(`${origin.origin} `, "It "))))],
      [pill(originStates, origin.state), origin.until && h("p.dim.small", "calls again in ", left(origin.until)),
        origin.state !== "open" && h("p.small", h("a", { href: routeHref(["jobs"], { origin: origin.origin }) }, "Jobs that wait for it"))],
      countText(origin.in_flight), calls ? `${countText(failures)} of ${countText(calls)}` : "–",
      `${countText(origin.retry_budget.retries)} of ${countText(origin.retry_budget.retries_allowed)}`, h("span.nowrap", ago(origin.used_at)),
      origin.state !== "open" && mayWrite() && iconButton("retry", "Reset", () => this.reset(origin)),
    ];
  }

  async reset(origin) {
    try {
      const { data } = await send("POST", `/v1/origins/${encodeURIComponent(origin.origin)}:reset`, { json: {} });
      say(`Calls go through again; ${data.jobs_woken} ${data.jobs_woken === 1 ? "job goes" : "jobs go"} on`, "good");
      this.polling.now();
    } catch (problem) { sayProblem(problem); }
  }
}

export const originsScreen = screen("origins-screen", OriginsScreen, { path: "origins", title: "Origins", icon: "origins", group: "server" });
