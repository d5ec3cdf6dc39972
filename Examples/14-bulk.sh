#!/usr/bin/env bash
# Many jobs at once: count them, look, act, and see the result for each.
source "$(dirname "$0")/prelude.sh"
start_server

curl -s -X POST "$url/v1/queues/mail:pause" >/dev/null
for customer in c-1 c-1 c-1 c-2; do
  curl -s --json '{ "type": "value", "value": 1, "queue": "mail", "labels": { "customer": "'$customer'" } }' \
    "$url/v1/jobs" >/dev/null
done

say "How many wait, and for whom"
curl -s "$url/v1/jobs:count?by=state&queue=mail" >"$work/answer"
check "the count" 4 "$(field /count <"$work/answer")"
check "their state" queued "$(field /groups/0/state <"$work/answer")"

say "Look first: nothing is changed"
request='{ "action": "cancel", "reason": "The customer left.", "filter": { "state": "queued", "labels": { "customer": "c-1" } }'
curl -s --json "$request }" "$url/v1/bulk-actions?validate_only=true" >"$work/answer"
check "the number of jobs" 3 "$(field /count <"$work/answer")"

say "Another number than expected: nothing is done"
check "the refusal" 412 "$(curl -s -o /dev/null -w '%{http_code}' --json "$request, \"expected_count\": 4 }" "$url/v1/bulk-actions")"

say "Act"
curl -s --json "$request, \"expected_count\": 3 }" "$url/v1/bulk-actions" >"$work/answer"
bulk=$(field /id <"$work/answer")
over() { [ "$(curl -s "$url/v1/bulk-actions/$bulk" | field /state)" = completed ]; }
wait_for 20 over || fail "it did not end"
check "how many are cancelled" 3 "$(curl -s "$url/v1/bulk-actions/$bulk" | field /outcomes/done)"
check "a result" done "$(curl -s "$url/v1/bulk-actions/$bulk/results" | field /items/2/outcome)"
check "the job of the other customer" 1 "$(curl -s "$url/v1/jobs:count?state=queued" | field /count)"

say "Who did it"
check "the last change" bulk-actions "$(curl -s "$url/v1/audit" | field /items/0/kind)"
