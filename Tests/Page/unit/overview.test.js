import assert from "node:assert/strict";
import test from "node:test";
import { urlParts } from "../../../Sources/Page/Basics/call-urls.js";
import { failureKey, inOrder, historyBars, historyQuery, historyRange, historyTicks, rateWords, roundAbove, shareText } from "../../../Sources/Page/Screens/Overview/history-model.js";
import { stuckThings } from "../../../Sources/Page/Screens/Overview/stuck-model.js";

const at = (minutes) => new Date(Date.parse("2026-11-29T17:00:00Z") + minutes * 60_000).toISOString();

test("the overview looks at the last hour, or at the time that was chosen", () => {
  const rangeOf = (text) => historyRange(new URLSearchParams(text));
  assert.deepEqual(rangeOf(""), { span: "1h" });
  assert.deepEqual(rangeOf("span=7d"), { span: "7d" });
  assert.deepEqual(rangeOf("span=constructor"), { span: "1h" });
  assert.deepEqual(rangeOf(`from=${at(0)}&to=${at(5)}`), { from: at(0), to: at(5) });
  assert.deepEqual(rangeOf(`from=${at(5)}&to=${at(0)}`), { span: "1h" });
  assert.deepEqual(historyQuery({ span: "1h" }, Date.parse(at(60))), { from: at(0) });
});

test("bars tell what failed, what succeeded, and the rest", () => {
  const stats = {
    step: "minute", points: [{ at: at(0), count: 9 }, { at: at(1), count: 0 }],
    groups: [{ value: "succeeded", counts: [5, 0] }, { value: "failed", counts: [1, 0] }, { value: "expired", counts: [1, 0] }],
  };
  assert.deepEqual(historyBars(stats).map(({ failed, succeeded, other, end }) => [failed, succeeded, other, end]),
    [[2, 5, 2, Date.parse(at(1))], [0, 0, 0, Date.parse(at(2))]]);
  assert.deepEqual(historyBars({ step: "day", points: [], groups: [] }), []);
});

test("an axis ends at a round number", () => {
  assert.deepEqual([0, 5, 7, 11, 99, 151, 4001].map(roundAbove), [5, 5, 8, 15, 100, 200, 5000]);
});

test("ticks are times of a day, or days", () => {
  const bars = (count, step) => Array.from({ length: count }, (_, index) => ({ at: Date.parse(at(index * step)), end: Date.parse(at((index + 1) * step)) }));
  const minutes = historyTicks(bars(60, 1));
  assert.equal(minutes.length, 6);
  assert.ok(minutes.every(({ text, x }) => /^\d\d:\d\d$/.test(text) && x < 0.95));
  assert.match(historyTicks(bars(30, 1440))[0].text, /^\d+ \w+$/);
  assert.deepEqual(historyTicks([]), []);
});

test("shares and rates are said in words", () => {
  assert.deepEqual([[0, 0], [1, 3], [1, 5000], [45, 100], [100, 100], [0, 7]].map(([part, whole]) => shareText(part, whole)), ["", "33 %", "< 0.1 %", "45 %", "100 %", "0 %"]);
  assert.deepEqual(rateWords(36_000, 3_600_000), [10, "a second"]);
  assert.deepEqual(rateWords(90, 3_600_000), [1.5, "a minute"]);
  assert.deepEqual(rateWords(2, 3_600_000), [2, "an hour"]);
  assert.deepEqual(rateWords(0, 3_600_000), [0, "a minute"]);
});

test("groups of failures keep their order under a hand", () => {
  const [a, b, c] = ["a", "b", "c"].map((name) => ({ code: "http.status", host: "h", name }));
  const names = (groups) => groups.map(({ name }) => name).join("");
  assert.equal(names(inOrder([c, b, a], [a, b].map(failureKey))), "abc");
  assert.equal(names(inOrder([c, a], [a, b].map(failureKey))), "ac");
  assert.notEqual(failureKey({ code: "x", name: "a" }), failureKey({ code: "x", host: "a" }));
});

test("what is stuck is told, the worst first", () => {
  const now = Date.parse(at(60));
  const found = stuckThings({
    queues: [{ name: "mail", state: "paused", waiting: 40, oldest_waiting_since: at(1) }, { name: "free", state: "open", waiting: 1, oldest_waiting_since: at(59.9) },
      { name: "old", state: "full", waiting: 3, oldest_waiting_since: at(10) }],
    origins: [{ origin: "https://a.example", state: "broken", until: at(61) }, { origin: "https://b.example", state: "open" }],
    schedules: [{ name: "nightly", state: "active", failures: 40 }, { name: "audit", state: "paused", failures: 0, pause: { at: at(2), reason: "until Monday" } }, { name: "well", state: "active", failures: 0 }],
    approvals: [{ created_at: at(30) }, { created_at: at(20) }],
  }, now);
  assert.deepEqual(found.map(({ name, text }) => `${name}: ${text}`), [
    "nightly: schedule: its last 40 jobs failed", "https://a.example: circuit is open: it failed too often", "mail: queue is paused, 40 jobs wait",
    "Approvals: 2 requests wait for a person", "old: queue is full: 3 jobs wait", "audit: schedule is paused: until Monday",
  ]);
  assert.equal(found[3].since, at(20));
  assert.deepEqual(stuckThings({}), []);
});

test("a host has its port unless it is the usual one", () => {
  assert.deepEqual(urlParts("https://api.example.com:443/v1?a=b#c"), { host: "api.example.com", path: "/v1?a=b#c" });
  assert.deepEqual(urlParts("http://[2001:db8::7]:8443/"), { host: "[2001:db8::7]:8443", path: "/" });
  assert.deepEqual(urlParts("https://api.example.com/members{/id}"), { host: "api.example.com", path: "/members{/id}" });
  assert.equal(urlParts("/members{/id}"), undefined);
  assert.equal(urlParts("mailto:a@b"), undefined);
});
