const dayNames = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const shortcuts = { "@hourly": "every hour", "@daily": "every day 00:00", "@midnight": "every day 00:00", "@weekly": "Sun 00:00", "@monthly": "day 1 of each month 00:00", "@yearly": "1 Jan 00:00", "@annually": "1 Jan 00:00" };

/** The times of a cron line in words where they are simple, `Mon–Fri 03:00`; as they are written otherwise. */
export function cronWords(cron) {
  const fields = cron.trim().split(/\s+/);
  if (fields.length !== 5) return shortcuts[cron.trim()] ?? cron;
  const [minute, hour, day, month, weekday] = fields;
  const isPlain = /^\d+$/.test(minute);
  const every = day === "*" && month === "*" && weekday === "*";
  const step = /^\*\/(\d+)$/;
  if (every && hour === "*") {
    if (step.test(minute)) return `every ${step.exec(minute)[1]} min`;
    if (isPlain) return Number(minute) ? `every hour at :${minute.padStart(2, "0")}` : "every hour";
  }
  if (every && isPlain && step.test(hour)) return `every ${step.exec(hour)[1]} h${Number(minute) ? ` at :${minute.padStart(2, "0")}` : ""}`;
  if (!isPlain || !/^\d+(,\d+)*$/.test(hour) || month !== "*") return cron;
  const times = hour.split(",").map((each) => `${each.padStart(2, "0")}:${minute.padStart(2, "0")}`).join(", ");
  if (every) return `every day ${times}`;
  const days = weekdayWords(weekday);
  if (day === "*" && days) return `${days} ${times}`;
  return weekday === "*" && /^\d+$/.test(day) ? `day ${day} of each month ${times}` : cron;
}

function weekdayWords(field) {
  const nameOf = (text) => (/^[0-7]$/.test(text) ? dayNames[text] : dayNames.find((name) => name.toLowerCase() === text.toLowerCase()));
  const parts = field.split(",").map((part) => part.split("-").map(nameOf));
  return parts.every((part) => part.length <= 2 && part.every(Boolean)) ? parts.map((part) => part.join("–")).join(", ") : undefined;
}
