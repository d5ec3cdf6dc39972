/** A screen, which is an element: `path`, `title`, `icon` and `group` as the navigation shows it. */
export function screen(name, Element, description) {
  customElements.define(name, Element);
  return { ...description, make: () => document.createElement(name) };
}
