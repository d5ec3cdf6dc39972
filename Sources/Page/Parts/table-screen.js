import { fill, h } from "../View/dom.js";
import { screenHead } from "../View/facts.js";
import { emptyPanel, loadingPanel, problemPanel } from "../View/notices.js";
import { get } from "../Wire/api.js";
import { Polling } from "../Wire/polling.js";

/**
 * A screen that is a table of what one path of the API lists, kept up to date. A screen of its own says:
 * title, path, columns (names), `cells(item, screen)`, and `empty`: icon, title and text for when there is nothing.
 */
export class TableScreen extends HTMLElement {
  connectedCallback() {
    this.body = h("div", loadingPanel());
    this.append(screenHead(this.title_), this.body);
  }

  disconnectedCallback() { this.polling?.stop(); }

  show() { this.polling ??= new Polling(() => this.read(), 3); }

  async read() {
    try {
      const page = await get(this.path, { page_size: 200 });
      const words = JSON.stringify(page);
      if (words === this.words) return;
      this.words = words;
      const [icon, title, text] = this.empty;
      fill(this.body, page.items.length
        ? [h("div.panel.table-wrap", h("table.table.stacks",
            h("thead", h("tr", this.columns.map((name) => (name ? h("th", { scope: "col" }, name) : h("td"))))),
            h("tbody", page.items.map((item) => h("tr", this.cells(item).map((cell, index) =>
              h("td", { "data-name": index ? this.columns[index] : undefined }, cell))))))),
          page.next_page_token && h("p.dim.more-line", `The first ${page.items.length} are shown.`)]
        : emptyPanel(icon, title, h("p", text)));
    } catch (problem) {
      if (!this.words) fill(this.body, problemPanel(problem, () => this.polling.now()));
      throw problem;
    }
  }
}
