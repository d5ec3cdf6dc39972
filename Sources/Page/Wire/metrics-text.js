/** What a page in Prometheus' format says, as numbers by their name with labels: `jobserver_jobs{state="failed"}`. */
export function parseMetrics(text) {
  const found = new Map();
  for (const line of text.split("\n")) {
    if (!line || line.startsWith("#")) continue;
    const space = line.lastIndexOf(" ");
    found.set(line.slice(0, space), Number(line.slice(space + 1)));
  }
  return found;
}

/** How many jobs are in each state. */
export function jobCounts(metrics) {
  const counts = {};
  for (const [name, value] of metrics) {
    const state = /^jobserver_jobs\{state="(\w+)"\}$/.exec(name)?.[1];
    if (state) counts[state] = value;
  }
  return counts;
}
