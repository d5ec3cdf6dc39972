import assert from "node:assert/strict";
import test from "node:test";
import { plainWords, upstreamMessage } from "../../../Sources/Page/Parts/upstream-words.js";
import { attemptDots, durationShare, keepRows, listTitle, pinBehind } from "../../../Sources/Page/Screens/Jobs/list-model.js";
import { filtersOf } from "../../../Sources/Page/Screens/Jobs/job-filters.js";

const job = (number) => ({ id: `job_${number}`, created_at: new Date(1_700_000_000_000 + number).toISOString() });

test("a held list begins at its newest row", () => {
  assert.equal(pinBehind([job(7), job(3)]), new Date(1_700_000_000_008).toISOString());
  assert.equal(pinBehind([]), undefined);
});

test("rows that are kept stay at their place when they leave the list", () => {
  const before = [job(9), job(7), job(5)];
  const shown = keepRows(before, [job(10), job(9), job(5)], new Set(["job_7"]), false);
  assert.deepEqual(shown.map(({ id, hasLeft }) => [id, hasLeft]), [["job_10", undefined], ["job_9", undefined], ["job_7", true], ["job_5", undefined]]);
  assert.deepEqual(keepRows(before, [job(5)], new Set(), false).map(({ id }) => id), ["job_5"]);
  assert.deepEqual(keepRows([job(5), job(7)], [job(9)], new Set(["job_7"]), true).map(({ id }) => id), ["job_7", "job_9"]);
  // One that came back is as it was read.
  assert.equal(keepRows(shown, [job(7)], new Set(["job_7"]), false)[0].hasLeft, undefined);
});

test("a list is named after its filters", () => {
  assert.equal(listTitle(filtersOf(new URLSearchParams("state=failed&queue=billing&label.team=a"))), "failed · queue billing · team=a");
  assert.equal(listTitle(filtersOf(new URLSearchParams())), "Jobs");
});

test("attempts are dots", () => {
  assert.equal(attemptDots({ attempt: 1, state: "succeeded", done: true }), undefined);
  assert.equal(attemptDots({ attempt: 0, state: "cancelled", done: true }), undefined);
  assert.deepEqual(attemptDots({ attempt: 3, state: "succeeded", done: true }), { failed: 2, more: 0, last: "succeeded" });
  assert.deepEqual(attemptDots({ attempt: 2, state: "running", done: false }), { failed: 1, more: 0, last: "running" });
  assert.deepEqual(attemptDots({ attempt: 9, state: "failed", done: true }), { failed: 5, more: 4, last: undefined });
});

test("a bar is longer for what took longer", () => {
  const shares = [0, 5, 400, 12_000, 3_600_000, 9e9].map(durationShare);
  assert.deepEqual(shares, [...shares].sort((one, other) => one - other));
  assert.deepEqual([shares[0], shares.at(-1)], [0.02, 1]);
});

test("the upstream's own message is found in its answer", () => {
  const of = (body) => upstreamMessage({ upstream: { status: 422, body_excerpt: typeof body === "string" ? body : JSON.stringify(body) } });
  assert.equal(of({ error: { code: "out_of_stock", message: "Item 7 is sold out" } }), "Item 7 is sold out");
  assert.equal(of({ errors: [{ detail: "no funds" }], title: "Bad" }), "no funds");
  assert.equal(of({ error: "invalid_grant", error_description: "expired" }), "expired");
  assert.equal(of({ title: "Gone", status: 410 }), "Gone");
  assert.equal(of(["first", "second"]), "first");
  assert.equal(of("plain words"), "plain words");
  for (const odd of ["<!doctype html>", "{broken", { ok: false }, "", [[[["deep"]]]], null]) assert.equal(of(odd), undefined, JSON.stringify(odd));
  assert.equal(upstreamMessage({ code: "dns" }), undefined);
  assert.equal(upstreamMessage(undefined), undefined);
});

test("words of the API are no words for people", () => {
  for (const [text, plain] of [
    ["The upstream rejects the request as it is. Its answer is in upstream.body_excerpt.", "The upstream rejects the request as it is."],
    ["The job is scheduled. It starts at its run_at.", "The job is scheduled. Its time has not come."],
    ["Held by ada: bank. Release it with :release.", "Held by ada: bank."],
    ["It goes on when it is released: POST /v1/jobs/job_1:release.", "It goes on when it is released."],
    ["It goes on when the queue is resumed: POST /v1/queues/mail:resume.", "It goes on when the queue is resumed."],
    ["It asks again at 2026-11-28T02:15:28.068Z, or at once after POST /v1/origins/a.example:reset.", "It asks again by itself, or at once when the origin is reset."],
    ["It goes on when the signal arrives: POST /v1/jobs/{id}/signals/paid.", "It goes on when the signal arrives."],
    ["It goes on when a person answers: POST /v1/approvals/apr_1:approve or :reject.", "It goes on when a person answers, below."],
    ["PUT it there at 10.", "PUT it there at 10."],
  ]) assert.equal(plainWords(text), plain);
});
