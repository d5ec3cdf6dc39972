import { countText, shortened } from "../../Basics/visible-text.js";
import { writeJSON } from "../../Basics/lossless-json.js";
import { rootAddress } from "../../Basics/operation-address.js";
import { foreign, h } from "../../View/dom.js";
import { icon } from "../../View/icons.js";
import { ago } from "../../View/time-text.js";

/** What came to the callback URLs that operations of an explanation wait for. */
export function callbackViews(explanation) {
  return (explanation?.operations ?? []).filter(({ callback }) => callback && !callback.taken_at).slice(0, 6).map(callbackView);
}

function callbackView({ operation, callback }) {
  const { handed_out: isOut, heard_at: heard, progress, other_calls: others, calls = [] } = callback;
  return h("div.callback",
    h("p.countdown", icon("connections"), h("span", operation !== rootAddress && [h("b", foreign(operation)), ": "], isOut ? "the URL was handed out" : "the URL was not handed out yet",
      isOut && (heard ? [" · heard from the sender ", h("b", ago(heard))] : h("span.dim", " · nothing came yet")),
      progress && [" · ", progressWords(progress)])),
    others > 0 && h("details", h("summary", others === 1 ? "One request did not end the wait" : `${countText(others)} requests did not end the wait`),
      h("ul.blocks", [...calls].reverse().map(({ at, status, reason, address }) => h("li",
        h("b", { class: status >= 400 ? "tone-bad" : "" }, String(status)), foreign(reason), h("span.dim", ago(at)), address && h("code.dim.small", foreign(address)))))));
}

/** What a sender reported: `3 of 10 pages`, or as it is. */
function progressWords({ done, total, unit, ...rest }) {
  if (typeof done !== "number") return foreign(shortened(writeJSON({ done, total, unit, ...rest }), 120));
  return [h("b", countText(done)), total !== undefined && ` of ${countText(total)}`, unit && [" ", foreign(shortened(String(unit), 40))]];
}
