import { DetailScreen } from "../../Parts/detail-screen.js";
import { screen } from "../../Parts/screen.js";
import { tableOf } from "../../Parts/table-screen.js";
import { routeHref } from "../../Shell/route.js";
import { byWhom, foreign, h } from "../../View/dom.js";
import { facts, panel, widePanel } from "../../View/facts.js";
import { pill } from "../../View/states.js";
import { ago } from "../../View/time-text.js";
import { get, send } from "../../Wire/api.js";
import { mayWrite } from "../../Wire/session.js";
import { bulkMark, bulkProgress, bulkTitle, filterLink, outcomeWords } from "./bulk-parts.js";

const states = { succeeded: ["good", "check", "done"], skipped: ["idle", "cross"], failed: ["bad", "warning"] };

/** A bulk action: how far it is, and what became of each job. */
class BulkScreen extends DetailScreen {
  list = ["bulk", "Bulk actions"];

  async load() {
    const path = `/v1/bulk-actions/${encodeURIComponent(this.name)}`;
    return Promise.all([get(path), get(`${path}/results`, { page_size: 200 })]);
  }

  tell([bulk, results]) {
    const { request } = bulk;
    const job = (id, name) => id && h("a", { href: routeHref(["jobs", id]) }, name === undefined ? id : [foreign(name), " ", h("code.dim.small", id)]);
    const has = (member) => results.items.some((result) => result[member]);
    if (bulk.state !== "running") this.polling.seconds = 30;
    return {
      title: bulkTitle(bulk), mark: bulkMark(bulk.state),
      actions: bulk.state === "running" && mayWrite()
        && this.command("stop", "Stop", () => send("POST", `/v1/bulk-actions/${bulk.id}:cancel`, { json: {} }), "danger"),
      body: [
        panel("", facts(
          ["Progress", bulkProgress(bulk)], ["Outcome", outcomeWords(bulk.by_state)],
          ["Jobs", request.filter ? filterLink(request.filter) : "chosen one by one"],
          request.reason && ["Reason", foreign(request.reason)],
          ["Begun", [ago(bulk.created_at), byWhom(bulk.created_by)]],
          bulk.finished_at && ["Ended", [ago(bulk.finished_at), bulk.cancelled_by && [", stopped", byWhom(bulk.cancelled_by)]]])),
        results.items.length > 0 && widePanel("Results",
          tableOf(["Job", "Outcome", ...(has("detail") ? ["Why"] : []), ...(has("new_job_id") ? ["New job"] : [])], results.items, (result) => [
            job(result.job_id, result.name), pill(states, result.state), ...(has("detail") ? [result.detail && h("span.dim", foreign(result.detail))] : []), ...(has("new_job_id") ? [job(result.new_job_id)] : [])]),
          results.next_page_token && h("p.dim.more-line", `The first ${results.items.length} are shown.`))],
    };
  }
}

export const bulkScreen = screen("bulk-screen", BulkScreen, { path: "bulk", title: "Bulk action", isDetail: true });
