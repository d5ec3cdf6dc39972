#!/usr/bin/env bash
# Waiting instead of polling: the server holds the answer until the job is done, or until the time is over.
source "$(dirname "$0")/prelude.sh"
start_server

say "Done in time: 200 with the finished job"
status=$(curl -s -o "$work/job" -w '%{http_code}' -H 'Prefer: wait=10' "$url/v1/jobs" \
  --json '{"type": "delay", "for": "500ms"}')
check "the status" 200 "$status"
check "the state" succeeded "$(field /state <"$work/job")"

say "Not done in time: 202 with the current job"
status=$(curl -s -o "$work/job" -w '%{http_code}' -H 'Prefer: wait=1' "$url/v1/jobs" \
  --json '{"type": "delay", "for": "3s"}')
check "the status" 202 "$status"
check "done" false "$(field /done <"$work/job")"
id=$(field /id <"$work/job")

say "Wait on the job itself, until it is final"
status=$(curl -s -o "$work/job" -w '%{http_code}' -H 'Prefer: wait=10' "$url/v1/jobs/$id")
check "the status" 200 "$status"
check "the state" succeeded "$(field /state <"$work/job")"

say "With an ETag, wait until it is another one than the one that is known; a final job stays as it is: 304"
etag=$(curl -s -o /dev/null -D - "$url/v1/jobs/$id" | tr -d '\r' | sed -n 's/^[Ee][Tt]ag: //p')
status=$(curl -s -o /dev/null -w '%{http_code}' -H 'Prefer: wait=1' -H "If-None-Match: $etag" "$url/v1/jobs/$id")
check "the status" 304 "$status"
