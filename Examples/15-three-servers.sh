#!/usr/bin/env bash
# Three servers on one PostgreSQL: each takes every job. One is killed with work in its hands, and nothing is lost.
source "$(dirname "$0")/prelude.sh"
start_target
start_postgres

say "Three servers, each with a directory of its own; they share the jobs"
urls=()
for name in a b c; do
  data=$work/$name start_server --store "$postgres" --artifacts "$work/artifacts" --lease 3s
  urls+=("$url")
done
victim=$server

say "What one has answered, all see, and each can wait for it"
id=$(curl -s --json '{"type": "delay", "for": "200ms"}' "${urls[0]}/v1/jobs" | field /id)
check "the state at the second server" succeeded "$(curl -s -H 'Prefer: wait=10' "${urls[1]}/v1/jobs/$id" | field /state)"

say "Submit 30 calls to all of them in turn, each with a key of its own"
jobs=()
for number in $(seq 30); do
  jobs+=("$(curl -s -H "Idempotency-Key: order-$number" --json '{"type": "network", "request": "'"$target"'/delay/1"}' \
    "${urls[number % 3]}/v1/jobs" | field /id)")
done
check "how many jobs there are" 30 "$(printf '%s\n' "${jobs[@]}" | sort -u | wc -l)"

say "Kill the third one hard: others take its jobs when its lease has ended"
kill -KILL "$victim"
wait "$victim" 2>/dev/null || true
succeeded=0
for place in "${!jobs[@]}"; do
  state=$(curl -s -H 'Prefer: wait=30' "${urls[place % 2]}/v1/jobs/${jobs[place]}" | field /state)
  [ "$state" != succeeded ] || succeeded=$((succeeded + 1))
done
check "how many succeeded" 30 "$succeeded"

say "Who sends a request again, to whichever server, gets the same job"
again=$(curl -s -H "Idempotency-Key: order-2" --json '{"type": "network", "request": "'"$target"'/delay/1"}' \
  "${urls[1]}/v1/jobs" | field /id)
check "the job of the second order" "${jobs[1]}" "$again"

say "A server that starts joins them"
data=$work/c start_server --store "$postgres" --artifacts "$work/artifacts" --lease 3s
check "the first job at the new server" succeeded "$(curl -s "$url/v1/jobs/${jobs[0]}" | field /state)"
