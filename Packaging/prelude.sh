# Sourced by the scripts that make packages: what goes into each of them.
#   JOBSERVER   the program, by default .build/release/jobserver
#   OUT         the directory of the packages, by default .build/packages
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
umask 022

JOBSERVER=${JOBSERVER:-.build/release/jobserver}
OUT=${OUT:-.build/packages}
ARCH=$(dpkg --print-architecture)
VERSION=$("$JOBSERVER" version | sed -n '1s/^jobserver //p')
# The date of everything inside, so that two packages of one commit are equal.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
mkdir -p "$OUT"

fail() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# program ROOT: the program as ROOT/usr/bin/jobserver.
program() {
  install -D -m 755 "$JOBSERVER" "$1/usr/bin/jobserver"
  # The build id is a digest of the debug information, too, and the compiler's of its modules is one of its command lines:
  # both differ with the folder of the build.
  strip --strip-unneeded --remove-section=.comment --remove-section=.note --remove-section=.note.gnu.build-id \
    --remove-section=.swift_modhash "$1/usr/bin/jobserver"
}

# fill ROOT: program, manual, documents and completion below ROOT/usr.
fill() {
  local share=$1/usr/share
  program "$1"
  install -d "$share/man/man1" "$share/man/man5" "$share/bash-completion/completions" "$share/zsh/vendor-completions" \
    "$share/fish/vendor_completions.d" "$share/doc/jobserver"
  cp -r Docs "$share/doc/jobserver/Docs"
  rm -rf "$share/doc/jobserver/Docs/Pictures"
  python3 Packaging/sbom.py "$JOBSERVER" >"$share/doc/jobserver/sbom.cdx.json"
  "$JOBSERVER" man | gzip -9n >"$share/man/man1/jobserver.1.gz"
  "$JOBSERVER" man serve | gzip -9n >"$share/man/man1/jobserver-serve.1.gz"
  "$JOBSERVER" man spec | gzip -9n >"$share/man/man5/jobserver-spec.5.gz"
  "$JOBSERVER" completion bash >"$share/bash-completion/completions/jobserver"
  "$JOBSERVER" completion zsh >"$share/zsh/vendor-completions/_jobserver"
  "$JOBSERVER" completion fish >"$share/fish/vendor_completions.d/jobserver.fish"
}

# dated ROOT: sets the date of all files.
dated() { find "$1" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +; }

size() { du -sh --apparent-size "$1" | cut -f1; }
