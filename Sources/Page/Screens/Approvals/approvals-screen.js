import { approvalCard } from "../../Parts/approval-card.js";
import { PolledScreen, screen } from "../../Parts/screen.js";
import { rowKeys, setScreenKeys } from "../../Shell/keys.js";
import { routeHref } from "../../Shell/route.js";
import { fill, h, keyed } from "../../View/dom.js";
import { screenHead } from "../../View/facts.js";
import { emptyPanel, loadingPanel } from "../../View/notices.js";
import { get } from "../../Wire/api.js";
import { Polling } from "../../Wire/polling.js";

/** What jobs ask people: the exact request that will be sent, to be approved or not. */
class ApprovalsScreen extends PolledScreen {
  connectedCallback() {
    this.tabs = h("nav.tabs");
    this.list = h("div.approval-list");
    this.body = h("div", loadingPanel());
    this.append(screenHead("Approvals"), this.tabs, this.body);
    setScreenKeys(rowKeys(() => this.list.children, ".answer button, a"));
  }

  show({ query }) {
    this.isOpen = query.get("state") !== "answered";
    const tab = (title, state, isHere) => h("a.tab", { href: routeHref(["approvals"], { state }), "aria-current": isHere ? "page" : undefined }, title);
    fill(this.tabs, tab("Open", undefined, this.isOpen), tab("Answered", "answered", !this.isOpen));
    if (this.polling) this.polling.now(); else this.polling = new Polling(() => this.read(), 2, () => true);
  }

  async read() {
    try {
      const page = await get("/v1/approvals", { state: this.isOpen ? "open" : "approved,rejected,expired,withdrawn", page_size: 50 });
      if (!page.items.length) {
        fill(this.body, this.isOpen
          ? emptyPanel("approvals", "Nothing waits for you", h("p", "A job with an approval among its conditions shows here what it is about to send."))
          : emptyPanel("approvals", "No approval was answered yet"));
        return;
      }
      if (!this.list.isConnected) fill(this.body, this.list);
      keyed(this.list, page.items, (approval) => approval.id + approval.state, (approval) =>
        h("section.panel.approval-panel", approvalCard(approval, () => this.polling.now())));
    } catch (problem) {
      if (!this.list.isConnected) this.showProblem(problem);
      throw problem;
    }
  }
}

export const approvalsScreen = screen("approvals-screen", ApprovalsScreen, { path: "approvals", title: "Approvals", icon: "approvals", group: "work" });
