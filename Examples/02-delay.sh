#!/usr/bin/env bash
# A delay, and a job that starts later. While they wait they cost no memory, and they survive a restart.
source "$(dirname "$0")/prelude.sh"
start_server

say "A delay of one second; wait for it"
job=$(curl -s --json '{"type": "delay", "for": "1s"}' -H 'Prefer: wait=10' "$url/v1/jobs")
check "the state" succeeded "$(field /state <<<"$job")"

say "A job that becomes runnable in an hour"
job=$(curl -s --json '{"type": "value", "value": "good morning", "run_at": "1h"}' "$url/v1/jobs")
id=$(field /id <<<"$job")
due=$(field /run_at <<<"$job")
check "the state" scheduled "$(field /state <<<"$job")"
echo "due at $due"

say "Stop the server hard and start it again on the same data: the job is still there, with the same time"
kill -9 "$server"
wait "$server" 2>/dev/null || true
start_server
job=$(curl -s "$url/v1/jobs/$id")
check "the state" scheduled "$(field /state <<<"$job")"
check "the time" "$due" "$(field /run_at <<<"$job")"
