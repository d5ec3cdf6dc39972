import { formatJSON } from "../../Basics/json-text.js";
import { looksLikeJSON } from "../../View/code-view.js";
import { showDialog } from "../../View/dialogs.js";
import { foreign, h } from "../../View/dom.js";
import { comparedLines, comparedRows } from "./attempt-compare.js";

/** Shows two attempts of an operation side by side, `[attempt, entry of the archive]` each, with what differs marked. */
export function showCompared(first, second) {
  const body = (entry, side) => {
    const text = (side === "request" ? entry?.request.postData?.text : entry?.response.content?.text) ?? "";
    return looksLikeJSON(text) ? formatJSON(text) : text;
  };
  const bodies = [["request", "Body of the request"], ["response", "Body of the answer"]].map(([side, title]) => {
    const [left, right] = [body(first[1], side), body(second[1], side)];
    return (left || right) && h("section", h("h3", title, left === right && h("span.dim", ": the same")), left === right
      ? h("pre.compared", foreign(left))
      : h("table.compared", h("tbody", comparedLines(left, right).map((row) => h("tr", { class: row.differs ? "differs" : "" },
        [row.left, row.right].map((text) => h("td", text === undefined ? "" : foreign(text))))))));
  });
  showDialog(`Attempts ${first[0].number} and ${second[0].number}`, () => h("div.compare",
    h("table.compared.names", h("thead", h("tr", h("td"), h("th", { scope: "col" }, `#${first[0].number}`), h("th", { scope: "col" }, `#${second[0].number}`))),
      h("tbody", comparedRows(first, second).map((row) => h("tr", { class: row.differs ? "differs" : "" },
        h("th", { scope: "row" }, row.name), h("td", foreign(row.left)), h("td", foreign(row.right)))))),
    bodies), { wide: true });
}
