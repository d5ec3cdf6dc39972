/** How fast a counter grew between samples `[time, count]`, a second; a counter that fell began again. */
export function rateOf(samples) {
  return samples.slice(1).map(([time, count], index) => {
    const [before, old] = samples[index];
    return time > before ? Math.max(0, count - old) / ((time - before) / 1000) : 0;
  });
}

/** The sum of the counters of a name, such as `jobserver_jobs_ended_total`, whatever their labels. */
export function totalOf(metrics, name, has = "") {
  let sum = 0;
  for (const [each, value] of metrics) if ((each === name || each.startsWith(`${name}{`)) && each.includes(has)) sum += value;
  return sum;
}
