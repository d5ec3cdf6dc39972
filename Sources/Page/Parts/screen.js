import { fill } from "../View/dom.js";
import { problemPanel } from "../View/notices.js";

/** A screen, which is an element: `path`, `title`, `icon` and `group` as the navigation shows it. */
export function screen(name, Element, description) {
  customElements.define(name, Element);
  return { ...description, make: () => document.createElement(name) };
}

/** A screen that is kept up to date by its `polling` while it is there. */
export class PolledScreen extends HTMLElement {
  disconnectedCallback() { this.polling?.stop(); }

  /** Says in `place` why nothing could be read. */
  showProblem(problem, place = this.body) { fill(place, problemPanel(problem, () => this.polling.now())); }
}
