#!/usr/bin/env bash
# Calls without a server: a program that imports only JobHTTP decodes an answer and downloads a file.
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../prelude.sh"

start_target
say "Build and run it (Sources/main.swift)"
program=$(build_example "$here" calls)
output=$("$program" "$target" "$work/bytes")
printf '%s\n' "$output"
check "the decoded answer" "echo: $target/get" "$(grep '^echo: ' <<<"$output")"
check "the download" "file: 100000 bytes" "$(grep '^file: ' <<<"$output")"
check "the size of the file" 100000 "$(wc -c <"$work/bytes")"
check "what is missing" "missing: http.status 404" "$(grep '^missing: ' <<<"$output")"
check "what is blocked" "blocked: egress.blocked" "$(grep '^blocked: ' <<<"$output")"
