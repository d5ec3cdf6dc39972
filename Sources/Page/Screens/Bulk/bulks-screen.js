import { screen } from "../../Parts/screen.js";
import { TableScreen } from "../../Parts/table-screen.js";
import { routeHref } from "../../Shell/route.js";
import { foreign, h } from "../../View/dom.js";
import { ago } from "../../View/time-text.js";
import { bulkMark, bulkProgress, bulkTitle, outcomeWords } from "./bulk-parts.js";

/** Bulk actions, the newest first. */
class BulksScreen extends TableScreen {
  title_ = "Bulk actions";
  path = "/v1/bulk-actions";
  columns = ["Action", "State", "Progress", "Outcome", "Begun"];
  empty = ["bulk", "No bulk actions", "Select jobs in the list, or filter it, to do something to many at once."];

  cells(bulk) {
    return [
      h("a.strong", { href: routeHref(["bulk", bulk.id]) }, bulkTitle(bulk)), bulkMark(bulk.state), bulkProgress(bulk),
      outcomeWords(bulk.outcomes), [ago(bulk.created_at), " by ", foreign(bulk.created_by)],
    ];
  }
}

export const bulksScreen = screen("bulks-screen", BulksScreen, { path: "bulk", title: "Bulk actions", icon: "bulk", group: "work" });
