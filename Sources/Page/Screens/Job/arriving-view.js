import { rootAddress } from "../../Basics/operation-address.js";
import { byteText, visibleText } from "../../Basics/visible-text.js";
import { h } from "../../View/dom.js";
import { panel } from "../../View/facts.js";
import { jobPath, send } from "../../Wire/api.js";
import { operationName } from "./spec-model.js";

const shownMost = 200_000;
const piecesAtOnce = 8;

/** The running operation whose content can be read while it arrives: the chosen one, or the first. */
export function arrivingOperation(operations, streams, chosen) {
  const pattern = (address) => (address === rootAddress ? "" : address.split("/").map((part) => (/^\d+$/.test(part) ? "*" : part)).join("/"));
  const found = operations.filter(({ operation, state }) => state === "running" && streams.has(pattern(operation)));
  return found.find(({ operation }) => operation === chosen) ?? found[0];
}

/** The content of an operation as far as it has arrived; the end of a long one. */
export class ArrivingContent {
  constructor(jobID, operation, items) {
    this.operation = operation.operation;
    this.path = jobPath(jobID, this.operation === rootAddress ? "/result" : `/operations/${encodeURIComponent(this.operation)}/result`);
    this.code = h("code");
    this.box = h("pre.arriving-text", { tabindex: "0", "aria-label": "what has arrived" }, this.code);
    this.size = h("p.dim.small");
    const name = this.operation === rootAddress ? operation.name : operationName(operation, items);
    this.element = panel(`Arriving · ${visibleText(name)}`, [this.box, this.size]);
    this.begin();
  }

  begin() {
    this.offset = "-1";
    this.text = "";
    this.bytes = 0;
    this.isLong = false;
    this.decoder = new TextDecoder();
  }

  /** Reads what has arrived since the last time. */
  async read() {
    if (this.isReading) return;
    this.isReading = true;
    try {
      for (let pieces = 0; pieces < piecesAtOnce; pieces += 1) if (await this.readPiece()) break;
      this.show();
    } catch (problem) {
      // A retry begins with other content; what has no content is not there yet, or not any more.
      if (problem.code === "stream.restarted") { this.begin(); this.show(); } else if (!problem.status) throw problem;
    } finally { this.isReading = false; }
  }

  /** Reads a piece. Returns whether there is no more at present. */
  async readPiece() {
    const { bytes, headers } = await send("GET", this.path, { query: { offset: this.offset }, accept: "*/*", isBinary: true });
    this.offset = headers.get("stream-next-offset") ?? this.offset;
    this.bytes += bytes.byteLength;
    const text = this.text + this.decoder.decode(bytes, { stream: true });
    this.isLong ||= text.length > shownMost;
    this.text = text.slice(-shownMost);
    return headers.has("stream-up-to-date");
  }

  show() {
    if (this.shownBytes === this.bytes) return;
    this.shownBytes = this.bytes;
    const { scrollTop, scrollHeight, clientHeight } = this.box;
    this.code.textContent = visibleText(this.text);
    this.size.textContent = `${byteText(this.bytes)} so far${this.isLong ? "; the end is shown" : ""}`;
    if (scrollTop + clientHeight >= scrollHeight - 8) this.box.scrollTop = this.box.scrollHeight;
  }
}
