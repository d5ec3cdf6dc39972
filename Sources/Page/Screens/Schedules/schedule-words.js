import { specDurationText } from "../../Basics/durations.js";
import { cronWords } from "./cron-words.js";

/** When a schedule makes jobs, in words: `Mon–Fri 03:00 Berlin`. */
export function scheduleWords({ cron, every, calendar, tz }) {
  if (every) return `every ${specDurationText(every)}`;
  const zone = ` ${(tz ?? "UTC").split("/").at(-1).replaceAll("_", " ")}`;
  if (cron) return cronWords(cron) + zone;
  const { weekdays, days, months, at } = calendar;
  // `first tue` and `jan` are names; numbers stay.
  const named = (words) => words.map((word) => String(word).replace(/\b[a-z]{3}$/, (name) => name[0].toUpperCase() + name.slice(1))).join(", ");
  const parts = [weekdays && named(weekdays), days && `day ${days.join(", ")}`, months && `in ${named(months)}`];
  return `${parts.filter(Boolean).join(" ") || "every day"} at ${at.join(", ")}${zone}`;
}

const foldMin = 4;
const isOver = new Set(["succeeded", "failed", "cancelled", "expired"]);

/** A time for people as the clocks of a zone show it: `Sun 28 Mar 2027, 03:00:10 Europe/Berlin`. */
export function zonedTimeText(time, zone = "UTC") {
  const date = new Date(time);
  const text = (options) => date.toLocaleString("en-GB", { ...options, timeZone: zone });
  try {
    const clock = text({ hour: "2-digit", minute: "2-digit", second: "2-digit" }).replace(/:00$/, "");
    return `${text({ weekday: "short", day: "numeric", month: "short", year: "numeric" }).replace(",", "")}, ${clock} ${zone}`;
  } catch { return `${date.toISOString()}`; }
}

/**
 * Planned times of the past, newest first, in which those that follow each other and made no job for the same reason are one,
 * as are several jobs that ended alike: `{ items, first, last }`. `errorOf` says by which error one failed.
 */
export function foldedOccurrences(items, errorOf = () => undefined) {
  const found = [];
  for (const item of items) {
    const run = found.at(-1);
    const before = run?.items[0];
    const isSame = before && before.skipped === item.skipped && before.origin === item.origin
      && (before.skipped || (isOver.has(item.job_state) && before.job_state === item.job_state && (errorOf(before) ?? errorOf(item)) === (errorOf(item) ?? errorOf(before))));
    if (isSame) run.items.push(item); else found.push({ items: [item] });
  }
  return found.flatMap((run) => (run.items[0].skipped || run.items.length >= foldMin ? [run] : run.items.map((item) => ({ items: [item] })))).map(({ items: some }) => ({ items: some, first: some.at(-1), last: some[0] }));
}

/** A time as the clocks of a zone show it, `2027-03-28T03:00:00+02:00`, for people: `Sun 28 Mar 2027, 03:00 +02:00`. */
export function localTimeText(local) {
  const [date, time] = local.split("T");
  const day = new Date(`${date}T00:00:00Z`).toLocaleDateString("en-GB", { weekday: "short", day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
  const [, clock, zone] = /^(\d\d:\d\d(?::(?!00)\d\d)?)[\d:.]*(Z|[+-].*)$/.exec(time) ?? [, time, ""];
  return `${day.replace(",", "")}, ${clock} ${zone === "Z" || zone === "+00:00" ? "UTC" : zone}`;
}
