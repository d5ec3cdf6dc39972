import { writeJSON } from "../../Basics/lossless-json.js";
import { byteText, countText } from "../../Basics/visible-text.js";
import { DetailScreen } from "../../Parts/detail-screen.js";
import { screen } from "../../Parts/screen.js";
import { tableOf } from "../../Parts/table-screen.js";
import { routeHref } from "../../Shell/route.js";
import { codeView, looksLikeJSON } from "../../View/code-view.js";
import { copyButton } from "../../View/copying.js";
import { confirmDialog, showDialog } from "../../View/dialogs.js";
import { byWhom, foreign, h } from "../../View/dom.js";
import { facts, panel } from "../../View/facts.js";
import { icon } from "../../View/icons.js";
import { say, sayProblem } from "../../View/notices.js";
import { ago } from "../../View/time-text.js";
import { get, send, serverURL } from "../../Wire/api.js";
import { mayWrite } from "../../Wire/session.js";
import { deliveryMark, deliveryOutcomes } from "./delivery-mark.js";

const deliveriesShown = 200;

/** A hook: what it does, and what came to it. */
class HookScreen extends DetailScreen {
  list = ["hooks", "Hooks"];

  show(route) {
    const { outcome } = this;
    this.outcome = route.query.get("outcome") ?? undefined;
    super.show(route);
    if (outcome !== this.outcome) this.polling.now();
  }

  get path() { return `/v1/hooks/${encodeURIComponent(this.name)}`; }

  async load() {
    return Promise.all([get(this.path), get(`${this.path}/deliveries`, { outcome: this.outcome, page_size: deliveriesShown }), this.outcome]);
  }

  tell([hook, deliveries, chosen]) {
    const { spec, address } = hook;
    const url = serverURL(address).href;
    const filter = (title, outcome) => h("a.state-tab", { href: routeHref(["hooks", this.name], { outcome }), "aria-current": chosen === outcome ? "true" : undefined }, title);
    return {
      actions: mayWrite() && chosen === "ignored" && deliveries.items.length > 0 && h("button", { onclick: () => this.replayIgnored() }, icon("retry"), "Replay all ignored"),
      body: [
        panel("", facts(
          ["Address", [h("code", foreign(url)), " ", copyButton(() => url, "Copy the address")]],
          ["Senders", spec.verify.scheme === "none" ? h("b.tone-bad", "everyone may send") : ["verified by ", foreign(spec.verify.scheme)]],
          ["Makes", hookEffect(spec)],
          ["Stored", [ago(hook.updated_at), byWhom(hook.updated_by), `, version ${hook.version}`]]),
        hook.warnings.map(({ detail }) => h("p.warning-line", icon("warning"), h("span", foreign(detail))))),
        h("section.panel",
          h("header.panel-head", h("h2", "What came in the last 7 days"), h("nav.state-tabs", { "aria-label": "Deliveries by outcome" },
            filter("All"), Object.entries(deliveryOutcomes).map(([outcome, [, , word]]) => filter(word, outcome)))),
          deliveries.items.length
            ? [tableOf(["Came", "Outcome", "Job", "Why", "From", "#Size", ""], deliveries.items, (delivery) => this.deliveryCells(delivery)),
              deliveries.next_page_token && h("p.dim.more-line", `The last ${deliveries.items.length} are shown.`)]
            : h("p.panel-body.dim", chosen ? "None with this outcome." : "Nothing yet.")),
        panel("Spec", codeView(writeJSON(spec), { json: true, label: "hook" }))],
    };
  }

  deliveryCells({ id, received_at: at, outcome, detail, reason, times, job_id: job, address, bytes }) {
    return [
      h("button.link", { onclick: () => this.look(id), title: "See the request" }, ago(at)),
      [deliveryMark(outcome), times > 1 && h("span.dim", ` ${countText(times)} ×`)],
      job && h("a.nowrap", { href: routeHref(["jobs", job]) }, h("code", job)),
      (detail ?? reason) && h("span.dim", foreign(detail ?? reason)), h("span.nowrap", foreign(address)), h("span.nowrap", byteText(bytes)),
      mayWrite() && outcome !== "duplicate" && h("button.row-action", { onclick: () => this.replay(id, outcome) }, icon("retry"), "Replay"),
    ];
  }

  /** Shows the request of a delivery. */
  async look(id) {
    try {
      const { request, body, body_base64: encoded, detail } = await get(`${this.path}/deliveries/${id}`);
      showDialog("Delivery", () => [
        detail && h("p", foreign(detail)),
        request ? h("p.request-line", h("b.method", request.method), foreign(this.name)) : h("p.dim", "The request was not kept."),
        Object.keys(request?.query ?? {}).length > 0 && codeView(writeJSON(request.query), { json: true, label: "query" }),
        h("div.header-lines", Object.entries(request?.headers ?? {}).map(([name, value]) => h("div", h("span.dim", foreign(name), ": "), foreign(value)))),
        body && codeView(body, { json: looksLikeJSON(body, request?.headers?.["content-type"]), label: "body" }),
        encoded && h("p.dim", "The body is no text."),
      ], { wide: true });
    } catch (problem) { sayProblem(problem); }
  }

  async replay(id, outcome) {
    const run = async (json) => {
      const { data } = await send("POST", `${this.path}/deliveries/${id}:replay`, { json });
      say(`Came again: ${deliveryOutcomes[data.outcome]?.[2] ?? data.outcome}`, data.outcome === "refused" ? "bad" : "good");
      this.polling.now();
    };
    if (outcome !== "refused") { try { await run({}); } catch (problem) { sayProblem(problem); } return; }
    confirmDialog({ title: "Take a refused request?", action: "Take it", tone: "danger", text: "Its sender did not prove who it is, and is not asked again.", act: () => run({ refused: true }) });
  }

  /** Lets all that were ignored come again, the newest first, by the hook as it is now. */
  replayIgnored() {
    confirmDialog({
      title: "Replay all that were ignored?", action: "Replay", text: "Each that has done nothing since comes again, by the hook as it is now.",
      act: async () => {
        let [count, failed, page] = [0, 0, {}];
        do {
          const { data } = await send("POST", `${this.path}/deliveries:replay`, { json: { outcome: "ignored", ...page } });
          count += data.items.filter(({ error }) => !error).length;
          failed += data.items.filter(({ error }) => error).length;
          page = data.next_before && { before: data.next_before };
        } while (page);
        say(`${countText(count)} came again${failed ? `, ${countText(failed)} could not` : ""}`, failed ? "bad" : "good");
        this.polling.now();
      },
    });
  }
}

/** What a hook makes of a delivery, in words. */
function hookEffect({ job, template, signal, when }) {
  const what = template ? ["a job of the template ", h("b", foreign(template))] : signal ? ["the signal ", h("b", foreign(signal.name))]
    : ["a job", job?.name && [" named ", h("b", foreign(job.name))], job?.type && [" (", foreign(job.type), ")"]];
  return [what, when && ", when its condition holds"];
}

export const hookScreen = screen("hook-screen", HookScreen, { path: "hooks", title: "Hook", isDetail: true });
