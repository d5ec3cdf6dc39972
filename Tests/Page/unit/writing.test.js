import assert from "node:assert/strict";
import test from "node:test";
import { isCurl, problemPlaces, withSuggestion } from "../../../Sources/Page/Parts/problem-places.js";
import { limitWords } from "../../../Sources/Page/Parts/limit-words.js";
import { localTimeText, scheduleWords } from "../../../Sources/Page/Screens/Schedules/schedule-words.js";
import { apiQuery, filtersOf, hasFilters, queryOf, withTyped } from "../../../Sources/Page/Screens/Jobs/job-filters.js";

test("a curl line is told from JSON", () => {
  for (const text of ["curl https://x", "  $ curl -X PUT y", "curl\n"]) assert.ok(isCurl(text), text);
  for (const text of ["{}", "curly", "", '"curl"']) assert.ok(!isCurl(text), text);
});

test("problems have their place", () => {
  const text = '{\n  "request": { "methd": "PUT", "url": "x" }\n}';
  const cut = ({ start, end }) => text.slice(start, end);
  const [name, value, whole, syntax] = problemPlaces(text, [
    { pointer: "/request/methd", code: "spec.unknown_member", detail: "", suggestion: "method" },
    { pointer: "/request/url", code: "spec.bad_url", detail: "" }, { pointer: "/retry/x", code: "spec.missing", detail: "" },
    { pointer: "", code: "json.syntax", detail: "line 2, column 4: odd" },
  ]);
  assert.equal(cut(name), '"methd"');
  assert.equal(cut(value), '"x"');
  assert.equal(cut(whole), "{");
  assert.equal(syntax.start, text.indexOf("request"));
  assert.equal(withSuggestion(text, name), text.replace("methd", "method"));
});

test("filters are those of the API, as they are typed", () => {
  const none = filtersOf(new URLSearchParams());
  const typed = withTyped(none, "queue:mail key:a:b error:http.status waits:origin schedule:nightly origin:x.example:80 send_* team=a nope:x");
  assert.deepEqual(typed.words, {
    queue: "mail", key: "a:b", "error.code": "http.status", "waiting_on.kind": "origin", schedule: "nightly", origin: "x.example:80",
    name_prefix: "send_", name: "nope:x",
  });
  assert.deepEqual(filtersOf(queryOf(typed)), typed);
  assert.equal(apiQuery(typed)["error.code"], "http.status");
});

test("schedules are said in words", () => {
  assert.equal(scheduleWords({ cron: "0 3 * * MON-FRI", tz: "Europe/Berlin" }), "0 3 * * MON-FRI Europe/Berlin");
  assert.equal(scheduleWords({ every: "10m" }), "every 10m");
  assert.equal(scheduleWords({ on: { weekdays: ["first tue", "last fri"], months: ["jan", 7], at: ["08:00", "17:30"] } }), "first tue, last fri in jan, 7 at 08:00, 17:30 UTC");
  assert.equal(scheduleWords({ on: { days: [1, "last"], at: ["08:00"] }, tz: "Asia/Tokyo" }), "day 1, last at 08:00 Asia/Tokyo");
  assert.equal(scheduleWords({ on: { at: ["08:00"] } }), "every day at 08:00 UTC");
  assert.equal(localTimeText("2027-03-28T03:00:00+02:00"), "Sun 28 Mar 2027, 03:00 +02:00");
  assert.equal(localTimeText("2026-11-26T05:38:11.000+00:00"), "Thu 26 Nov 2026, 05:38:11 UTC");
});

test("limits are said in words", () => {
  assert.equal(limitWords({ concurrency: 5, rate: { count: 50, per: "1s" }, per_key: { concurrency: 1 } }), "5 at once · 50 in 1s · per key: 1 at once");
  assert.equal(limitWords({ paused: true }), "");
  assert.equal(limitWords(undefined), "");
});

test("filters go to the address and back", () => {
  const query = new URLSearchParams("state=failed,expired&queue=billing&label.team=payments&label.x=a%26b&since=1h&order=oldest");
  const filters = filtersOf(query);
  assert.equal(queryOf(filters).toString(), new URLSearchParams(query).toString().replace("", ""));
  assert.deepEqual(apiQuery(filters, Date.parse("2026-01-01T01:00:00Z")), {
    state: "failed,expired", queue: "billing", "label.team": "payments", "label.x": "a&b", created_after: "2026-01-01T00:00:00.000Z",
    order_by: "created_at",
  });
  assert.ok(hasFilters(filters));
  assert.ok(!hasFilters(filtersOf(new URLSearchParams("order=oldest"))));
});

test("filters are typed", () => {
  const none = filtersOf(new URLSearchParams());
  assert.equal(queryOf(withTyped(none, "queue:billing team=payments charge")).toString(), "queue=billing&name=charge&label.team=payments");
  assert.equal(queryOf(withTyped(none, "label.a=b type:group state:failed")).toString(), "state=failed&type=group&label.a=b");
  assert.deepEqual(withTyped(none, " job_01m8a2txahfhbvv41pa4qpmwc5 "), { job: "job_01m8a2txahfhbvv41pa4qpmwc5" });
});
