import assert from "node:assert/strict";
import test from "node:test";
import { cronWords } from "../../../Sources/Page/Screens/Schedules/cron-words.js";
import { isCurl, problemPlaces, withSuggestion } from "../../../Sources/Page/Parts/problem-places.js";
import { withoutOwnLabels } from "../../../Sources/Page/Screens/Compose/own-labels.js";
import { secretWarnings } from "../../../Sources/Page/Screens/Compose/secret-words.js";
import { limitWords } from "../../../Sources/Page/Parts/limit-words.js";
import { foldedOccurrences, localTimeText, scheduleWords, zonedTimeText } from "../../../Sources/Page/Screens/Schedules/schedule-words.js";
import { suggestions } from "../../../Sources/Page/Screens/Jobs/filter-words.js";
import { apiQuery, bulkFilter, filtersOf, hasFilters, queryOf, withTyped } from "../../../Sources/Page/Screens/Jobs/job-filters.js";

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
  const typed = withTyped(none, "queue:mail queue_key:a:b error:http.status waits:origin schedule:nightly origin:x.example:80 send_* team=a");
  assert.deepEqual(typed.words, {
    queue: "mail", queue_key: "a:b", "error.code": "http.status", "waiting_on.kind": "origin", schedule: "nightly", origin: "x.example:80",
    name_prefix: "send_",
  });
  assert.deepEqual(filtersOf(queryOf(typed)), typed);
  assert.equal(apiQuery(typed)["error.code"], "http.status");
});

test("schedules are said in words", () => {
  assert.equal(scheduleWords({ cron: "0 3 * * MON-FRI", tz: "Europe/Berlin" }), "Mon–Fri 03:00 Berlin");
  for (const [cron, words] of [
    ["*/10 * * * *", "every 10 min"], ["0 * * * *", "every hour"], ["5 * * * *", "every hour at :05"], ["30 */6 * * *", "every 6 h at :30"],
    ["15 8,20 * * *", "every day 08:15, 20:15"], ["0 9 * * 0,6", "Sun, Sat 09:00"], ["0 4 1 * *", "day 1 of each month 04:00"], ["@daily", "every day 00:00"],
    ["0 3 13 * FRI", "0 3 13 * FRI"], ["0 0 1 1 *", "0 0 1 1 *"], ["0 3 * * MON#2", "0 3 * * MON#2"], ["~ 3 * * *", "~ 3 * * *"], ["0-5 3 * * *", "0-5 3 * * *"],
  ]) assert.equal(cronWords(cron), words);
  assert.equal(scheduleWords({ every: "10m" }), "every 10 min");
  assert.equal(scheduleWords({ calendar: { weekdays: ["first tue", "last fri"], months: ["jan", 7], at: ["08:00", "17:30"] } }), "first Tue, last Fri in Jan, 7 at 08:00, 17:30 UTC");
  assert.equal(scheduleWords({ calendar: { days: [1, "last"], at: ["08:00"] }, tz: "Asia/Tokyo" }), "day 1, last at 08:00 Tokyo");
  assert.equal(scheduleWords({ calendar: { at: ["08:00"] } }), "every day at 08:00 UTC");
  assert.equal(localTimeText("2027-03-28T03:00:00+02:00"), "Sun 28 Mar 2027, 03:00 +02:00");
  assert.equal(localTimeText("2026-11-26T05:38:11.000+00:00"), "Thu 26 Nov 2026, 05:38:11 UTC");
});

test("planned times of the past are told in the zone of the schedule", () => {
  assert.equal(zonedTimeText("2026-11-26T02:00:00Z", "Europe/Berlin"), "Thu 26 Nov 2026, 03:00 Europe/Berlin");
  assert.equal(zonedTimeText("2026-11-26T02:00:07Z"), "Thu 26 Nov 2026, 02:00:07 UTC");
  assert.equal(zonedTimeText("2026-11-26T02:00:07Z", "Nowhere/Here"), "2026-11-26T02:00:07.000Z");
});

test("jobs of a schedule that failed alike are one", () => {
  const items = ["a", "a", undefined, "a", "b", "a"].map((code, index) => ({ job_state: "failed", job_id: index, code, origin: "plan" }));
  const folded = (some) => foldedOccurrences(some, (each) => each.code).map(({ items: found }) => found.length);
  assert.deepEqual(folded(items), [4, 1, 1]);
  assert.deepEqual(folded(items.slice(0, 3)), [1, 1, 1], "a few are told one by one");
  assert.deepEqual(folded(items.map((each) => ({ ...each, job_state: "running" }))), [1, 1, 1, 1, 1, 1]);
});

test("planned times without a job for the same reason are one", () => {
  const items = ["paused", "paused", undefined, "paused", "overlap", "overlap"].map((skipped, index) => ({ skipped, origin: "plan", scheduled_for: 9 - index }));
  assert.deepEqual(foldedOccurrences(items).map(({ items: some, first, last }) => [some.length, last.scheduled_for, first.scheduled_for]),
    [[2, 9, 8], [1, 7, 7], [1, 6, 6], [2, 5, 4]]);
  assert.deepEqual(foldedOccurrences([]), []);
});

test("credentials and variables in a text are told", () => {
  const count = (text) => secretWarnings(text).length;
  for (const text of ["curl -H 'Authorization: Bearer abc' https://example.com/", '{"headers":{"Authorization":"Bearer abc123"}}', "curl -u ada:pass https://example.com/",
    "curl -H 'X-Key: $TOKEN' https://example.com/"]) assert.equal(count(text), 1, text);
  for (const text of ['{"auth":{"type":"bearer","token":{"$secret":"crm"}}}', "curl https://example.com/", "curl -H \"X-Key: $TOKEN\" https://example.com/",
    "curl --json '{\"a\":{\"$item\":\"\"}}' https://example.com/", '{"headers":{"Authorization":{"$secret":"crm"}}}']) assert.equal(count(text), 0, text);
  assert.match(secretWarnings("curl -H 'X-Key: $TOKEN' https://example.com/")[0], /^\$TOKEN is in single quotes/);
});

test("limits are said in words", () => {
  assert.equal(limitWords({ concurrency: 5, rate: { count: 50, per: "1s" }, per_key: { concurrency: 1 } }), "5 at once · 50 in 1 s · per key: 1 at once");
  assert.equal(limitWords({ paused: true }), "");
  assert.equal(limitWords(undefined), "");
});

test("filters go to the address and back", () => {
  const query = new URLSearchParams("state=failed,expired&queue=billing&label.team=payments&label.x=a%26b&since=1h&order=oldest");
  const filters = filtersOf(query);
  assert.equal(queryOf(filters).toString(), new URLSearchParams(query).toString().replace("", ""));
  assert.deepEqual(apiQuery(filters, Date.parse("2026-01-01T01:00:00Z")), {
    state: "failed,expired", queue: "billing", "label.team": "payments", "label.x": "a&b", finished_from: "2026-01-01T00:00:00.000Z",
    order_by: "created_at",
  });
  assert.ok(hasFilters(filters));
  assert.ok(!hasFilters(filtersOf(new URLSearchParams("order=oldest"))));
});

test("the time of a list is that of the end when all its jobs have ended", () => {
  const asked = (text) => Object.keys(apiQuery(filtersOf(new URLSearchParams(text)))).filter((name) => name.endsWith("_from"));
  assert.deepEqual(asked("since=1h"), ["created_from"]);
  assert.deepEqual(asked("since=1h&state=failed,running"), ["created_from"]);
  assert.deepEqual(asked("since=1h&state=failed,expired"), ["finished_from"]);
  assert.deepEqual(asked("since=1h&host=api.example.com"), ["finished_from"], "calls are known of jobs that ended");
  const times = "from=2026-11-29T17:00:00.000Z&to=2026-11-29T17:05:00.000Z";
  assert.deepEqual(apiQuery(filtersOf(new URLSearchParams(times))), { state: "", finished_from: "2026-11-29T17:00:00.000Z", finished_to: "2026-11-29T17:05:00.000Z" });
  assert.equal(queryOf(filtersOf(new URLSearchParams(times))).toString(), times.replaceAll(":", "%3A"));
  assert.deepEqual(asked("from=yesterday&to=2026-11-29T17:05:00.000Z"), []);
  assert.deepEqual(Object.keys(bulkFilter(filtersOf(new URLSearchParams("since=1h&state=failed&label.a=b&order=oldest")))), ["finished_from", "state", "labels"]);
});

test("a word that is no filter is told, and never taken for a name", () => {
  const none = filtersOf(new URLSearchParams());
  for (const text of ["foo:500", "foo:bar", "http://example.com", "error:http.*", "state:broken", "charge send", "charge send_*"]) {
    const told = withTyped(none, text);
    assert.ok(told.unknown && told.why, text);
  }
  assert.match(withTyped(none, "foo:500").why, /“foo:” is no filter.*error:/);
  assert.deepEqual(withTyped({ ...none, words: { name: "old" } }, "new_*").words, { name_prefix: "new_" });
});

test("what may be typed is offered, with how often it is there", () => {
  const jobs = [
    { name: "charge", done: true, error: { code: "http.status" }, labels: { team: "a" } }, { name: "charge", done: true, error: { code: "http.status" }, labels: {} },
    { name: "send", done: false, last_error: { code: "x.y" }, labels: {}, waiting_on: [{ kind: "signal" }] },
  ];
  const values = (text) => suggestions(text, { queue: { mail: 12, main: 1 }, state: { failed: 3 } }, jobs).map((each) => each.value);
  assert.deepEqual(values("q"), ["queue:", "queue_key:"]);
  assert.deepEqual(values("team=a queue:m"), ["team=a queue:mail", "team=a queue:main"]);
  assert.deepEqual(values("error:"), ["error:http.status"]);
  assert.deepEqual(values("waits:"), ["waits:signal"]);
  assert.deepEqual(values("te"), ["team=a"]);
  assert.deepEqual(suggestions("host:", {}, [{ call: { method: "GET", url: "https://api.example.com:8443/v1" }, labels: {} }]).map((each) => each.value), ["host:api.example.com:8443"]);
  assert.deepEqual(values("ch"), ["charge"]);
  assert.equal(suggestions("queue:mai", { queue: { mail: 12 } }, [])[0].label, "queue:mail · 12 jobs");
  assert.equal(suggestions("state:f", { state: { failed: 3 } }, [])[0].label, "state:failed · 3 jobs");
});

test("filters are typed", () => {
  const none = filtersOf(new URLSearchParams());
  assert.equal(queryOf(withTyped(none, "queue:billing team=payments charge")).toString(), "queue=billing&name=charge&label.team=payments");
  assert.equal(queryOf(withTyped(none, "label.a=b type:group state:failed")).toString(), "state=failed&type=group&label.a=b");
  assert.deepEqual(withTyped(none, " job_01m8a2txahfhbvv41pa4qpmwc5 "), { job: "job_01m8a2txahfhbvv41pa4qpmwc5" });
});

test("a call is typed by its parts", () => {
  const none = filtersOf(new URLSearchParams());
  assert.deepEqual(apiQuery(withTyped(none, "host:api.example.com:8443 method:POST status:500 url:https://api.example.com/v2/")), {
    state: "", host: "api.example.com:8443", method: "POST", status: "500", url_prefix: "https://api.example.com/v2/",
  });
});

test("a copy has none of the labels that the server gives", () => {
  const copy = (labels) => JSON.parse(withoutOwnLabels(JSON.stringify({ type: "value", value: 1, labels })));
  assert.deepEqual(copy({ schedule: "nightly", team: "a" }), { type: "value", value: 1, labels: { team: "a" } });
  assert.deepEqual(copy({ callback_of: "job_1" }), { type: "value", value: 1 });
  assert.deepEqual(copy({ team: "a" }), { type: "value", value: 1, labels: { team: "a" } });
});
