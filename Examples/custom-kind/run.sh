#!/usr/bin/env bash
# A server with a kind of operation of its own: build it, start it, submit the kind with curl.
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../prelude.sh"

say "Build the server with the kind \"checksum\" (Sources/main.swift)"
JOBSERVER=$(build_example "$here" checksum-server)
start_server
start_target

say "Submit one"
job=$(curl -s --json '{"type": "checksum", "text": "hello"}' -H 'Prefer: wait=10' "$url/v1/jobs")
check "the state" succeeded "$(field /state <<<"$job")"
check "the checksum" "$(python3 -c 'import zlib; print(zlib.adler32(b"hello"))')" "$(field /result/inline/adler32 <<<"$job")"

say "In a group it takes its text from a call, like any other operation"
job=$(curl -s -H 'Prefer: wait=10' "$url/v1/jobs" --json '{
  "type": "group", "name": "sum", "operations": [
    { "type": "network", "name": "page", "request": "'"$target"'/base64/aGVsbG8=" },
    { "type": "checksum", "name": "check", "text": { "$get": "page", "at": "/body" } } ] }')
check "the state" succeeded "$(field /state <<<"$job")"
operations=$(curl -s "$url/v1/jobs/$(field /id <<<"$job")/operations")
check "the type of the last operation" checksum "$(field /items/2/type <<<"$operations")"

say "Mistakes are reported where they stand"
problem=$(curl -s --json '{"type": "checksum", "txet": "hello"}' "$url/v1/jobs")
check "the place" /txet "$(field /errors/0/pointer <<<"$problem")"
check "the suggestion" text "$(field /errors/0/suggestion <<<"$problem")"
