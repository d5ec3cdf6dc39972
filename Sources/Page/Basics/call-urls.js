/** The host of a URL, with its port unless it is the usual one, and what follows: `{ host, path }`; undefined for anything else. */
export function urlParts(url) {
  try {
    const { host } = new URL(url);
    // As it is written: a template has braces.
    return host ? { host, path: /^[^:]+:\/\/[^/?#{]*(.*)$/s.exec(url)[1] } : undefined;
  } catch { return undefined; }
}
