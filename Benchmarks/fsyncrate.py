#!/usr/bin/env python3
"""How often this disk can flush: 4 KiB appended and fdatasync, one after the other.

usage: fsyncrate.py FOLDER SECONDS      prints the rate for one second
"""
import os
import sys
import tempfile
import time

folder, seconds = sys.argv[1], float(sys.argv[2])
block = b"x" * 4096
with tempfile.NamedTemporaryFile(dir=folder) as file:
    count, start = 0, time.monotonic()
    while time.monotonic() - start < seconds:
        os.write(file.fileno(), block)
        os.fdatasync(file.fileno())
        count += 1
    print(round(count / (time.monotonic() - start)))
