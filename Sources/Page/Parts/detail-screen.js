import { setScreenKeys } from "../Shell/keys.js";
import { goTo, routeHref } from "../Shell/route.js";
import { fill, foreign, h, refill } from "../View/dom.js";
import { icon } from "../View/icons.js";
import { emptyPanel, loadingPanel, sayProblem } from "../View/notices.js";
import { Polling } from "../Wire/polling.js";
import { PolledScreen } from "./screen.js";

/**
 * A screen of one thing with a name, kept up to date. A screen of its own says: `list` (path and title of the list that
 * leads here), `load()`, `tell(found)`, which gives title, mark, actions and body, and `keys` of its own.
 */
export class DetailScreen extends PolledScreen {
  connectedCallback() {
    this.body = h("div", loadingPanel());
    this.append(this.body);
    setScreenKeys({ u: [`Back: ${this.list[1]}`, () => goTo([this.list[0]])], ...this.keys });
  }

  show(route) {
    this.name = route.parts[1];
    this.polling ??= new Polling(() => this.read(), 2);
  }

  async read() {
    try {
      const found = await this.load();
      const words = JSON.stringify(found);
      if (words === this.words || this.body.matches(":active")) return;
      this.words = words;
      const { title = this.name, mark, actions, body } = this.tell(found);
      refill(this.body,
        h("header.job-head-line", this.crumb(), h("div.job-title", h("h1", foreign(title)), mark), h("div.actions", actions)),
        body);
      document.title = `${title} · jobserver`;
    } catch (problem) {
      if (problem.status === 404) {
        this.polling.stop();
        fill(this.body, this.crumb(), emptyPanel("search", problem.title, h("p", problem.detail)));
        return;
      }
      if (!this.words) this.showProblem(problem);
      throw problem;
    }
  }

  crumb() {
    const [path, title] = this.list;
    return h("p.crumb", h("a", { href: routeHref([path]) }, icon("left", 14), title));
  }

  /** Clicks the button with an icon, if it is there. */
  press(...signs) {
    for (const sign of signs) this.body.querySelector(`.actions [data-sign="${sign}"]`)?.click();
  }

  /** A button that does something and shows what came of it. */
  command(sign, label, run, tone) { return commandButton(sign, label, run, () => this.polling.now(), tone); }
}

/** The button that pauses something, or lets it go on, by `run`. */
export function pauseButton(isPaused, run, then, tone) {
  return isPaused ? commandButton("resume", "Resume", run, then, "primary") : commandButton("pause", "Pause", run, then, tone);
}

/** A button that does something, says when that failed, and then calls `then`. */
export function commandButton(sign, label, run, then, tone) {
  const button = h("button", {
    class: tone, "data-sign": sign, onclick: async () => {
      button.disabled = true;
      try { await run(); } catch (problem) { sayProblem(problem); }
      button.disabled = false;
      then();
    },
  }, icon(sign), label);
  return button;
}
