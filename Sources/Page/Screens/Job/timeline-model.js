import { durationText, shortDuration } from "../../Basics/durations.js";
import { rootAddress } from "../../Basics/operation-address.js";

// What a job did when, from its events: a row for each operation, and an axis on which long idle times are folded, so
// that three attempts of 40 ms stay visible although an hour lies between them.

const ends = new Set(["started", "attempt_started", "signal_taken", "finished", "waiting", "retried", "attempt_finished"]);

/**
 * The rows: `{ path, start, end, state, parts }`, in the order in which operations began. A part is an attempt, a wait, or
 * the time in the queue, with start and end in milliseconds; what is not over ends at `now`.
 */
export function timelineRows(job, events, now) {
  const rows = new Map();
  const rowOf = (path) => {
    if (!rows.has(path)) rows.set(path, { path, parts: [], start: undefined, end: undefined, state: undefined });
    return rows.get(path);
  };
  const created = Date.parse(job.created_at);
  const due = job.run_at ? Math.max(created, Date.parse(job.run_at)) : created;
  const root = rowOf(rootAddress);
  const began = job.started_at ? Date.parse(job.started_at) : job.finished_at ? Date.parse(job.finished_at) : now;
  if (due > created) root.parts.push({ kind: "later", start: created, end: Math.min(due, began), label: "not due yet" });
  if (began - due > 5) root.parts.push({ kind: "queue", start: due, end: began, label: "in the queue" });
  const open = new Map();
  for (const event of events) {
    const at = Date.parse(event.at);
    const row = rowOf(event.operation);
    const before = open.get(event.operation);
    if (before && ends.has(event.type)) {
      before.end = at;
      open.delete(event.operation);
    }
    row.start ??= at;
    if (event.type === "attempt_started") {
      const part = { kind: "attempt", start: at, end: undefined, number: event.attempt, label: `attempt ${event.attempt}` };
      row.parts.push(part);
      open.set(event.operation, part);
    } else if (event.type === "attempt_finished" && before) {
      before.state = event.state;
      before.status = event.status;
      before.code = event.error_code;
    } else if (event.type === "waiting") {
      const part = { kind: "wait", start: at, end: undefined, label: waitLabel(event) };
      row.parts.push(part);
      open.set(event.operation, part);
    } else if (event.type === "finished") {
      row.end = at;
      row.state = event.state;
    } else if (event.type === "retried") {
      row.end = undefined;
      row.state = undefined;
    }
  }
  const end = job.finished_at ? Date.parse(job.finished_at) : now;
  for (const part of open.values()) { part.end = Math.max(part.start, end); part.isOpen = !job.finished_at; }
  for (const row of rows.values()) {
    row.start ??= row.parts[0]?.start ?? created;
    row.end ??= end;
  }
  return [...rows.values()];
}

function waitLabel(event) {
  return event.detail?.replace(/^It /, "").replace(/\.$/, "") ?? "waits";
}

/**
 * An axis from the first to the last moment of `rows` on which idle gaps are cut short: `{ start, end, pieces, at }`;
 * `at(time)` is a place between 0 and 1. A piece that is folded has `isFolded` and its real `span`.
 * Without `mayFold` the axis is proportional.
 */
export function foldedAxis(rows, mayFold = true) {
  const start = Math.min(...rows.map((row) => Math.min(row.start, ...row.parts.map((part) => part.start))));
  const end = Math.max(start + 1, ...rows.map((row) => Math.max(row.end, ...row.parts.map((part) => part.end))));
  const busy = merged(rows.flatMap((row) => row.parts.filter((part) => part.kind === "attempt"))
    .map((part) => [part.start, Math.max(part.end, part.start + 1)]));
  const pieces = [];
  let time = start;
  for (const [from, to] of busy) {
    if (from > time) pieces.push({ start: time, end: from, isBusy: false });
    pieces.push({ start: Math.max(time, from), end: to, isBusy: true });
    time = to;
  }
  if (end > time) pieces.push({ start: time, end, isBusy: false });
  const work = pieces.reduce((sum, piece) => sum + (piece.isBusy ? piece.end - piece.start : 0), 0);
  const gaps = pieces.filter((piece) => !piece.isBusy).length;
  const most = work > 0 && gaps > 0 ? work / gaps : Infinity;
  let total = 0;
  for (const piece of pieces) piece.span = piece.end - piece.start;
  const folds = mayFold && pieces.some((piece) => !piece.isBusy && piece.span > 3 * most);
  for (const piece of pieces) {
    piece.isFolded = folds && !piece.isBusy && piece.span > most;
    piece.weight = piece.isFolded ? most : piece.span;
    total += piece.weight;
  }
  let x = 0;
  for (const piece of pieces) {
    piece.from = x;
    x += piece.weight / total;
    piece.to = x;
  }
  const at = (when) => {
    for (const piece of pieces) {
      if (when <= piece.end) {
        const share = piece.span ? Math.max(0, when - piece.start) / piece.span : 0;
        return piece.from + share * (piece.to - piece.from);
      }
    }
    return 1;
  };
  return { start, end, pieces, at };
}

/** The times that say why a job took long: before its start, and after it without an attempt in flight; those that were most of it. */
export function idleTimes({ created_at: created, run_at: due, started_at: begun, finished_at: ended }, axis) {
  const from = Math.max(Date.parse(created), Date.parse(due ?? created));
  const [start, end] = [Date.parse(begun), Date.parse(ended)];
  const idle = axis.pieces.reduce((sum, piece) => sum + (piece.isBusy ? 0 : Math.max(0, piece.end - Math.max(piece.start, start))), 0);
  const matters = (time) => (time > 1000 && time > 0.5 * (end - start) ? time : 0);
  return { queued: matters(start - from), idle: matters(idle) };
}

function merged(spans) {
  const sorted = [...spans].sort((left, right) => left[0] - right[0]);
  const found = [];
  for (const [from, to] of sorted) {
    const last = found[found.length - 1];
    if (last && from <= last[1]) last[1] = Math.max(last[1], to); else found.push([from, to]);
  }
  return found;
}

/** Texts for ticks: the time since the first, as short as tells them apart. */
export function tickTexts(ticks, start) {
  const texts = ticks.map(({ time }) => shortDuration(Math.round(time - start)));
  return ticks.map(({ time }, index) => {
    const isTwice = texts.some((text, other) => other !== index && text === texts[index]);
    const milliseconds = Math.round(time - start);
    if (!isTwice || milliseconds < 60_000) return `+${isTwice ? durationText(milliseconds) : texts[index]}`;
    const [minutes, seconds] = [Math.floor(milliseconds / 60_000), (milliseconds % 60_000) / 1000];
    const isClose = ticks.some((tick) => tick.time !== time && Math.abs(tick.time - time) < 1000);
    return `+${minutes}:${isClose ? seconds.toFixed(3).padStart(6, "0") : String(Math.floor(seconds)).padStart(2, "0")}`;
  });
}

/** Places on the axis that get a label: `{ x, time }`, none nearer than `apart` to the one before. */
export function axisTicks(axis, apart = 0.19) {
  const ticks = [];
  const add = (x, time) => {
    if (ticks.every((tick) => Math.abs(tick.x - x) >= apart)) ticks.push({ x, time });
  };
  add(0, axis.start);
  add(1, axis.end);
  for (const piece of axis.pieces) {
    if (piece.isFolded) { add(piece.to, piece.end); continue; }
    const steps = Math.floor((piece.to - piece.from) / 0.22);
    for (let step = 1; step <= steps; step += 1) {
      const share = step / (steps + 1);
      add(piece.from + share * (piece.to - piece.from), piece.start + share * piece.span);
    }
  }
  return ticks.sort((left, right) => left.x - right.x);
}
