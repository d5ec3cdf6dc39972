import { screen } from "../../Parts/screen.js";
import { TableScreen } from "../../Parts/table-screen.js";
import { routeHref } from "../../Shell/route.js";
import { foreign, h } from "../../View/dom.js";
import { icon } from "../../View/icons.js";
import { ago } from "../../View/time-text.js";
import { get } from "../../Wire/api.js";
import { deliveryMark } from "./delivery-mark.js";
import { readInTurn } from "./hook-turns.js";

const hooksAskedMax = 60;
const askedAtOnce = 4;

/** The hooks, and what came to each last. */
class HooksScreen extends TableScreen {
  title_ = "Hooks";
  path = "/v1/hooks";
  columns = ["Hook", "Address", "Verified by", "Last delivery", "Changed", "By"];
  empty = ["signal", "No hooks", "A hook makes a job of a signed request from outside."];
  example = ["deploy", { verify: { scheme: "github", key: { $secret: "github" } }, job: { type: "value", value: { $hook: "", at: "/body/ref" } } }];

  last = new Map();

  /** Reads the last delivery to each, of a few hooks at a time. */
  async prepare(hooks) {
    const read = async (name) => (await get(`/v1/hooks/${encodeURIComponent(name)}/deliveries`, { page_size: 1 })).items[0];
    return readInTurn(this.last, hooks.slice(0, hooksAskedMax).map(({ name }) => name), read, askedAtOnce);
  }

  cells({ name, spec, address, warnings, updated_at: changed, updated_by: by }) {
    const last = this.last.get(name);
    return [
      [h("a.strong", { href: routeHref(["hooks", name]) }, foreign(name)), warnings.map(({ detail }) => h("p.warning-line", icon("warning"), h("span.small", foreign(detail))))],
      h("code", foreign(address)), spec.verify.scheme === "none" ? h("b.tone-bad", "nothing") : foreign(spec.verify.scheme),
      last ? [deliveryMark(last.outcome), h("p.dim.small", ago(last.received_at))] : h("span.dim", "–"),
      ago(changed), by && foreign(by),
    ];
  }
}

export const hooksScreen = screen("hooks-screen", HooksScreen, { path: "hooks", title: "Hooks", icon: "signal", group: "kept" });
