import { writeJSON } from "../Basics/lossless-json.js";
import { curlLine } from "../Basics/shell-words.js";
import { rowKeys, setScreenKeys } from "../Shell/keys.js";
import { codeView } from "../View/code-view.js";
import { h, refill } from "../View/dom.js";
import { screenHead } from "../View/facts.js";
import { emptyPanel, loadingPanel } from "../View/notices.js";
import { get, serverURL } from "../Wire/api.js";
import { Polling } from "../Wire/polling.js";
import { PolledScreen } from "./screen.js";

/**
 * A screen that is a table of what one path of the API lists, kept up to date. A screen of its own says:
 * title, path, columns (names), `cells(item, screen)`, and `empty`: icon, title and text for when there is nothing;
 * further, `prepare(items)`, which reads more of them and gives it, `actions` for its head, and `example`, name and value of a first one.
 */
export class TableScreen extends PolledScreen {
  query = { page_size: 200 };

  connectedCallback() {
    this.body = h("div", loadingPanel());
    this.append(screenHead(this.title_, this.actions), this.body);
    setScreenKeys(rowKeys(() => this.body.querySelectorAll("tbody tr"), "a, button"));
  }

  show() { this.polling ??= new Polling(() => this.read(), 3); }

  async read() {
    try {
      const page = await get(this.path, this.query);
      const more = await this.prepare?.(page.items);
      const words = JSON.stringify([page, more]);
      if (words === this.words || this.body.matches(":active")) return;
      this.words = words;
      const [icon, title, text] = this.empty;
      refill(this.body, page.items.length
        ? [h("div.panel", tableOf(this.columns, page.items, (item) => this.cells(item))),
          page.next_page_token && h("p.dim.more-line", `The first ${page.items.length} are shown.`)]
        : emptyPanel(icon, title, h("p", text), this.example && h("div.example", codeView(curlLine({ method: "PUT", url: serverURL(`${this.path}/${this.example[0]}`).href, body: writeJSON(this.example[1]), isJSON: true }), { label: "curl line" }))));
    } catch (problem) {
      if (!this.words) this.showProblem(problem);
      throw problem;
    }
  }
}

/**
 * A table with a row for each item; a narrow window stacks its cells below their names. Columns `#NAME` are of numbers,
 * and one in which no item has anything is left out.
 */
export function tableOf(names, items, cellsOf) {
  const rows = items.map(cellsOf);
  const used = names.map((_, index) => rows.some((row) => ![undefined, null, false, ""].includes(row[index])));
  const titles = names.filter((_, index) => used[index]);
  const columns = titles.map((title) => title.replace("#", ""));
  const classOf = (index) => (titles[index]?.startsWith("#") ? "number" : "");
  return h("div.table-wrap", h("table.table.stacks",
    h("thead", h("tr", columns.map((name, index) => (name ? h("th", { scope: "col", class: classOf(index) }, name) : h("td"))))),
    h("tbody", rows.map((cells) => h("tr", names.map((_, index) => cells[index]).filter((_, index) => used[index]).map((cell, index) =>
      h("td", { "data-name": index ? columns[index] : undefined, class: classOf(index) }, cell)))))));
}
