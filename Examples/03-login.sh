#!/usr/bin/env bash
# A login that takes three servers, in order: the first gives a token, the second a session for it, the third the
# profile. Each request is built from the answer before. Then the same with a wrong password, and with the first
# server down.
source "$(dirname "$0")/prelude.sh"
start_server
start_target
identity=$target
start_target
sessions=$target
start_target
profiles=$target

# login PASSWORD IDENTITY: the spec
login() {
  cat <<SPEC
{
  "type": "group", "name": "login", "ordered": true,
  "operations": [
    { "type": "network", "name": "token",
      "conditions": [ { "type": "reachability", "url": "$2" } ],
      "request": { "url": "$2/basic-auth/ada/lovelace",
                   "auth": { "type": "basic", "username": "ada", "password": "$1" } } },
    { "type": "network", "name": "session",
      "request": { "method": "POST", "url": "$sessions/anything/session",
                   "json": { "user": { "\$get": "token", "at": "/body/user" } } } },
    { "type": "network", "name": "profile",
      "request": { "url": "$profiles/bearer",
                   "auth": { "type": "bearer", "token": { "\$get": "session", "at": "/body/json/user" } } } }
  ]
}
SPEC
}

# run PASSWORD IDENTITY: submits, waits, sets $id and $job
run() {
  job=$(login "$1" "$2" | curl -s --json @- -H 'Prefer: wait=20' "$url/v1/jobs")
  id=$(field /id <<<"$job")
}

# state_of NAME and reason_of NAME: of one step of the job
step() { curl -s "$url/v1/jobs/$id/operations" | python3 -c '
import json, sys
steps = {item["name"]: item for item in json.load(sys.stdin)["items"]}
step = steps[sys.argv[1]]
errors = step.get("errors") or [step.get("error") or {}]
print(step["state"] if sys.argv[2] == "state" else errors[0].get("code"))
' "$1" "$2"; }

say "With the right password all three steps succeed"
run lovelace "$identity"
check "the job" succeeded "$(field /state <<<"$job")"
check "the token step" succeeded "$(step token state)"
check "the session step" succeeded "$(step session state)"
check "the profile step" succeeded "$(step profile state)"

say "With a wrong password the first step fails, and the others are skipped"
run wrong "$identity"
check "the job" failed "$(field /state <<<"$job")"
field /error <<<"$job" >"$work/error"
pretty <"$work/error"
error=$(field /causes/0 <"$work/error")
[ "$(field /operation <"$work/error")" = token ] && error=$(cat "$work/error")
check "where the error arose" execution "$(field /stage <<<"$error")"
check "its operation" token "$(field /operation <<<"$error")"
check "what the server said" 401 "$(field /upstream/status <<<"$error")"
check "the session step" skipped "$(step session state)"
check "its reason" dependency.failed "$(step session reason)"
check "the profile step" skipped "$(step profile state)"

say "With the identity server down, the condition says so before anything is sent"
kill "${started[1]}"
wait "${started[1]}" 2>/dev/null || true
run lovelace "$identity"
check "the job" failed "$(field /state <<<"$job")"
field /error <<<"$job" >"$work/error"
error=$(field /causes/0 <"$work/error")
[ "$(field /stage <"$work/error")" = condition ] && error=$(cat "$work/error")
check "where the error arose" condition "$(field /stage <<<"$error")"
check "its code" condition.unreachable "$(field /code <<<"$error")"
