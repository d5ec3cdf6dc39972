import assert from "node:assert/strict";
import test from "node:test";
import { axisTicks, foldedAxis, idleTimes, tickTexts, timelineRows } from "../../../Sources/Page/Screens/Job/timeline-model.js";

const at = (milliseconds) => new Date(1_700_000_000_000 + milliseconds).toISOString();
const start = 1_700_000_000_000;

const job = { name: "call", created_at: at(0), started_at: at(0), finished_at: at(3_600_080) };
const events = [
  { at: at(0), operation: "_root", type: "started" },
  { at: at(0), operation: "_root", type: "attempt_started", attempt: 1 },
  { at: at(40), operation: "_root", type: "attempt_finished", attempt: 1, state: "failed", status: 503 },
  { at: at(40), operation: "_root", type: "waiting", kind: "time", detail: "It waits for its next attempt." },
  { at: at(3_600_040), operation: "_root", type: "attempt_started", attempt: 2 },
  { at: at(3_600_080), operation: "_root", type: "attempt_finished", attempt: 2, state: "succeeded", status: 200 },
  { at: at(3_600_080), operation: "_root", type: "finished", state: "succeeded" },
];

test("events become attempts and waits", () => {
  const [row] = timelineRows(job, events, Date.now());
  assert.deepEqual(row.parts.map((part) => [part.kind, part.start - start, part.end - start, part.state]), [
    ["attempt", 0, 40, "failed"], ["wait", 40, 3_600_040, undefined], ["attempt", 3_600_040, 3_600_080, "succeeded"],
  ]);
  assert.equal(row.state, "succeeded");
});

test("an hour without an attempt is folded, and the attempts are seen", () => {
  const axis = foldedAxis(timelineRows(job, events, Date.now()));
  const folded = axis.pieces.filter((piece) => piece.isFolded);
  assert.equal(folded.length, 1);
  assert.equal(folded[0].span, 3_600_000);
  assert.ok(axis.at(start + 40) > 0.2, "the first attempt has a fifth of the axis at least");
  assert.equal(axis.at(start), 0);
  assert.equal(axis.at(start + 3_600_080), 1);
});

test("places on the axis never go back", () => {
  const many = [];
  for (let index = 0; index < 50; index += 1) {
    many.push({ at: at(index * 60_000), operation: "poll", type: "attempt_started", attempt: index + 1 });
    many.push({ at: at(index * 60_000 + 25), operation: "poll", type: "attempt_finished", attempt: index + 1, state: "not_done" });
  }
  const axis = foldedAxis(timelineRows({ ...job, name: "poll", finished_at: undefined }, many, start + 3_100_000));
  let last = -1;
  for (let time = start; time < start + 3_100_000; time += 7_000) {
    const x = axis.at(time);
    assert.ok(x >= last && x >= 0 && x <= 1, `${time}: ${x}`);
    last = x;
  }
});

test("what is not over lasts until now", () => {
  const rows = timelineRows({ ...job, finished_at: undefined }, events.slice(0, 4), start + 1000);
  const wait = rows[0].parts.at(-1);
  assert.equal(wait.end - start, 1000);
  assert.equal(wait.isOpen, true);
});

test("time in the queue and before the date is shown", () => {
  const late = { name: "later", created_at: at(0), run_at: at(1000), started_at: at(5000), finished_at: at(6000) };
  const [row] = timelineRows(late, [{ at: at(5000), operation: "_root", type: "started" }], start + 6000);
  assert.deepEqual(row.parts.map((part) => [part.kind, part.start - start, part.end - start]), [["later", 0, 1000], ["queue", 1000, 5000]]);
});

test("a job and its member of the same name have a row each", () => {
  const group = { name: "x", created_at: at(0), started_at: at(0), finished_at: at(50) };
  const rows = timelineRows(group, [
    { at: at(0), operation: "_root", type: "started" }, { at: at(10), operation: "x", type: "started" },
    { at: at(40), operation: "x", type: "finished", state: "failed" }, { at: at(50), operation: "_root", type: "finished", state: "succeeded" },
  ], start + 50);
  assert.deepEqual(rows.map((row) => [row.path, row.start - start, row.end - start, row.state]), [["_root", 0, 50, "succeeded"], ["x", 10, 40, "failed"]]);
});

test("a job without a single event has an axis", () => {
  const axis = foldedAxis(timelineRows({ name: "x", created_at: at(0) }, [], start));
  assert.ok(Number.isFinite(axis.at(start)));
});

test("labels keep apart", () => {
  const ticks = axisTicks(foldedAxis(timelineRows(job, events, Date.now())), 0.2);
  ticks.reduce((before, tick) => { assert.ok(tick.x - before >= 0.2 - 1e-9); return tick.x; }, -1);
});

test("labels differ", () => {
  const texts = (...times) => tickTexts(times.map((time) => ({ time: start + time })), start);
  assert.deepEqual(texts(0, 60_400, 75_000, 119_000), ["+0 ms", "+1:00", "+1:15", "+1:59"]);
  assert.deepEqual(texts(0, 840_100, 840_900), ["+0 ms", "+14:00.100", "+14:00.900"]);
  assert.deepEqual(texts(0, 100, 5_000), ["+0 ms", "+100 ms", "+5 s"]);
});

test("an axis to scale folds nothing", () => {
  const axis = foldedAxis(timelineRows(job, events, Date.now()), false);
  assert.equal(axis.pieces.some((piece) => piece.isFolded), false);
  assert.ok(Math.abs(axis.at(start + 1_800_000) - 0.5) < 0.001);
});

test("what a job waited before its start is no part of what it took", () => {
  const told = (one) => idleTimes(one, foldedAxis(timelineRows(one, events, Date.now())));
  assert.deepEqual(told(job), { queued: 0, idle: 3_600_000 });
  assert.deepEqual(told({ ...job, created_at: at(-2_000_000) }), { queued: 2_000_000, idle: 3_600_000 });
  assert.deepEqual(told({ ...job, created_at: at(-900), started_at: at(3_600_030) }), { queued: 3_600_930, idle: 0 });
  // A date is no wait, nor is the time before the job existed.
  assert.deepEqual(told({ ...job, created_at: at(-9_000_000), run_at: at(0) }), { queued: 0, idle: 3_600_000 });
  assert.deepEqual(told({ ...job, run_at: "2020-01-01T00:00:00Z" }), { queued: 0, idle: 3_600_000 });
});
