import { byteText } from "../../Basics/visible-text.js";
import { foreign, h } from "../../View/dom.js";
import { codeView, looksLikeJSON } from "../../View/code-view.js";
import { facts, panel } from "../../View/facts.js";
import { icon } from "../../View/icons.js";
import { emptyPanel } from "../../View/notices.js";
import { clock } from "../../View/time-text.js";
import { get, jobPath, send, serverURL } from "../../Wire/api.js";

const previewBytes = 256 * 1024;

/** The result of a job: a preview as text, or as a picture; never as a page. */
export async function resultView(job) {
  const artifacts = job.links?.artifacts ? (await get(jobPath(job.id, "/artifacts"))).items : [];
  const result = job.result;
  if (!result && !artifacts.length) {
    return emptyPanel("empty", job.done ? "It has no result" : "No result yet",
      h("p", job.done ? "Only jobs that succeeded have one." : "It appears here when the job has succeeded."));
  }
  return [
    result && panel("Result", [
      facts(["Status", result.status], ["Type", result.content_type && foreign(result.content_type)], ["Size", byteText(result.bytes)],
        ["Coding", result.content_coding], ["Digest", result.digest && h("code", result.digest)]),
      result.bytes > 0 && await preview(job, result),
    ], h("a.button", { href: serverURL(jobPath(job.id, "/result")).href, download: job.name }, icon("download"), "Save")),
    artifacts.length > 0 && panel("Files", h("table.table.stacks", h("tbody", artifacts.map((artifact) => h("tr",
      h("td", h("b", foreign(artifact.name))), h("td", byteText(artifact.bytes)),
      h("td.dim", foreign(artifact.content_type ?? "")), h("td.dim", clock(artifact.stored_at)),
      h("td", h("a", { href: serverURL(jobPath(job.id, `/artifacts/${encodeURIComponent(artifact.name)}`)).href, download: artifact.name }, "Save"))))))),
    result?.headers && panel("Fields of the answer", h("div.header-lines", Object.entries(result.headers).map(([name, value]) =>
      h("div", h("span.dim", foreign(name), ": "), foreign(value))))),
  ];
}

async function preview(job, result) {
  const type = result.content_type ?? "";
  const path = jobPath(job.id, "/result");
  if (/^image\/(png|jpeg|gif|webp|avif)\b/.test(type)) {
    return h("img.result-picture", { src: serverURL(path).href, alt: "The result" });
  }
  if (result.content_coding) return h("p.dim", `It is packed (${result.content_coding}). Save it to look inside.`);
  const isText = /^text\/|json|xml|javascript|yaml|csv|x-www-form-urlencoded/.test(type) || (!type && result.inline !== undefined);
  if (!isText) return h("p.dim", "There is no preview of this type. Save it to look inside.");
  const { text } = await send("GET", path, {
    accept: "*/*", headers: result.bytes > previewBytes ? { Range: `bytes=0-${previewBytes - 1}` } : {},
  });
  const isWhole = result.bytes <= previewBytes;
  return [codeView(text, { json: isWhole && looksLikeJSON(text, type), label: "result" }),
    !isWhole && h("p.dim.small", `The first ${byteText(previewBytes)} of ${byteText(result.bytes)}.`)];
}
