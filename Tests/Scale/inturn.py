"""Runs a command with `JOBSERVER` being two servers on a PostgreSQL that is there as long as the command.

usage: inturn.py BINARY COMMAND...
"""
import os
import subprocess
import sys

from postgres import Postgres

database = Postgres(("fsync=off",))
try:
    database.start()
    environment = {
        **os.environ, "SCALE_BINARY": os.path.abspath(sys.argv[1]), "SCALE_STORE": database.address,
        "JOBSERVER": f"{os.path.dirname(os.path.abspath(__file__))}/two"}
    status = subprocess.run(sys.argv[2:], env=environment).returncode
finally:
    database.clean_up()
sys.exit(status)
