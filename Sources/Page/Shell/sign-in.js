import { h } from "../View/dom.js";
import { icon, logo } from "../View/icons.js";
import { signIn } from "../Wire/session.js";

/** The form that asks for a token. It is sent once, over the field of a form, and kept nowhere in the browser. */
export function signInForm(then) {
  const input = h("input", {
    type: "password", name: "token", spellcheck: "false", placeholder: "js_…", required: true,
    "aria-label": "Token", autofocus: true,
  });
  const trouble = h("p.trouble", { role: "alert", hidden: true });
  const button = h("button.primary", { type: "submit" }, "Sign in");
  const submit = async (event) => {
    event.preventDefault();
    button.disabled = true;
    trouble.hidden = true;
    try {
      await signIn(input.value.trim());
      then();
    } catch (problem) {
      trouble.textContent = problem.detail ?? problem.message;
      trouble.hidden = false;
      input.select();
    }
    button.disabled = false;
  };
  setTimeout(() => input.focus());
  return h("main.sign-in",
    h("form.sign-in-card", { onsubmit: submit, method: "post" },
      logo(44),
      h("h1", "jobserver"),
      h("p.dim", "This server asks for a token."),
      input, trouble, button,
      h("p.small.dim", icon("info", 14), " Make one with ",
        h("code", "jobserver token create"), ". The browser keeps a cookie for 12 hours that scripts cannot read, and not the token.")));
}
