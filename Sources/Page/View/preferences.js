import { setZone } from "../Basics/times.js";

// How a person likes the page, kept in the browser: the only thing that is. Some browsers keep nothing for a page.

const preferenceName = "jobserver-preferences";
const choices = { theme: ["system", "light", "dark"], zone: ["local", "utc"] };

function keptPreferences() {
  try { return JSON.parse(window.localStorage.getItem(preferenceName)) ?? {}; } catch { return {}; }
}

/** The value of a preference, `theme` or `zone`. */
export function preference(name) {
  const value = keptPreferences()[name];
  return choices[name].includes(value) ? value : choices[name][0];
}

/** Sets a preference to its next value. */
export function nextPreference(name) {
  const values = choices[name];
  const value = values[(values.indexOf(preference(name)) + 1) % values.length];
  try { window.localStorage.setItem(preferenceName, JSON.stringify({ ...keptPreferences(), [name]: value })); } catch { /* For now only, then. */ }
  applyPreferences({ [name]: value });
  return value;
}

/** Lets the page look as it is liked. */
export function applyPreferences({ theme = preference("theme"), zone = preference("zone") } = {}) {
  document.documentElement.dataset.theme = theme;
  setZone(zone === "utc" ? "UTC" : undefined);
}
