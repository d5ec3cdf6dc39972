import { minuteText } from "../../Basics/times.js";

// The history of ends as pure functions: which time is asked for, and which bars, lines and ticks tell it.

/** How far back the overview may look, with its milliseconds. */
export const historySpans = { "1h": 3_600_000, "3h": 10_800_000, "24h": 86_400_000, "7d": 604_800_000, "30d": 2_592_000_000 };
const stepSpans = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** The time that an address asks for: `{ span }` up to now, or `{ from, to }`. */
export function historyRange(query) {
  const [from, to] = [query.get("from"), query.get("to")];
  if (Date.parse(from) < Date.parse(to)) return { from, to };
  return { span: Object.hasOwn(historySpans, query.get("span")) ? query.get("span") : "1h" };
}

/** The query of the API for a range. */
export function historyQuery({ span, from, to }, now = Date.now()) {
  return span ? { from: new Date(now - historySpans[span]).toISOString() } : { from, to };
}

/** Stacked bars of `GET /v1/stats?by=state`: `{ at, end, failed, other, succeeded, count }` in milliseconds and ends. */
export function historyBars(stats) {
  const of = (...states) => stats.groups.filter((group) => states.includes(group.value));
  const sum = (groups, index) => groups.reduce((all, group) => all + group.counts[index], 0);
  const [failed, succeeded] = [of("failed", "expired"), of("succeeded")];
  return stats.points.map((point, index) => {
    const at = Date.parse(point.at);
    const [bad, good] = [sum(failed, index), sum(succeeded, index)];
    return { at, end: at + stepSpans[stats.step], failed: bad, succeeded: good, other: Math.max(0, point.count - bad - good), count: point.count };
  });
}

/** A round number that is at least as large: what an axis reaches to. */
export function roundAbove(number) {
  if (number <= 5) return 5;
  const power = 10 ** Math.floor(Math.log10(number));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((factor) => factor * power).find((each) => each >= number);
}

/** Places for texts below bars: `{ x, text }` with `x` between 0 and 1, about `count` of them. */
export function historyTicks(bars, count = 6) {
  const every = Math.max(1, Math.ceil(bars.length / count));
  const isLong = bars.length > 0 && bars.at(-1).end - bars[0].at > 2 * stepSpans.day;
  return bars.map((bar, index) => ({ bar, index })).filter(({ index }) => index % every === 0 && index <= bars.length - every / 2)
    .map(({ bar, index }) => ({ x: index / bars.length, text: isLong ? minuteText(bar.at, new Date(0)).split(",")[0].replace(/ \d{4}$/, "") : minuteText(bar.at).split(", ").at(-1) }));
}

/** What a group of failures has in common, as a key. */
export function failureKey({ code, host, name }) { return JSON.stringify([code, host, name]); }

/** Groups in the order of `keys`, those that are new behind them: rows do not move under a hand. */
export function inOrder(groups, keys) {
  const places = new Map(keys.map((key, index) => [key, index]));
  const placeOf = (group) => places.get(failureKey(group)) ?? keys.length;
  return [...groups].sort((one, other) => placeOf(one) - placeOf(other));
}

/** The share of failures in words: `0.9 %`; nothing without ends. */
export function shareText(part, whole) {
  if (!whole) return "";
  const percent = 100 * part / whole;
  return `${percent > 0 && percent < 0.1 ? "< 0.1" : percent < 10 && percent % 1 ? percent.toFixed(1) : Math.round(percent)} %`;
}

/** How often something happened, a second, minute or hour: `[12.5, "a minute"]`. */
export function rateWords(count, milliseconds) {
  const minutes = milliseconds / 60_000;
  const rate = count / Math.max(minutes, 1e-9);
  const round = (number) => Number(number.toFixed(number < 10 ? 1 : 0));
  if (rate >= 120) return [round(rate / 60), "a second"];
  return rate >= 1 || !count ? [round(rate), "a minute"] : [round(rate * 60), "an hour"];
}
