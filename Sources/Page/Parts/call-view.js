import { urlParts } from "../Basics/call-urls.js";
import { shortened } from "../Basics/visible-text.js";
import { foreign, h } from "../View/dom.js";

/** A call in a line: `POST api.example.com/v2/contacts`. With `hrefOf` the host leads to where it says. */
export function callView({ method, url }, hrefOf) {
  const parts = urlParts(url);
  const host = parts && foreign(parts.host);
  return h("span.call", { title: shortened(`${method} ${url}`, 400) }, h("b.method", method), " ",
    parts ? [hrefOf ? h("a.code-link", { href: hrefOf(parts.host) }, host) : h("b", host), h("span.dim", foreign(shortened(parts.path, 200)))] : foreign(shortened(url, 200)));
}
