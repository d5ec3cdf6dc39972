import { h } from "../View/dom.js";
import { icon } from "../View/icons.js";

const repeatable = new Set(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]);

/**
 * Whether an upstream may have acted, and whether a repeat is safe: `{ tone, title, text }`. `method` may be unknown.
 */
export function deliveryWords(delivery, method, isGood = false) {
  const isSafe = method !== undefined && repeatable.has(method);
  switch (delivery) {
    case "not_sent":
      return { tone: "good", title: "Nothing was sent", text: "The upstream cannot have acted. A repeat is safe." };
    case "sent_unknown":
      return isSafe
        ? { tone: "wait", title: "It may have arrived", text: `No answer came. A repeat of ${method} is safe: twice is like once.` }
        : { tone: "bad", title: "It may have arrived", text: `No answer came, so the upstream may have acted. A repeat${method ? ` of ${method}` : ""} may act twice, unless the upstream knows its idempotency key.` };
    case "answered":
      if (isGood) return { tone: "good", title: "The upstream answered", text: "" };
      return isSafe
        ? { tone: "idle", title: "The upstream answered", text: `A repeat of ${method} is safe: twice is like once.` }
        : { tone: "idle", title: "The upstream answered", text: "Whether it acted, its answer says. Look before you repeat it." };
    default: return undefined;
  }
}

/** The same as a line with a sign. */
export function deliveryLine(delivery, method, isGood) {
  const words = deliveryWords(delivery, method, isGood);
  if (!words) return null;
  const sign = words.tone === "good" ? "check" : words.tone === "bad" ? "warning" : "info";
  return h("p.delivery", { class: `tone-${words.tone}` }, icon(sign), h("b", words.title),
    words.text && h("span", words.text));
}
