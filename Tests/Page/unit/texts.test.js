import assert from "node:assert/strict";
import test from "node:test";
import { durationText, shortDuration, specDurationText, specMilliseconds } from "../../../Sources/Page/Basics/durations.js";
import { curlLine, shellWord } from "../../../Sources/Page/Basics/shell-words.js";
import { clockText, exactClockText, relativeText, remainingText, setZone, spanOf } from "../../../Sources/Page/Basics/times.js";
import { byteText, countText, shortened, visibleJSON, visibleText } from "../../../Sources/Page/Basics/visible-text.js";
import { comparedLines, comparedRows } from "../../../Sources/Page/Screens/Job/attempt-compare.js";
import { groupProgress, lastCall } from "../../../Sources/Page/Screens/Job/group-words.js";
import { attemptDifference } from "../../../Sources/Page/Screens/Job/attempt-difference.js";
import { rateOf, totalOf } from "../../../Sources/Page/Screens/Health/rates.js";
import { jobCounts, parseMetrics } from "../../../Sources/Page/Wire/metrics-text.js";

test("durations", () => {
  const known = [[0, "0 ms"], [0.146329, "0.15 ms"], [1.5, "1.5 ms"], [42.4, "42 ms"], [999.6, "1 s"], [1500, "1.5 s"],
    [9960, "10 s"], [59_400, "59 s"], [60_000, "1 min"], [190_000, "3 min 10 s"], [7_500_000, "2 h 5 min"], [90_000_000, "1 d 1 h"],
    [-5, "0 ms"], [undefined, ""], [null, ""]];
  for (const [time, text] of known) assert.equal(durationText(time), text);
  assert.equal(shortDuration(190_000), "3 min");
  for (const [text, time] of [["1m30s", 90_000], ["PT1M30S", 90_000], ["1d2h", 93_600_000], ["P1DT2H", 93_600_000], ["250ms", 250],
    ["1.5s", 1500], ["0s", 0], ["soon", undefined], ["", undefined], ["P", undefined]]) assert.equal(specMilliseconds(text), time, text);
  assert.equal(specDurationText("10m"), "10 min");
  assert.equal(specDurationText("soon"), "soon");
});

test("JSON with line ends of Windows stays JSON", () => {
  assert.deepEqual(JSON.parse(visibleJSON('{\r\n  "a": "x\\r\u202e"\r\n}\r\n')), { a: "x\r\u202e" });
});

test("times from now", () => {
  const now = Date.parse("2026-11-25T12:00:00Z");
  assert.equal(relativeText("2026-11-25T11:57:00Z", now), "3 min ago");
  assert.equal(relativeText("2026-11-25T14:00:00Z", now), "in 2 h");
  assert.equal(relativeText("2026-11-25T12:00:00.400Z", now), "now");
  assert.equal(relativeText("nonsense", now), "");
  assert.equal(remainingText("2026-11-25T12:01:30Z", now), "1 min 30 s");
  assert.equal(remainingText("2026-11-25T11:00:00Z", now), "");
  assert.equal(spanOf("2026-11-25T11:00:00Z", undefined), undefined);
});

test("what could mislead is made visible", () => {
  assert.equal(visibleText("evil\u202egnp.exe"), "evil⟨202E⟩gnp.exe");
  assert.equal(visibleText("a\u0000b\u001b[31m\u200d"), "a⟨0000⟩b⟨001B⟩[31m⟨200D⟩");
  assert.equal(visibleText("line\n\ttab é 日本"), "line\n\ttab é 日本");
  // Joiners in scripts and emoji stay as they are: they hide nothing.
  for (const text of ["می\u200cخواهم", "क्\u200dष", "👨\u200d👩\u200d👧", "🏳\ufe0f\u200d🌈", "👩🏽\u200d🚀"]) assert.equal(visibleText(text), text);
  assert.equal(visibleText("pay\u200cpal \u200dم 👨\u200d"), "pay⟨200C⟩pal ⟨200D⟩م 👨⟨200D⟩");
  assert.equal(shortened("abcdef", 4), "abc…");
  assert.equal(byteText(999), "999 B");
  assert.equal(byteText(1_500), "1.5 kB");
  assert.equal(byteText(25_000_000), "25 MB");
  assert.equal(countText(1204567), "1\u2009204\u2009567");
  assert.equal(countText(0.1234), "0.1234");
});

test("words of a shell", () => {
  assert.equal(shellWord("https://example.com/a?b=1"), "'https://example.com/a?b=1'");
  assert.equal(shellWord("it's; rm -rf /"), "'it'\\''s; rm -rf /'");
  assert.equal(shellWord("=ls"), "'=ls'");
  assert.equal(shellWord("it's'\u0301"), "'it'\\''s'\\''\u0301'");
  assert.equal(shellWord("-a\tb!'%\u001b\u009b\u202e\n\n"), `"$(printf '\\055a\\011b\\041\\047%%\\033\\302\\233\\342\\200\\256')"'\n\n'`);
  assert.equal(curlLine({ url: "http://h/x", method: "`reboot`" }), "curl -X '`reboot`' http://h/x");
  assert.equal(curlLine({ url: "http://h/x" }), "curl http://h/x");
  assert.equal(curlLine({ url: "http://h/x", method: "PUT", body: "{}", isJSON: true }), "curl -X PUT --json '{}' http://h/x");
  assert.match(curlLine({ method: "POST", url: "http://h/x", headers: [["A", "b c"]], body: "y".repeat(90) }), /^curl \\\n {2}-H 'A: b c' \\\n/);
});

test("what differs between attempts", () => {
  const first = { status: 503, peer: "1.1.1.1:443", delivery: "answered", error: { code: "http.status" }, timing_ms: { total: 10 } };
  const second = { status: 200, peer: "1.1.1.2:443", delivery: "answered", error: undefined, timing_ms: { total: 100 } };
  assert.deepEqual(attemptDifference(second, first),
    ["status 503 → 200", "address 1.1.1.1:443 → 1.1.1.2:443", "error http.status → none", "10 ms → 100 ms"]);
  assert.deepEqual(attemptDifference(first, first), []);
});

test("a time of another day has its day", () => {
  const now = new Date(2026, 10, 28, 12);
  assert.equal(exactClockText(new Date(2026, 10, 28, 9, 5, 1, 7), now), "09:05:01.007");
  assert.equal(exactClockText(new Date(2026, 10, 27, 9, 5, 1, 7), now), "27 Nov, 09:05:01.007");
});

test("times are told in UTC when that was chosen", (context) => {
  context.after(() => setZone(undefined));
  setZone("UTC");
  const now = new Date("2026-11-28T12:00:00Z");
  assert.equal(clockText("2026-11-28T23:59:01Z", now), "23:59:01");
  assert.equal(clockText("2026-11-27T23:59:01Z", now), "27 Nov, 23:59");
  assert.equal(exactClockText("2026-11-27T23:59:01.005Z", now), "27 Nov, 23:59:01.005");
});

test("two attempts side by side", () => {
  const entry = (url, ...headers) => ({ request: { url, headers: [] }, response: { headers } });
  const rows = comparedRows(
    [{ state: "failed", status: 503, timing_ms: { wait: 2, total: 3 }, error: { code: "http.status" } }, entry("http://h/", { name: "Retry-After", value: "7" })],
    [{ state: "succeeded", status: 200, timing_ms: { wait: 2, total: 9 }, error: undefined }, entry("http://h/", { name: "ETag", value: "x" })]);
  assert.deepEqual(rows.filter((row) => row.differs).map(({ name, left, right }) => [name, left, right]), [
    ["State", "failed", "succeeded"], ["Status", "503", "200"], ["Error", "http.status", ""], ["Time: total", "3 ms", "9 ms"],
    ["Answer: retry-after", "7", ""], ["Answer: etag", "", "x"]]);
  assert.deepEqual(rows.filter((row) => !row.differs).map(({ name }) => name), ["URL", "Time: wait"]);
  assert.deepEqual(comparedLines("a\nb\nc", "a\nx\nc\nd"), [
    { left: "a", right: "a", differs: false }, { left: "b", right: "x", differs: true }, { left: "c", right: "c", differs: false }, { right: "d", differs: true }]);
  assert.deepEqual(comparedLines("a\nb", "b"), [{ left: "a", differs: true }, { left: "b", right: "b", differs: false }]);
  assert.equal(comparedLines("a\n".repeat(5000), "").length, 400);
});

test("members are told how far they are", () => {
  const now = 1_700_000_100_000;
  const words = (job) => groupProgress(job, now)?.words.join(" · ");
  assert.equal(words({ done: true, operations: { total: 1000, done: 1000, failed: 27, by_state: { succeeded: 973, failed: 27 } } }), "973 of 1\u2009000 succeeded · 27 failed");
  const until = new Date(now + 258_000).toISOString();
  assert.equal(words({ done: false, operations: { total: 300, done: 84, failed: 4, by_state: { succeeded: 80, failed: 4, running: 10, queued: 206 }, estimated_until: until } }),
    "84 of 300 are over · 4 failed · 10 running · 50 a minute · about 4 min 18 s to go");
  // A large one that runs does not say how many run.
  assert.equal(words({ done: false, operations: { total: 3000, done: 84, failed: 0, estimated_until: until } }), "84 of 3\u2009000 are over · 11 a second · about 4 min 18 s to go");
  // One that only waits goes on at no rate, and nothing is told of an end that should have been.
  assert.equal(words({ done: false, operations: { total: 10, done: 8, failed: 0, by_state: { succeeded: 8, waiting: 2 } } }), "8 of 10 are over");
  assert.equal(words({ done: false, operations: { total: 10, done: 8, failed: 0, estimated_until: new Date(now - 9).toISOString() } }), "8 of 10 are over");
  assert.equal(words({ done: true, operations: { total: 1, done: 1, failed: 0, by_state: { succeeded: 1 } } }), undefined);
  assert.equal(words({ done: true }), undefined);
  const calls = new Map([["a#1", { url: "1" }], ["a#2", { url: "2" }], ["b#1", { url: "3" }]]);
  assert.deepEqual([lastCall(calls, "a").url, lastCall(calls, "c")], ["2", undefined]);
});

test("rates and shares", () => {
  assert.deepEqual(rateOf([[0, 0], [1000, 5], [3000, 5], [4000, 2]]), [5, 0, 0]);
  assert.deepEqual(rateOf([[0, 7]]), []);
});

test("counters are added up whatever their labels", () => {
  const metrics = parseMetrics('ended{queue="a",state="failed"} 3\nended{queue="b",state="succeeded"} 4\nended_else 9\n');
  assert.equal(totalOf(metrics, "ended"), 7);
  assert.equal(totalOf(metrics, "ended", "failed"), 3);
});

test("metrics", () => {
  const metrics = parseMetrics('# HELP x y\njobserver_jobs{state="failed"} 3\njobserver_jobs{state="running"} 1\nup 0.5\n');
  assert.deepEqual(jobCounts(metrics), { failed: 3, running: 1 });
  assert.equal(metrics.get("up"), 0.5);
});
