# Sourced by the examples: starts servers, checks answers, cleans up.
#
#   start_server [FLAG…]   a separate jobserver with an empty store; sets $url and $server. $data may name its directory,
#                          $log_level its level of log lines
#   start_postgres         a PostgreSQL of its own; sets $postgres, its address
#   start_target           a real HTTP service (httpbin) on this machine; sets $target and $target_log
#   build_example FOLDER PROGRAM   builds a program in FOLDER and prints its path
#   field POINTER          prints one value of the JSON on standard input, such as /error/code
#   check WHAT WANT GOT    compares a value with the expected one; the example fails when they differ
#
# JOBSERVER names the binary to use; without it, the newest one that was built here is taken.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/jobserver-example.XXXXXX")
started=()
failures=0

clean_up() {
  local status=$? pid
  for pid in "${started[@]+"${started[@]}"}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${started[@]+"${started[@]}"}"; do wait "$pid" 2>/dev/null || true; done
  rm -rf "$work"
  [ "$failures" -eq 0 ] || status=1
  exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

fail() { printf 'FAILED: %s\n' "$*" >&2; failures=$((failures + 1)); exit 1; }

say() { printf '\n# %s\n' "$*"; }

check() {
  if [ "$2" = "$3" ]; then
    printf 'ok: %s is %s\n' "$1" "$3"
  else
    printf 'FAILED: %s is "%s", expected "%s"\n' "$1" "$3" "$2" >&2
    failures=$((failures + 1))
  fi
}

find_binary() {
  local newest=${JOBSERVER:-} candidate
  if [ -z "$newest" ]; then
    for candidate in "$root"/.build/release/jobserver "$root"/.build/debug/jobserver; do
      if [ -x "$candidate" ] && { [ -z "$newest" ] || [ "$candidate" -nt "$newest" ]; }; then newest=$candidate; fi
    done
  fi
  echo "$newest"
}

# wait_for SECONDS COMMAND…: repeats the command until it succeeds.
wait_for() {
  local tries=$(($1 * 20))
  shift
  while ! "$@" >/dev/null 2>&1; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || return 1
    sleep 0.05
  done
}

# Both programs are built into one folder, so that the second finds what the first has built.
build_example() {
  local log=$work/build.log
  local flags=(--package-path "$1" --scratch-path "$root/.build/examples" -debug-info-format none)
  rm -f "$root/.build/examples/debug.yaml"
  "${SWIFT:-swift}" build "${flags[@]}" --product "$2" >"$log" 2>&1 || { tail -n 40 "$log" >&2; fail "$2 cannot be built"; }
  echo "$("${SWIFT:-swift}" build "${flags[@]}" --show-bin-path)/$2"
}

start_server() {
  local binary port_file=$work/port
  binary=$(find_binary)
  [ -n "$binary" ] || fail "there is no binary; run: make build"
  rm -f "$port_file"
  "$binary" serve --port 0 --port-file "$port_file" --data "${data:-$work/data}" --egress-allow 127.0.0.0/8 \
    --log-level "${log_level:-warning}" "$@" >>"$work/server.log" 2>&1 &
  server=$!
  started+=("$server")
  if ! wait_for 20 test -s "$port_file"; then
    cat "$work/server.log" >&2
    fail "the server did not start"
  fi
  url=http://127.0.0.1:$(cat "$port_file")
  wait_for 20 curl -sf "$url/readyz" || fail "the server does not answer"
}

start_postgres() {
  local home=$work/postgres as=() programs
  programs=$(compgen -G '/usr/lib/postgresql/*/bin' | sort -V | tail -n 1) ||
    fail "PostgreSQL is missing; run: .ci/install test"
  mkdir "$home"
  if [ "$(id -u)" -eq 0 ]; then
    # PostgreSQL refuses to run as root.
    chmod 755 "$work"
    chown nobody "$home"
    as=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
  fi
  "${as[@]+"${as[@]}"}" "$programs/initdb" --pgdata "$home/data" --username jobs --auth trust --no-sync >"$work/initdb.log"
  "${as[@]+"${as[@]}"}" "$programs/postgres" -D "$home/data" -k "$home" -h '' >"$work/postgres.log" 2>&1 &
  started+=("$!")
  wait_for 20 "$programs/pg_isready" -q -h "$home" -U jobs -d postgres || fail "PostgreSQL did not start"
  postgres="host=$home user=jobs dbname=postgres"
}

start_target() {
  local python=$root/.build/venv/bin/python log
  [ -x "$python" ] || fail "the Python tools are missing; run: .ci/install test"
  log=$work/target-$((${#started[@]} + 1)).log
  target_log=$work/access-$((${#started[@]} + 1)).log
  "$python" -m gunicorn --bind 127.0.0.1:0 --worker-class gthread --threads "${TARGET_THREADS:-16}" --access-logfile "$target_log" \
    --no-control-socket httpbin:app >"$log" 2>&1 &
  started+=("$!")
  wait_for 20 grep -q 'Listening at: http' "$log" || { cat "$log" >&2; fail "httpbin did not start"; }
  target=$(sed -n 's/.*Listening at: \(http:[^ ]*\).*/\1/p' "$log" | head -n 1)
  wait_for 20 curl -sf "$target/status/200" || fail "httpbin does not answer"
}

field() {
  python3 -c '
import json, sys
value = json.load(sys.stdin)
for step in sys.argv[1].split("/")[1:]:
    step = step.replace("~1", "/").replace("~0", "~")
    if isinstance(value, list):
        value = value[int(step)] if step.isdigit() and int(step) < len(value) else None
    else:
        value = value.get(step) if isinstance(value, dict) else None
print(value if isinstance(value, str) else json.dumps(value))
' "$1"
}

# pretty: the JSON on standard input, indented for people.
pretty() { python3 -m json.tool; }
