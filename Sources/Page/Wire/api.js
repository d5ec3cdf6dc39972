import { parseJSON, writeJSON } from "../Basics/lossless-json.js";

// Paths of the API are resolved against the folder above the page, so that the page works below any prefix.

/** The root of the server, as the browser sees it. */
export const serverRoot = new URL("../", document.baseURI);

let wire = "well";

/** Notes whether the server answers: one state for the whole page, told by the event `wire`. */
function wireIs(state) {
  if (state === wire) return;
  wire = state;
  window.dispatchEvent(new CustomEvent("wire", { detail: state }));
}

/** Whether the last request was answered. */
export function isWireWell() { return wire === "well"; }

/** Something that the server refused, or that kept it from answering. */
export class Problem extends Error {
  constructor(body, status) {
    super(body.detail ?? body.title);
    this.status = status;
    this.code = body.code;
    this.title = body.title;
    this.detail = body.detail;
    this.errors = body.errors ?? [];
    this.requestID = body.request_id;
    this.retryable = body.retryable;
  }
}

/** The whole URL of a path such as `/v1/jobs`. */
export function serverURL(path, query) {
  const url = new URL(path.replace(/^\//, ""), serverRoot);
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null && value !== "") url.searchParams.append(name, value);
  }
  return url;
}

/**
 * Sends a request. Gives status, headers and `data`: parsed JSON, or the text of anything else.
 * - json: a value for the body; text and type: a body as it is; accept: what is wanted; isBinary: whether it gives `bytes`.
 */
export async function send(method, path, { query, json, text, type, accept, headers, signal, isBinary } = {}) {
  const fields = { Accept: accept ?? "application/json", ...headers };
  let body = text;
  if (json !== undefined) body = writeJSON(json);
  if (body !== undefined) fields["Content-Type"] = type ?? "application/json";
  let response;
  try {
    response = await fetch(serverURL(path, query), { method, headers: fields, body, signal, cache: "no-store" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    wireIs("down");
    throw new Problem({
      title: "The server does not answer", code: "page.unreachable",
      detail: `It may be stopped, or the network between here and there is down. ${method === "GET" ? "The page tries again." : "See whether it was done before you try again."}`,
    }, 0);
  }
  wireIs("well");
  if (isBinary && response.ok) return { status: response.status, headers: response.headers, bytes: await response.arrayBuffer() };
  const content = await response.text();
  const isJSON = /[/+]json\b/.test(response.headers.get("content-type") ?? "");
  let data = content;
  if (isJSON && content) {
    try { data = parseJSON(content); } catch { data = content; }
  }
  if (response.ok || response.status === 304) {
    return { status: response.status, headers: response.headers, data, text: content };
  }
  const problem = new Problem(
    typeof data === "object" && data ? data : { title: `The server answered ${response.status}`, detail: content.slice(0, 300) },
    response.status);
  if (response.status === 401 && path !== "/session") window.dispatchEvent(new Event("signed-out"));
  throw problem;
}

/** Reads JSON. */
export async function get(path, query, options) {
  return (await send("GET", path, { query, ...options })).data;
}

/** Reads text. */
export async function getText(path, accept = "*/*") {
  return (await send("GET", path, { accept })).text;
}

/** A new idempotency key. */
export function newKey() {
  return "page-" + Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("");
}

/** The path of a job, or of something that belongs to it. */
export function jobPath(id, rest = "") {
  return `/v1/jobs/${encodeURIComponent(id)}${rest}`;
}
