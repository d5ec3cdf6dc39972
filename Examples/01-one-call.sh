#!/usr/bin/env bash
# One HTTP call: submit it, look at the job, read the result.
source "$(dirname "$0")/prelude.sh"
start_server
start_target

say "Submit the call; the answer is a job with an id"
job=$(curl -s --json '{"type": "network", "name": "fetch", "request": "'"$target"'/json"}' "$url/v1/jobs")
id=$(field /id <<<"$job")
echo "$id"

say "Ask for the job, and wait until it is done"
job=$(curl -s -H 'Prefer: wait=10' "$url/v1/jobs/$id")
pretty <<<"$job"
check "the state" succeeded "$(field /state <<<"$job")"

say "Read the result: the bytes that the service sent, with their own content type"
type=$(curl -s -o "$work/result" -w '%{content_type}' "$url/v1/jobs/$id/result")
check "the content type" application/json "$type"
check "the title" "Sample Slide Show" "$(field /slideshow/title <"$work/result")"
