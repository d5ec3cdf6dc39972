/** When a schedule makes jobs, in words: its cron fields, or days and times. */
export function scheduleWords({ cron, every, on, tz }) {
  if (every) return `every ${every}`;
  const zone = tz ? ` ${tz}` : " UTC";
  if (cron) return cron + zone;
  const parts = [on.weekdays?.join(", "), on.days && `day ${on.days.join(", ")}`, on.months && `in ${on.months.join(", ")}`];
  return `${parts.filter(Boolean).join(" ") || "every day"} at ${on.at.join(", ")}${zone}`;
}

/** A time as the clocks of a zone show it, `2027-03-28T03:00:00+02:00`, for people: `Sun 28 Mar 2027, 03:00 +02:00`. */
export function localTimeText(local) {
  const [date, time] = local.split("T");
  const day = new Date(`${date}T00:00:00Z`).toLocaleDateString("en-GB", { weekday: "short", day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
  const [, clock, zone] = /^(\d\d:\d\d(?::(?!00)\d\d)?)[\d:.]*(Z|[+-].*)$/.exec(time) ?? [, time, ""];
  return `${day.replace(",", "")}, ${clock} ${zone === "Z" || zone === "+00:00" ? "UTC" : zone}`;
}
