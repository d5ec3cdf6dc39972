import { get, getText } from "./api.js";
import { jobCounts, parseMetrics } from "./metrics-text.js";
import { session } from "./session.js";

/** The server's metrics. */
export async function readMetrics() {
  return parseMetrics(await getText("/metrics", "text/plain"));
}

/**
 * How many jobs that pass the filters of a query are in each state, with `isLeast` when there are more. Metrics are those of
 * the whole server, so the jobs of a tenant are counted.
 */
export async function readCounts(query = {}) {
  if (!session.tenant && !Object.values(query).some(Boolean)) return jobCounts(await readMetrics());
  const { groups, lower_bound: isLeast } = await get("/v1/jobs:count", { ...query, by: "state" });
  return { ...Object.fromEntries(groups.map(({ state, count }) => [state, count])), isLeast };
}
