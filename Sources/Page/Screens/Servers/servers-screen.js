import { countText } from "../../Basics/visible-text.js";
import { screen } from "../../Parts/screen.js";
import { TableScreen } from "../../Parts/table-screen.js";
import { foreign, h } from "../../View/dom.js";
import { ago, left } from "../../View/time-text.js";

/** The servers that share the jobs. */
class ServersScreen extends TableScreen {
  title_ = "Servers";
  path = "/v1/servers";
  query = {};
  columns = ["Server", "Jobs running", "Lease", "Started", "Version", "Address"];
  empty = ["servers", "No servers", "The servers that share one PostgreSQL are here."];

  cells(server) {
    return [
      [h("b", foreign(server.host)), " ", server.answers && h("span.label", "this one"), h("p.dim.small", h("code", server.id))],
      countText(server.running_jobs),
      server.lease_until ? left(server.lease_until, "expired: other servers take over its jobs") : h("span.dim", "needs none"),
      ago(server.started_at), foreign(server.version), server.address ? foreign(server.address) : h("span.dim", "–"),
    ];
  }
}

export const serversScreen = screen("servers-screen", ServersScreen, { path: "servers", title: "Servers", icon: "servers", group: "server" });
