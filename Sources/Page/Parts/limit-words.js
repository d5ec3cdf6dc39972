import { specDurationText } from "../Basics/durations.js";

/** Limits in words: `5 at once · 50 in 1 s · per key: 1 at once`. */
export function limitWords(limits) {
  const words = [];
  if (limits?.concurrency) words.push(`${limits.concurrency} at once`);
  if (limits?.rate) words.push(`${limits.rate.count} in ${specDurationText(limits.rate.per)}`);
  const perKey = limits?.per_key && limitWords(limits.per_key);
  if (perKey) words.push(`per key: ${perKey}`);
  return words.join(" · ");
}
