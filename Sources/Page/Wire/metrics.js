import { get, getText } from "./api.js";
import { jobCounts, parseMetrics } from "./metrics-text.js";
import { session } from "./session.js";

/** The server's metrics. */
export async function readMetrics() {
  return parseMetrics(await getText("/metrics", "text/plain"));
}

/** How many jobs are in each state. Metrics are those of the whole server, so the jobs of a tenant are counted. */
export async function readCounts() {
  if (!session.tenant) return jobCounts(await readMetrics());
  const { groups } = await get("/v1/jobs:count", { by: "state" });
  return Object.fromEntries(groups.map(({ state, count }) => [state, count]));
}
