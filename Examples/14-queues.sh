#!/usr/bin/env bash
# A queue that lets two jobs run at a time, and one of each customer: customers take turns.
source "$(dirname "$0")/prelude.sh"
start_server

say "Pause the queue, so that the jobs below can be seen waiting, and configure it"
curl -s -o /dev/null -X POST "$url/v1/queues/mail:pause"
check "the answer" 200 "$(curl -s -o "$work/answer" -w '%{http_code}' -X PUT "$url/v1/queues/mail" \
  -H 'Content-Type: application/json' \
  -d '{ "concurrency": 2, "per_key": { "concurrency": 1 } }')"
check "its state" paused "$(field /state <"$work/answer")"

say "A customer with many jobs, and one with a single job"
for _ in 1 2 3 4 5 6; do echo '{"type": "delay", "for": "100ms", "queue": "mail", "queue_key": "big"}'; done >"$work/jobs"
curl -s -o /dev/null -H 'Content-Type: application/x-ndjson' --data-binary @"$work/jobs" "$url/v1/jobs:batch"
small=$(curl -s --json '{"type": "delay", "for": "50ms", "queue": "mail",
  "labels": { "customer": "small" }, "queue_key": { "$job": "labels", "at": "/customer" }}' "$url/v1/jobs" | field /id)
check "the jobs that wait" 7 "$(curl -s "$url/v1/queues/mail" | field /waiting)"
check "the busiest key" big "$(curl -s "$url/v1/queues/mail/keys" | field /items/0/key)"

say "What holds a job back"
curl -s "$url/v1/jobs/$small/explain" >"$work/answer"
check "the reason" "Queue mail is paused." "$(field /waiting_on/0/detail <"$work/answer")"
check "how many come before it" 1 "$(field /waiting_on/0/ahead <"$work/answer")"

say "Let them begin: the single job does not wait for the other customer's"
curl -s -o /dev/null -X POST "$url/v1/queues/mail:resume"
small_end=$(curl -s -H 'Prefer: wait=10' "$url/v1/jobs/$small" | field /finished_at)
last=$(curl -s "$url/v1/jobs?queue_key=big&page_size=1" | field /items/0/id)
last_end=$(curl -s -H 'Prefer: wait=20' "$url/v1/jobs/$last" | field /finished_at)
check "that it ended before the last of the others" true "$([[ "$small_end" < "$last_end" ]] && echo true)"

say "Cancel what still waits"
curl -s -o /dev/null -X POST "$url/v1/queues/mail:pause"
late=$(curl -s --json '{"type": "value", "value": 1, "queue": "mail"}' "$url/v1/jobs" | field /id)
curl -s --json '{"action": "cancel", "filter": {"queue": "mail", "state": "queued"}}' "$url/v1/bulk-actions" -o /dev/null
empty() { [ "$(curl -s "$url/v1/queues/mail" | field /waiting)" = 0 ]; }
wait_for 20 empty || fail "they were not cancelled"
check "the jobs that wait" 0 "$(curl -s "$url/v1/queues/mail" | field /waiting)"
check "the state of the late one" cancelled "$(curl -s "$url/v1/jobs/$late" | field /state)"
