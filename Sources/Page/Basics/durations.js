/** A time span for people: `1.5 ms`, `42 ms`, `3.2 s`, `4 min 10 s`, `2 h 5 min`, `3 d 4 h`. */
export function durationText(milliseconds) {
  if (milliseconds === null || milliseconds === undefined || Number.isNaN(milliseconds)) return "";
  const ms = Math.max(0, milliseconds);
  if (ms === 0) return "0 ms";
  if (ms < 10) return `${trimmed(ms, ms < 1 ? 2 : 1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9950) return `${trimmed(ms / 1000, 1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return two(Math.floor(seconds / 60), "min", seconds % 60, "s");
  const minutes = Math.round(seconds / 60);
  if (minutes < 1440) return two(Math.floor(minutes / 60), "h", minutes % 60, "min");
  const hours = Math.round(minutes / 60);
  return two(Math.floor(hours / 24), "d", hours % 24, "h");
}

/** The same in its largest unit only, for narrow places: `4 min`. */
export function shortDuration(milliseconds) {
  return durationText(milliseconds).split(" ").slice(0, 2).join(" ");
}

const short = /^(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?$/;
const iso8601 = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?()$/;

/** The milliseconds of a duration as specs have it, `1m30s` or `PT1M30S`; undefined for anything else. */
export function specMilliseconds(text) {
  const found = short.exec(text ?? "") ?? iso8601.exec(text ?? "");
  if (!found || !/\d/.test(text)) return undefined;
  const [weeks, days, hours, minutes, seconds, milliseconds] = found.slice(1).map((part) => Number(part ?? 0));
  return ((((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + milliseconds;
}

/** A duration of a spec for people; other text as it is. */
export function specDurationText(text) {
  const milliseconds = specMilliseconds(text);
  return milliseconds === undefined ? String(text) : durationText(milliseconds);
}

function two(large, largeUnit, small, smallUnit) {
  return small ? `${large} ${largeUnit} ${small} ${smallUnit}` : `${large} ${largeUnit}`;
}

function trimmed(number, digits) {
  return String(Number(number.toFixed(digits)));
}
