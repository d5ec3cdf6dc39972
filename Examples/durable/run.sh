#!/usr/bin/env bash
# Durable jobs in a program without a server: it is killed in the middle of a job, and its next start finishes that.
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../prelude.sh"

say "Build it (Sources/main.swift) and start it"
program=$(build_example "$here" billing)
stdbuf -oL "$program" "$work/jobs" >"$work/first.log" &
first=$!
started+=("$first")
wait_for 20 grep -q '^charging 20' "$work/first.log" || fail "the job did not begin"

say "Kill it in the middle"
kill -9 "$first"
wait "$first" 2>/dev/null || true
cat "$work/first.log"
check "the number of results" 0 "$(grep -c '^charged' "$work/first.log" || true)"

say "Start it again: the idempotency key finds the job, which is run again"
output=$("$program" "$work/jobs")
printf '%s\n' "$output"
check "the job" "$(grep -o 'job_[a-z0-9]*' "$work/first.log")" "$(grep -o 'job_[a-z0-9]*' <<<"$output")"
check "the result" "charged 42" "$(tail -n 1 <<<"$output" | cut -d ' ' -f 1,2)"

say "And once more: the job is over, and its result is there"
output=$("$program" "$work/jobs")
printf '%s\n' "$output"
check "the number of charges" 0 "$(grep -c '^charging' <<<"$output" || true)"
check "the result" "charged 42" "$(tail -n 1 <<<"$output" | cut -d ' ' -f 1,2)"
