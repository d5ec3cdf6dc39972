import { durationText, shortDuration } from "./durations.js";

let timeZone;

/** Tells times in a zone from now on, such as `UTC`; in the reader's without one. */
export function setZone(zone) { timeZone = zone; }

const dayOf = (date) => date.toLocaleDateString("en-GB", { timeZone });

/** How long ago a time is, or how soon it comes: `just now`, `3 min ago`, `in 2 h`. */
export function relativeText(time, now = Date.now()) {
  const span = now - Date.parse(time);
  if (Number.isNaN(span)) return "";
  if (Math.abs(span) < 1000) return "now";
  const text = shortDuration(Math.floor(Math.abs(span) / 1000) * 1000);
  return span > 0 ? `${text} ago` : `in ${text}`;
}

/** The time that is left until `time`; empty when it is past. */
export function remainingText(time, now = Date.now()) {
  const left = Date.parse(time) - now;
  return left > 0 ? durationText(left < 60_000 ? Math.ceil(left / 1000) * 1000 : left) : "";
}

/** A time of today as `19:10:55`, of another day as `25 Nov, 19:10`; in the reader's zone, or in UTC when that was chosen. */
export function clockText(time, now = new Date()) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "";
  if (dayOf(date) === dayOf(now)) return date.toLocaleTimeString("en-GB", { timeZone });
  const year = date.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return date.toLocaleString("en-GB", { day: "numeric", month: "short", year, hour: "2-digit", minute: "2-digit", timeZone });
}

/** A time to the minute: `19:10`, or `25 Nov, 19:10` on another day. */
export function minuteText(time, now = new Date()) { return clockText(time, now).replace(/^(\d\d:\d\d):\d\d$/, "$1"); }

/** A time with its milliseconds: `19:10:55.003`; with its day when that is another one. */
export function exactClockText(time, now = new Date()) {
  const date = new Date(time);
  const day = dayOf(date) === dayOf(now) ? "" : `${date.toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone })}, `;
  return `${day}${date.toLocaleTimeString("en-GB", { timeZone })}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** A whole time for a tooltip: in the reader's zone and in UTC. */
export function fullTimeText(time) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return String(time);
  return `${date.toLocaleString("en-GB", { dateStyle: "full", timeStyle: "long" })}\n${date.toISOString()}`;
}

/** The milliseconds between two times; undefined when one is missing. */
export function spanOf(start, end) {
  const span = Date.parse(end) - Date.parse(start);
  return Number.isNaN(span) ? undefined : span;
}
