/** How fast a counter grew between samples `[time, count]`, a second; a counter that fell began again. */
export function rateOf(samples) {
  return samples.slice(1).map(([time, count], index) => {
    const [before, old] = samples[index];
    return time > before ? Math.max(0, count - old) / ((time - before) / 1000) : 0;
  });
}

/** The value that a share of the values do not exceed. */
export function percentile(values, share) {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
}
