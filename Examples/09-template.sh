#!/usr/bin/env bash
# An operation with parameters, stored once and used by name: versions never change under a job.
source "$(dirname "$0")/prelude.sh"
start_server
start_target

put() {
  curl -s -o "$work/answer" -w '%{http_code}' -X PUT "$url/v1/templates/greet" \
    -H 'Content-Type: application/json' -d '{
    "parameters": {
      "whom": { "type": "string", "required": true },
      "mood": { "type": "string", "enum": ["kind", "curt"], "default": "kind" } },
    "operation": { "type": "network", "name": "post",
      "request": { "method": "POST", "url": "'"$target"'/anything",
        "json": { "text": { "$text": "'"$1"' {whom}", "vars": { "whom": { "$param": "whom" } } },
                  "mood": { "$param": "mood" } } } } }'
}

say "Store a template; the same body makes no new version"
check "the first" 201 "$(put Hello)"
check "once more" 200 "$(put Hello)"
check "the version" 1 "$(field /version <"$work/answer")"

say "Run it with parameters"
job=$(curl -s -H 'Prefer: wait=10' --json '{"template": "greet", "params": {"whom": "Ada"}}' "$url/v1/jobs")
check "the state" succeeded "$(field /state <<<"$job")"
check "the text" "Hello Ada" "$(field /result/inline/json/text <<<"$job")"
check "the default" kind "$(field /result/inline/json/mood <<<"$job")"

say "Use it inside of a job, with a value of another operation, in a version of your choice"
check "a change is a new version" 201 "$(put Welcome)"
job=$(curl -s -H 'Prefer: wait=10' "$url/v1/jobs" --json '{ "type": "group", "operations": [
  { "type": "value", "name": "user", "value": { "name": "Bob" } },
  { "name": "old", "template": "greet@1", "params": { "whom": { "$get": "user", "at": "/body/name" } } },
  { "name": "new", "template": "greet", "params": { "whom": { "$get": "user", "at": "/body/name" } } } ] }')
check "the old one" "Hello Bob" "$(field /result/inline/old/json/text <<<"$job")"
check "the new one" "Welcome Bob" "$(field /result/inline/new/json/text <<<"$job")"

say "What it does not take is refused when the job is submitted, with the place"
curl -s --json '{"template": "greet", "params": {"whom": "Ada", "mood": "rude"}}' "$url/v1/jobs" >"$work/answer"
check "the place" /params/mood "$(field /errors/0/pointer <"$work/answer")"
