import { screen } from "../../Parts/screen.js";
import { TableScreen } from "../../Parts/table-screen.js";
import { foreign, h } from "../../View/dom.js";
import { ago } from "../../View/time-text.js";

/** The names of the secrets. Their values are never read back. */
class SecretsScreen extends TableScreen {
  title_ = "Secrets";
  path = "/v1/secrets";
  columns = ["Secret", "Kind", "Version", "Changed", "By"];
  empty = ["secrets", "No secrets", "A secret is a value that jobs name and that is never read back."];
  example = ["crm_token", { text: "…" }];

  cells({ name, kind, version, updated_at: changed, updated_by: by }) {
    return [h("b", foreign(name)), kind, String(version), ago(changed), by && foreign(by)];
  }
}

export const secretsScreen = screen("secrets-screen", SecretsScreen, { path: "secrets", title: "Secrets", icon: "secrets", group: "kept" });
