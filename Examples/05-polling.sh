#!/usr/bin/env bash
# Polling politely: Retry-After says when to ask again, and an ETag makes an unchanged answer cost nothing.
source "$(dirname "$0")/prelude.sh"
start_server

say "Submit; Location says where the job is"
location=$(curl -s -o /dev/null -D - --json '{"type": "delay", "for": "3s"}' "$url/v1/jobs" |
  tr -d '\r' | sed -n 's/^[Ll]ocation: //p')
echo "$location"

say "Ask until it is done"
etag='"none"'
unchanged=0
for _ in $(seq 40); do
  status=$(curl -s -o "$work/job" -D "$work/head" -w '%{http_code}' -H "If-None-Match: $etag" "$url$location")
  etag=$(tr -d '\r' <"$work/head" | sed -n 's/^[Ee][Tt]ag: //p')
  pause=$(tr -d '\r' <"$work/head" | sed -n 's/^[Rr]etry-[Aa]fter: //p')
  if [ "$status" = 304 ]; then unchanged=$((unchanged + 1)); fi
  echo "$status, ETag $etag, Retry-After ${pause:-none}"
  [ -n "$pause" ] || break
  sleep "$pause"
done
check "the state" succeeded "$(field /state <"$work/job")"
check "an unchanged answer was seen" yes "$([ "$unchanged" -gt 0 ] && echo yes || echo no)"
