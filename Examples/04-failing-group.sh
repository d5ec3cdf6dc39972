#!/usr/bin/env bash
# A group in which one of three calls fails. The others go on, and the error has the exact cause.
source "$(dirname "$0")/prelude.sh"
start_server
start_target

say "Three calls at once; the second one is answered with 503 however often it is tried"
job=$(curl -s -H 'Prefer: wait=20' "$url/v1/jobs" --json '{
  "type": "group", "name": "fetch_all",
  "operations": [
    { "type": "network", "name": "first",  "request": "'"$target"'/json" },
    { "type": "network", "name": "second", "request": "'"$target"'/status/503",
      "retry": { "max_attempts": 2, "backoff": { "type": "fixed", "initial": "100ms" }, "jitter": "none" } },
    { "type": "network", "name": "third",  "request": "'"$target"'/uuid" }
  ] }')
id=$(field /id <<<"$job")
check "the job" failed "$(field /state <<<"$job")"

say "The error, as an AOperationError"
field /error <<<"$job" >"$work/error"
pretty <"$work/error"
error=$(field /causes/0 <"$work/error")
[ "$(field /operation <"$work/error")" = second ] && error=$(cat "$work/error")
check "its code" http.status "$(field /code <<<"$error")"
check "its operation" second "$(field /operation <<<"$error")"
check "the attempt" 2 "$(field /attempt <<<"$error")"
check "what stopped the retries" attempts "$(field /retry_stopped_by <<<"$error")"
check "the delivery" answered "$(field /delivery <<<"$error")"

say "The other two were carried on"
states=$(curl -s "$url/v1/jobs/$id/operations" | python3 -c '
import json, sys
print(" ".join(sorted(i["name"] + "=" + i["state"] for i in json.load(sys.stdin)["items"] if i["name"] != "fetch_all")))')
check "the steps" "first=succeeded second=failed third=succeeded" "$states"

say "Every attempt is on record"
count=$(curl -s "$url/v1/jobs/$id/attempts" | python3 -c '
import json, sys
print(sum(1 for i in json.load(sys.stdin)["items"] if i["operation"] == "second"))')
check "attempts of the second call" 2 "$count"
