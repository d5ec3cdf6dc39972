import { getText } from "./api.js";
import { parseMetrics } from "./metrics-text.js";

/** The server's metrics. */
export async function readMetrics() {
  return parseMetrics(await getText("/metrics", "text/plain"));
}
