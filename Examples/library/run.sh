#!/usr/bin/env bash
# The library alone: a program that imports only JobKit, with an operation, a condition and an observer of its own.
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../prelude.sh"

say "Build and run it (Sources/main.swift)"
program=$(build_example "$here" toss)
output=$("$program")
printf '%s\n' "$output"
check "the announcement" 1 "$(grep -c '^It is heads\.$' <<<"$output")"
check "the number of failed attempts" 2 "$(grep -c '^attempt .: It is not heads' <<<"$output")"
check "what happened without a coin" "toss.no_coin: Toss needs a coin." "$(tail -n 1 <<<"$output")"
