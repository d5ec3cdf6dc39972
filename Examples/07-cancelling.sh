#!/usr/bin/env bash
# Stopping a job: at once when nothing is in flight, and with a grace period when a call is.
source "$(dirname "$0")/prelude.sh"
start_server
start_target

say "A job that waits is cancelled at once"
id=$(curl -s --json '{"type": "delay", "for": "1h"}' "$url/v1/jobs" | field /id)
curl -s -X POST "$url/v1/jobs/$id:cancel" --json '{"reason": "changed my mind"}' >/dev/null
job=$(curl -s -H 'Prefer: wait=10' "$url/v1/jobs/$id")
check "the state" cancelled "$(field /state <<<"$job")"

say "A call in flight is stopped, too; every step of the group reaches a final state"
id=$(curl -s "$url/v1/jobs" --json '{
  "type": "group", "name": "slow", "ordered": true,
  "operations": [ { "type": "network", "name": "long", "request": "'"$target"'/delay/9" },
                  { "type": "network", "name": "after", "request": "'"$target"'/json" } ] }' | field /id)
in_flight() { [ "$(curl -s "$url/v1/jobs/$id" | field /state)" = running ]; }
wait_for 10 in_flight || fail "the call did not start"
curl -s -X POST "$url/v1/jobs/$id:cancel" >/dev/null
job=$(curl -s -H 'Prefer: wait=20' "$url/v1/jobs/$id")
check "the state" cancelled "$(field /state <<<"$job")"
states=$(curl -s "$url/v1/jobs/$id/operations" | python3 -c '
import json, sys
final = {"succeeded", "failed", "cancelled", "skipped"}
print(all(i["state"] in final for i in json.load(sys.stdin)["items"]))')
check "all steps are final" True "$states"

say "Cancelling again changes nothing"
status=$(curl -s -o /dev/null -w '%{http_code}' -X POST "$url/v1/jobs/$id:cancel")
check "the status" 200 "$status"

say "Try it again: the same job, from where it stopped"
status=$(curl -s -o "$work/job" -w '%{http_code}' -X POST "$url/v1/jobs/$id:retry")
check "the status" 202 "$status"
curl -s -X POST "$url/v1/jobs/$id:cancel" >/dev/null
