"""The end of a check: what failed, or that nothing did."""
import collections
import shutil
import sys

SHOWN = 20


def conclude(failures, seed, folder, words):
    """Removes the folder and prints `words`, or exits with the failures and keeps it."""
    for failure in failures[:SHOWN]:
        print("FAILED:", failure)
    if failures:
        kinds = collections.Counter(failure.split(":")[0] for failure in failures)
        sys.exit(f"FAILED: {dict(kinds)} with SEED={seed}; everything is kept in {folder}")
    shutil.rmtree(folder)
    print(words)
