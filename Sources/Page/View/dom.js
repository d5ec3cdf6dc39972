import { visibleText } from "../Basics/visible-text.js";

// Everything on the page is made here, from functions and text nodes. There is no way to make an element from markup,
// so no text of a job or an upstream can become one.

/**
 * An element: `h("button.primary", { onclick }, "Save")`; properties may be left out. Those that begin with `on` are
 * listeners, `class` adds classes, `value`, `checked` and the like are set as properties, others as attributes; null,
 * undefined and false leave one out.
 */
export function h(name, properties, ...children) {
  return filled(document, name, properties, children);
}

/** An element of an SVG drawing. */
export function svg(name, properties, ...children) {
  return filled(null, name, properties, children);
}

/** Text of others: what could mislead is made visible, and its direction ends with it. */
export function foreign(text, properties = {}) {
  return h("bdi", properties, visibleText(text));
}

/** Who did it, where that is known: ` by ada`. */
export function byWhom(name) { return name ? [" by ", foreign(name)] : null; }

/** Puts `children` in the place of what is inside of `parent`. */
export function fill(parent, ...children) {
  parent.replaceChildren(...nodes(children));
  return parent;
}

/**
 * Like `fill`, for content that is rendered again and again: the focus stays on the element at the same position, what
 * was opened stays open, and what was scrolled to in a region with a tab index.
 */
export function refill(parent, ...children) {
  const places = () => [...parent.querySelectorAll("a, button, input, select, textarea, [tabindex]")];
  const scrolled = () => parent.querySelector("[tabindex]") ?? {};
  const at = places().indexOf(document.activeElement);
  const { scrollLeft } = scrolled();
  const opened = new Map([...parent.querySelectorAll("details")].map((each) => [each.firstChild.textContent, each.open]));
  fill(parent, ...children);
  for (const each of parent.querySelectorAll("details")) each.open = opened.get(each.firstChild.textContent) ?? each.open;
  scrolled().scrollLeft = scrollLeft;
  if (at >= 0) places()[at]?.focus({ preventScroll: true });
}

/**
 * Keeps the children of `parent` in step with `items`: an element for each, made once for its key and updated after
 * that. Elements that stay are not touched, so focus and selection stay, too.
 */
export function keyed(parent, items, keyOf, make, update) {
  const old = parent.keyedChildren ?? new Map();
  const fresh = new Map();
  let place = parent.firstChild;
  for (const item of items) {
    const key = keyOf(item);
    let element = old.get(key);
    if (!element) { element = make(item); }
    update?.(element, item);
    fresh.set(key, element);
    if (element === place) place = place.nextSibling; else parent.insertBefore(element, place);
  }
  while (place) { const next = place.nextSibling; place.remove(); place = next; }
  parent.keyedChildren = fresh;
}

const asProperty = new Set(["value", "checked", "disabled", "indeterminate", "selected", "open", "hidden"]);

function filled(owner, name, first, rest) {
  // Properties are a plain object; anything else in their place is the first child.
  const isPlain = first?.constructor === Object;
  const properties = isPlain ? first : {};
  const children = isPlain ? rest : [first, ...rest];
  const [tag, ...classes] = name.split(".");
  const element = owner ? owner.createElement(tag) : document.createElementNS("http://www.w3.org/2000/svg", tag);
  if (classes.length) element.classList.add(...classes);
  // In a form, a button without a type would send it.
  if (tag === "button") element.type = "button";
  if (tag === "input" || tag === "textarea") element.autocomplete = "off";
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "class") element.classList.add(...String(value).split(" ").filter(Boolean));
    else if (key === "style") for (const [what, how] of Object.entries(value)) element.style.setProperty(what, how);
    else if (asProperty.has(key)) element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...nodes(children));
  return element;
}

function nodes(children) {
  return children.flat(9).filter((child) => child !== null && child !== undefined && child !== false && child !== "")
    .map((child) => (child instanceof Node ? child : document.createTextNode(String(child))));
}
