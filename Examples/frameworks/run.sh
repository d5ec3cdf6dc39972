#!/usr/bin/env bash
# The examples of the documents of five other frameworks, written with JobKit: builds and runs them, and compares the
# lines of code that each takes here and there (originals.txt).
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../prelude.sh"

say "Count their lines"
python3 - "$here" <<'PYTHON'
import pathlib
import sys

here = pathlib.Path(sys.argv[1])
originals = {}
for line in (here / "originals.txt").read_text().splitlines():
    if line and not line.startswith("#"):
        feature, lines, source = line.split(" | ")
        originals[feature] = (int(lines), source)

counts = {}
for file in sorted((here / "Sources").glob("*.swift")):
    feature = None
    for line in map(str.strip, file.read_text().splitlines()):
        if line.startswith("// feature: "):
            feature = line.removeprefix("// feature: ")
            counts.setdefault(feature, 0)
        elif line == "// end":
            feature = None
        elif feature and line and not line.startswith("//"):
            counts[feature] += 1

print(f"{'there':>5} {'here':>5}  feature, and the document of the original")
for feature, (lines, source) in originals.items():
    print(f"{lines:5} {counts.get(feature, '-'):>5}  {feature} ({source})")
print(f"{sum(lines for lines, _ in originals.values()):5} {sum(counts.values()):5}  all")
wrong = [feature for feature in originals if counts.get(feature, 1_000) > originals[feature][0]]
wrong += counts.keys() - originals.keys()
if wrong:
    sys.exit(f"FAILED: longer than the original, or only on one side: {'; '.join(sorted(wrong))}")
PYTHON

say "Build and run them"
program=$(build_example "$here" frameworks)
start_target
output=$("$program" "$target" "$work")
printf '%s\n' "$output"
check "the last word" "all examples ran" "$(tail -n 1 <<<"$output" | cut -d, -f1)"
