#!/usr/bin/env bash
# Changes as they happen: follow all jobs or one, with filters, and miss nothing after a break.
source "$(dirname "$0")/prelude.sh"
start_server

# follow FILE PATH [FIELD…]: reads a stream into a file in the background.
follow() {
  local file=$1 path=$2
  shift 2
  curl -sN -H 'Accept: text/event-stream' "$@" "$url$path" >"$file" &
  started+=("$!")
  wait_for 20 test -s "$file" || fail "the stream did not begin"
}

say "Follow what fails, and one team's jobs"
follow "$work/failed" '/v1/events?state=failed'
follow "$work/team" '/v1/events?label.team=finance'
check "the first event" bookmark "$(sed -n 's/^event: //p' "$work/failed" | head -n 1)"

say "Two jobs: one ends well, one does not"
good=$(curl -s --json '{ "type": "value", "value": 1, "labels": { "team": "finance" } }' "$url/v1/jobs" | field /id)
bad=$(curl -s --json '{ "type": "group", "operations": [
  { "type": "value", "name": "a", "value": 1 },
  { "type": "value", "name": "b", "value": { "$get": "a", "at": "/body/none" } } ] }' "$url/v1/jobs" | field /id)
wait_for 20 grep -q "$bad" "$work/failed" || fail "the failure was not told"
wait_for 20 grep -q '"state":"succeeded"' "$work/team" || fail "the success was not told"
check "the other job in the stream of failures" 0 "$(grep -c "$good" "$work/failed" || true)"
check "the other job in the team's stream" 0 "$(grep -c "$bad" "$work/team" || true)"

say "One job: its journal, and its end"
job=$(curl -s --json '{ "type": "await", "signal": "go" }' "$url/v1/jobs" | field /id)
follow "$work/job" "/v1/jobs/$job/events"
wait_for 20 sh -c "curl -s '$url/v1/jobs?waiting_on.kind=signal' | grep -q '$job'" || fail "it does not wait"
curl -s --json '{}' "$url/v1/jobs/$job/signals/go" -o /dev/null
wait_for 20 grep -q '^event: end' "$work/job" || fail "the end was not told"
check "its state at the end" succeeded "$(grep -A 3 '^event: end' "$work/job" | sed -n 's/^data: //p' | field /state)"

say "After a break, go on behind the last event: 204 says that there is nothing more"
last=$(sed -n 's/^id: //p' "$work/job" | tail -n 1)
check "the answer" 204 "$(curl -s -o /dev/null -w '%{http_code}' -H 'Accept: text/event-stream' -H "Last-Event-ID: $last" \
  "$url/v1/jobs/$job/events")"
