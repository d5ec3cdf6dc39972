// The address of a screen is behind the #: `#/jobs?state=failed`, `#/jobs/job_1/attempts`. So a reload, a bookmark and
// the Back key lead to the same view, below any prefix, and no filter reaches the server's log by a Referer.

/** The route that the address names: `parts` of the path, and `query`, a URLSearchParams. */
export function currentRoute() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  return { parts: path.split("/").filter(Boolean).map(decodePart), query: new URLSearchParams(query) };
}

/** The address of a route. `query` is an object, or pairs such as a URLSearchParams. */
export function routeHref(parts, query = {}) {
  const search = new URLSearchParams();
  for (const [name, value] of query[Symbol.iterator] ? query : Object.entries(query)) {
    for (const each of [value].flat()) if (each !== undefined && each !== null && each !== "") search.append(name, each);
  }
  const text = search.toString();
  return "#/" + parts.map(encodeURIComponent).join("/") + (text ? "?" + text : "");
}

/** Goes to a route; `replace` leaves no entry for the Back key. */
export function goTo(parts, query, { replace = false } = {}) {
  const href = routeHref(parts, query);
  if (href === location.hash) return;
  if (replace) {
    history.replaceState(null, "", href);
    window.dispatchEvent(new Event("hashchange"));
  } else {
    location.hash = href;
  }
}

function decodePart(part) {
  try { return decodeURIComponent(part); } catch { return part; }
}
