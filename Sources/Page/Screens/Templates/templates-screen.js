import { writeJSON } from "../../Basics/lossless-json.js";
import { screen } from "../../Parts/screen.js";
import { TableScreen } from "../../Parts/table-screen.js";
import { routeHref } from "../../Shell/route.js";
import { codeView } from "../../View/code-view.js";
import { showDialog } from "../../View/dialogs.js";
import { foreign, h } from "../../View/dom.js";
import { icon } from "../../View/icons.js";
import { sayProblem } from "../../View/notices.js";
import { ago } from "../../View/time-text.js";
import { get } from "../../Wire/api.js";
import { mayWrite } from "../../Wire/session.js";

/** Operations with parameters that are kept here. */
class TemplatesScreen extends TableScreen {
  title_ = "Templates";
  path = "/v1/templates";
  columns = ["Template", "Version", "Changed", "By", ""];
  empty = ["templates", "No templates", "A template is an operation with parameters."];
  example = ["charge", { parameters: { amount: { type: "integer" } }, operation: { type: "network", request: { method: "POST", url: "https://example.com/charge", json: { amount: { $param: "amount" } } } } }];

  cells(template) {
    return [
      h("button.link", { onclick: () => this.look(template.name) }, foreign(template.name)),
      String(template.version), ago(template.updated_at), template.updated_by && foreign(template.updated_by),
      mayWrite() && h("a.button", { href: routeHref(["compose"], { template: template.name }) }, icon("compose"), "Use"),
    ];
  }

  async look(name) {
    try {
      const found = await get(`/v1/templates/${encodeURIComponent(name)}`);
      showDialog(name, () => codeView(writeJSON(found.spec), { json: true, label: "template" }), { wide: true });
    } catch (problem) { sayProblem(problem); }
  }
}

export const templatesScreen = screen("templates-screen", TemplatesScreen, { path: "templates", title: "Templates", icon: "templates", group: "kept" });
