#!/usr/bin/env bash
# Curl lines as jobs and jobs as curl lines; a form with a file made from an earlier answer.
source "$(dirname "$0")/prelude.sh"
start_server
start_target

say "Submit a curl line as it is"
job=$(curl -s -H 'Content-Type: text/x-shellscript' -H 'Prefer: wait=10' --data-binary \
  "curl $target/anything?page=2 -X PATCH -H 'X-Tag: it'\''s' --json '{\"n\": 1}' -u ada:lovelace" "$url/v1/jobs")
id=$(field /id <<<"$job")
check "the state" succeeded "$(field /state <<<"$job")"
check "the method that arrived" PATCH "$(field /result/inline/method <<<"$job")"
check "the content that arrived" '{"n": 1}' "$(field /result/inline/json <<<"$job")"
check "the field that arrived" "it's" "$(field /result/inline/headers/X-Tag <<<"$job")"

say "Read the job as a curl line, and run that"
curl -s -H 'Accept: text/x-shellscript' "$url/v1/jobs/$id/spec" | tee "$work/line"
bash <(sed 's/^curl /curl -s /' "$work/line") >"$work/again"
check "the method of the line" PATCH "$(field /method <"$work/again")"
check "the credentials of the line" "$(field /result/inline/headers/Authorization <<<"$job")" \
  "$(field /headers/Authorization <"$work/again")"

say "Send a form with a file that an earlier call brought"
job=$(curl -s -H 'Prefer: wait=10' --json '{ "type": "group", "name": "upload", "operations": [
    { "type": "network", "name": "picture", "request": "'"$target"'/image/png" },
    { "type": "network", "name": "send", "request": { "method": "POST", "url": "'"$target"'/post", "multipart": [
        { "name": "note", "text": "the \"picture\" of today" },
        { "name": "file", "filename": "a b.png", "artifact": "picture" },
        { "name": "facts", "filename": "facts.json", "json": { "from": { "$get": "picture", "at": "/headers/content-type" } } } ] } } ] }' \
  "$url/v1/jobs")
id=$(field /id <<<"$job")
check "the state" succeeded "$(field /state <<<"$job")"
curl -s "$url/v1/jobs/$id/result" >"$work/result"
check "the field of the form" 'the "picture" of today' "$(field /send/form/note <"$work/result")"
check "the JSON in the form" '{"from":"image/png"}' "$(field /send/files/facts <"$work/result")"
curl -s "$target/image/png" | base64 -w0 | sha256sum >"$work/sent"
field /send/files/file <"$work/result" | sed 's/^data:image.png;base64,//' | tr -d '\n' | sha256sum >"$work/arrived"
check "the digest of the file in the form" "$(cat "$work/sent")" "$(cat "$work/arrived")"

say "Methods of every kind arrive"
for method in PUT PATCH DELETE OPTIONS; do
  job=$(curl -s -H 'Prefer: wait=10' --json '{ "type": "network",
    "request": { "method": "'$method'", "url": "'"$target"'/anything", "text": "x" } }' "$url/v1/jobs")
  check "the answer to $method" succeeded "$(field /state <<<"$job")"
done
