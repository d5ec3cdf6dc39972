import { writeJSON } from "../../Basics/lossless-json.js";
import { screen } from "../../Parts/screen.js";
import { TableScreen } from "../../Parts/table-screen.js";
import { codeView } from "../../View/code-view.js";
import { showDialog } from "../../View/dialogs.js";
import { foreign, h } from "../../View/dom.js";
import { ago } from "../../View/time-text.js";

/** Named places that calls go to; secrets in them are named, not shown. */
class ConnectionsScreen extends TableScreen {
  title_ = "Connections";
  path = "/v1/connections";
  columns = ["Connection", "Where it leads", "Version", "Changed", "By"];
  empty = ["connections", "No connections", "A connection says where calls go, as whom and on which way."];
  example = ["crm", { base_url: "https://example.com/" }];

  cells({ name, spec, version, updated_at: changed, updated_by: by }) {
    const look = () => showDialog(name, () => codeView(writeJSON(spec), { json: true, label: "connection" }), { wide: true });
    return [
      h("button.link", { onclick: look }, foreign(name)), foreign(spec?.base_url ?? ""),
      String(version), ago(changed), by && foreign(by),
    ];
  }
}

export const connectionsScreen = screen("connections-screen", ConnectionsScreen, { path: "connections", title: "Connections", icon: "connections", group: "kept" });
