import { durationText } from "../../Basics/durations.js";

const looked = [
  ["status", "status"], ["peer", "address"], ["protocol", "protocol"], ["tls_version", "TLS"], ["used_proxy", "proxy"],
  ["reused_connection", "connection reused"], ["redirects", "redirects"], ["delivery", "delivery"],
];

/** What differs between an attempt and the one before, as texts: `status 503 → 200`. */
export function attemptDifference(attempt, before) {
  const found = [];
  const say = (value) => (value === null || value === undefined ? "none" : value === true ? "yes" : value === false ? "no" : String(value).replaceAll("_", " "));
  for (const [name, word] of looked) {
    if (say(attempt[name]) !== say(before[name])) found.push(`${word} ${say(before[name])} → ${say(attempt[name])}`);
  }
  if (attempt.error?.code !== before.error?.code) {
    found.push(`error ${before.error?.code ?? "none"} → ${attempt.error?.code ?? "none"}`);
  }
  const [now, then] = [attempt.timing_ms?.total, before.timing_ms?.total];
  if (now && then && (now > 3 * then || then > 3 * now) && Math.abs(now - then) > 5) {
    found.push(`${durationText(then)} → ${durationText(now)}`);
  }
  return found;
}
