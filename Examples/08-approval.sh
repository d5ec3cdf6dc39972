#!/usr/bin/env bash
# A person decides: the job waits, costs no memory meanwhile, and goes on as soon as somebody has answered.
source "$(dirname "$0")/prelude.sh"
start_server
start_target

ask() {
  curl -s "$url/v1/jobs" --json '{
    "type": "network", "name": "pay",
    "request": { "method": "POST", "url": "'"$target"'/anything", "json": { "amount": 1200 } },
    "conditions": [ { "type": "approval", "prompt": "Pay 1200 to ACME?", "timeout": "8h" } ] }' | field /id
}
is_asked() { [ "$(curl -s "$url/v1/approvals?state=open&job_id=$1" | field /items/0/state)" = open ]; }

say "A job that asks before it does something"
id=$(ask)
wait_for 10 is_asked "$id" || fail "no approval was requested"
check "what the job waits for" approval "$(curl -s "$url/v1/jobs/$id" | field /waiting_on/0/kind)"

say "What there is to decide: the request as it will be sent, and its digest"
approval=$(curl -s "$url/v1/approvals?state=open&job_id=$id" | field /items/0/id)
curl -s "$url/v1/approvals/$approval" >"$work/approval"
check "the prompt" "Pay 1200 to ACME?" "$(field /prompt <"$work/approval")"
check "the content" '{"amount":1200}' "$(field /request/body <"$work/approval")"
digest=$(field /digest <"$work/approval")

say "Approve exactly this"
curl -s "$url/v1/approvals/$approval:approve" --json '{"comment": "checked", "digest": "'"$digest"'"}' >"$work/answer"
check "the approval" approved "$(field /state <"$work/answer")"
check "the job" succeeded "$(curl -s -H 'Prefer: wait=10' "$url/v1/jobs/$id" | field /state)"

say "One answer only"
status=$(curl -s -o /dev/null -w '%{http_code}' -X POST "$url/v1/approvals/$approval:reject")
check "the second answer" 409 "$status"

say "A rejection is an error with name and reason"
id=$(ask)
wait_for 10 is_asked "$id" || fail "no approval was requested"
approval=$(curl -s "$url/v1/approvals?state=open&job_id=$id" | field /items/0/id)
curl -s "$url/v1/approvals/$approval:reject" --json '{"comment": "wrong supplier"}' >/dev/null
job=$(curl -s -H 'Prefer: wait=10' "$url/v1/jobs/$id")
check "the job" failed "$(field /state <<<"$job")"
check "the code" approval.rejected "$(field /error/code <<<"$job")"
check "the comment" "wrong supplier" "$(field /error/published_error/info/comment <<<"$job")"
