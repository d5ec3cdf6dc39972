#!/usr/bin/env bash
# Jobs at planned times: look first, then store, and see each planned time with its job or why it has none.
source "$(dirname "$0")/prelude.sh"
start_server

put() { curl -s -X PUT -H 'Content-Type: application/json' "$url/v1/schedules/$1" -d "$2"; }

say "What people often mean otherwise comes back as a warning, with the next ten times"
answer=$(put 'report?validate_only=true' '{ "cron": "30 2 1-7 * MON", "tz": "Europe/Berlin",
  "job": { "type": "value", "value": "report" } }')
check "the warning" warning.cron_either "$(field /warnings/0/code <<<"$answer")"
check "nothing is stored" 404 "$(curl -s -o /dev/null -w '%{http_code}' "$url/v1/schedules/report")"

say "A mistake is refused with its place and a correction"
answer=$(put report '{ "cron": "*/10 *", "job": { "type": "value", "value": "report" } }')
check "the place" /cron "$(field /errors/0/pointer <<<"$answer")"
check "the correction" '*/10 * * * *' "$(field /errors/0/suggestion <<<"$answer")"

say "Every second, one after the other: the job knows its planned time"
put tick '{ "every": "1s", "job": { "type": "value", "value": { "for": { "$job": "scheduled_for" } } } }' >"$work/answer"
check "the state" active "$(field /state <"$work/answer")"
ran() { curl -s "$url/v1/schedules/tick/occurrences" | field /items/1/job_id | grep -q job_; }
wait_for 20 ran || fail "no job was made"
curl -s "$url/v1/schedules/tick/occurrences" >"$work/answer"
job=$(field /items/1/job_id <"$work/answer")
curl -s -H 'Prefer: wait=10' "$url/v1/jobs/$job" >"$work/job"
check "its planned time" "$(field /items/1/scheduled_for <"$work/answer")" "$(field /result/inline/for <"$work/job")"
check "its label" tick "$(field /labels/schedule <"$work/job")"

say "While it is paused, each planned time says so"
curl -s --json '{"reason": "release"}' "$url/v1/schedules/tick:pause" >"$work/answer"
check "the state" paused "$(field /state <"$work/answer")"
sleep 2
curl -s -X POST "$url/v1/schedules/tick:resume" >"$work/answer"
check "the state" active "$(field /state <"$work/answer")"
check "why there was no job" true "$(curl -s "$url/v1/schedules/tick/occurrences" |
  python3 -c 'import json,sys; print(str(any(o.get("skipped") == "paused" for o in json.load(sys.stdin)["items"])).lower())')"

say "A person runs it at once"
check "the job" 202 "$(curl -s -o /dev/null -w '%{http_code}' --json '{"overlap": "allow"}' "$url/v1/schedules/tick:run")"
