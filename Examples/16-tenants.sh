#!/usr/bin/env bash
# Two teams on one server: the same names, no sight of each other, limits of their own, and an operator who sees both.
source "$(dirname "$0")/prelude.sh"

say "A token for each team, and one for the operator"
token() { "$(find_binary)" token create --token-file "$work/tokens" --name "$@"; }
acme=$(token acme-ci --tenant acme)
beta=$(token beta-ci --tenant beta)
operator=$(token operator)
start_server --token-file "$work/tokens" --tenant-limits 'acme:unfinished=2'

as() { local token=$1; shift; curl -s -H "Authorization: Bearer $token" "$@"; }
status() { as "$@" -o /dev/null -w '%{http_code}'; }

say "Both have a queue called mail, and a job that is unique there"
spec='{ "type": "delay", "for": "1h", "queue": "mail", "unique": "report" }'
first=$(as "$acme" --json "$spec" "$url/v1/jobs" | field /id)
second=$(as "$beta" --json "$spec" "$url/v1/jobs" | field /id)
check "a second one of acme" 409 "$(status "$acme" --json "$spec" "$url/v1/jobs")"

say "What belongs to the other is like what does not exist"
check "acme's job for beta" 404 "$(status "$beta" "$url/v1/jobs/$first")"
check "the jobs of beta" "$second" "$(as "$beta" "$url/v1/jobs" | field /items/0/id)"
check "how many beta has" 1 "$(as "$beta" "$url/v1/jobs:count" | field /count)"
check "the whole server's metrics for beta" 403 "$(status "$beta" "$url/metrics")"

say "The operator sees both, with the team before each name"
check "the queue of acme's job" acme/mail "$(as "$operator" "$url/v1/jobs/$first" | field /queue)"
check "the jobs in acme's queue" "$first" "$(as "$operator" "$url/v1/jobs?queue=acme/mail" | field /items/0/id)"

say "The limits of one do not touch the other"
other='{ "type": "delay", "for": "1h" }'
check "acme's second unfinished job" 202 "$(status "$acme" --json "$other" "$url/v1/jobs")"
check "its third" 429 "$(status "$acme" --json "$other" "$url/v1/jobs")"
check "beta's third" 202 "$(status "$beta" --json "$other" "$url/v1/jobs" >/dev/null; status "$beta" --json "$other" "$url/v1/jobs")"

say "A page and its users learn whose token it is"
check "the tenant" acme "$(as "$acme" "$url/session" | field /tenant)"
