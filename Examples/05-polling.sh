#!/usr/bin/env bash
# Polling politely: Retry-After says when to ask again, and an ETag makes an unchanged answer cost nothing.
source "$(dirname "$0")/prelude.sh"
start_server

say "Submit; Location says where the job is"
location=$(curl -s -o /dev/null -D - --json '{"type": "delay", "for": "3s"}' "$url/v1/jobs" |
  tr -d '\r' | sed -n 's/^[Ll]ocation: //p')
echo "$location"

# ask: one request; sets $status, $etag and $pause
ask() {
  status=$(curl -s -o "$work/answer" -D "$work/head" -w '%{http_code}' -H "If-None-Match: $etag" "$url$location")
  etag=$(tr -d '\r' <"$work/head" | sed -n 's/^[Ee][Tt]ag: //p')
  pause=$(tr -d '\r' <"$work/head" | sed -n 's/^[Rr]etry-[Aa]fter: //p')
  if [ "$status" = 200 ]; then cp "$work/answer" "$work/job"; fi
  echo "$status, ETag $etag, Retry-After ${pause:-none}"
}

say "Ask until it is done, and not before it makes sense"
etag='"none"'
for _ in $(seq 40); do
  ask
  [ -n "$pause" ] || break
  sleep "$pause"
done
check "the state" succeeded "$(field /state <"$work/job")"

say "Nothing changes any more, so asking again with the ETag costs nothing"
ask
check "the status" 304 "$status"
