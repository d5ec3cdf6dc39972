/** The host of a URL, with its port unless it is the usual one, and what follows: `{ host, path }`; undefined for anything else. */
export function urlParts(url) {
  try {
    const { host, origin, href } = new URL(url);
    return host ? { host, path: href.slice(origin.length) } : undefined;
  } catch { return undefined; }
}
