#!/usr/bin/env bash
# A large file goes from disk to an API: uploaded first, or in one command; checked on the way, kept while a job uses it.
source "$(dirname "$0")/prelude.sh"
start_server
start_target
export JOBSERVER_URL=$url

head -c 3000000 /dev/urandom | base64 -w0 >"$work/large"
digest=$(openssl dgst -sha256 -binary "$work/large" | base64)

say "Upload the file; the server compares its digest"
id=$(curl -s -T "$work/large" -X POST -H 'Content-Type: text/plain' -H "Content-Digest: sha-256=:$digest:" "$url/v1/artifacts" |
  field /id)
check "its length" "$(wc -c <"$work/large")" "$(curl -s "$url/v1/artifacts/$id" | field /bytes)"
check "a digest of something else" upload.digest \
  "$(curl -s -T "$0" -X POST -H "Content-Digest: sha-256=:$digest:" "$url/v1/artifacts" | field /code)"

say "Send it as a part of a form"
job=$(curl -s -H 'Prefer: wait=30' --json '{ "type": "network", "request": { "method": "POST", "url": "'"$target"'/post",
  "multipart": [ { "name": "month", "text": "2026-03" },
                 { "name": "file", "filename": "march.txt", "artifact": { "id": "'"$id"'" } } ] } }' "$url/v1/jobs")
check "the state" succeeded "$(field /state <<<"$job")"
check "the other field" 2026-03 "$(curl -s "$url/v1/jobs/$(field /id <<<"$job")/result" | field /form/month)"
curl -s "$url/v1/jobs/$(field /id <<<"$job")/result" | field /files/file | tr -d '\n' >"$work/arrived"
check "the digest of what arrived" "$(sha256sum <"$work/large")" "$(sha256sum <"$work/arrived")"

say "It is kept as long as the job"
check "deleting it" 409 "$(curl -s -o /dev/null -w '%{http_code}' -X DELETE "$url/v1/artifacts/$id")"
curl -s -X DELETE "$url/v1/jobs/$(field /id <<<"$job")"
check "deleting it after the job" 204 "$(curl -s -o /dev/null -w '%{http_code}' -X DELETE "$url/v1/artifacts/$id")"
check "a job that names it now" upload.not_found "$(curl -s --json '{ "type": "network", "request": { "method": "PUT",
  "url": "'"$target"'/put", "artifact": { "id": "'"$id"'" } } }' "$url/v1/jobs" | field /errors/0/code)"

say "The same in one command: a curl line, and a spec with a name for the file"
"$(find_binary)" run -- curl -s -F month=2026-03 -F "file=@$work/large;filename=march.txt" "$target/post" >"$work/answer"
check "the digest of what arrived" "$(sha256sum <"$work/large")" \
  "$(field /files/file <"$work/answer" | tr -d '\n' | sha256sum)"
echo '{ "type": "network", "request": { "method": "PUT", "url": "'"$target"'/put", "artifact": { "id": "month" } } }' \
  >"$work/import.json"
job=$("$(find_binary)" submit "$work/import.json" --file "month=$work/large" --wait)
check "the length of what arrived" "$(wc -c <"$work/large")" \
  "$(curl -s "$url/v1/jobs/$job/result" | field /headers/Content-Length)"
