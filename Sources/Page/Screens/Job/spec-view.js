import { curlLine } from "../../Basics/shell-words.js";
import { writeJSON } from "../../Basics/lossless-json.js";
import { rootAddress } from "../../Basics/operation-address.js";
import { routeHref } from "../../Shell/route.js";
import { foreign, h } from "../../View/dom.js";
import { codeView } from "../../View/code-view.js";
import { copyCurlButton } from "../../View/copying.js";
import { panel } from "../../View/facts.js";
import { icon } from "../../View/icons.js";
import { serverURL, getText, jobPath } from "../../Wire/api.js";
import { mayWrite } from "../../Wire/session.js";
import { settingText } from "./verdict.js";

/** The spec of a job as it was accepted, and every setting that applies with who says so. */
export async function specView(job) {
  const spec = await getText(jobPath(job.id, "/spec"), "application/json");
  const line = curlLine({ url: serverURL("/v1/jobs").href, body: spec.trim(), isJSON: true });
  return [
    panel("Spec", [codeView(spec, { json: true, label: "spec" })],
      copyCurlButton(line),
      mayWrite() && h("a.button", { href: routeHref(["compose"], { from: job.id }) }, icon("edit"), "Edit a copy")),
    job.metadata && Object.keys(job.metadata).length > 0 &&
      panel("Metadata", codeView(writeJSON(job.metadata), { json: true, label: "metadata" })),
    job.effective && panel("Settings in effect", effectiveView(job)),
  ];
}

function effectiveView(job) {
  const row = (name, { value, source }) => h("tr", { class: source === "default" ? "from-default" : "" },
    h("td", name), h("td", h("code", settingText(value))),
    h("td.dim", source));
  const { operations, ...settings } = job.effective;
  return [
    h("table.table.effective", h("tbody", Object.entries(settings).map(([name, setting]) => row(name, setting)))),
    operations.slice(0, 20).map((operation) => h("details", { open: operations.length === 1 },
      h("summary", h("b", foreign(operation.operation === rootAddress ? job.name : operation.operation)), h("span.dim", " timeouts and retries")),
      h("table.table.effective", h("tbody",
        Object.entries(operation.timeouts).map(([name, setting]) => row(`timeouts.${name}`, setting)),
        Object.entries(operation.retry ?? {}).map(([name, setting]) => row(`retry.${name}`, setting)))))),
  ];
}
