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

/** How often a histogram had at most each bound, in order: `[bound, count]`; since `before`, unless it began again. */
export function bucketsOf(metrics, name, before = new Map()) {
  const found = [];
  for (const [each, value] of metrics) {
    const bound = each.startsWith(`${name}_bucket{`) && /le="([^"]+)"/.exec(each)?.[1];
    if (bound) found.push([bound === "+Inf" ? Infinity : Number(bound), value - (before.get(each) ?? 0), value]);
  }
  const hasBegunAgain = found.some(([, count]) => count < 0);
  return found.map(([bound, count, all]) => [bound, hasBegunAgain ? all : count]).sort(([one], [other]) => one - other);
}

/** The least bound that a share of what a histogram counted does not exceed; undefined when it counted nothing. */
export function quantileOf(buckets, share) {
  const all = buckets.at(-1)?.[1];
  return all ? buckets.find(([, count]) => count >= share * all)[0] : undefined;
}
