"""Kills one server of three again and again while requests from outside come to a hook and to callback URLs of all.

usage: doors.py BINARY ROUNDS SEED LEASE
"""
import sys

import parts  # noqa: F401
import rounds
from doors_target import DoorsTarget
from outside import Doors, report
from proof import Proof


class DoorsFleet(Doors, rounds.KilledFleet):
    pass


def main():
    with Proof(sys.argv[1], int(sys.argv[3]), make_target=DoorsTarget) as proof:
        rounds.run(proof, int(sys.argv[2]), int(sys.argv[4]), DoorsFleet)
    report()


if __name__ == "__main__":
    main()
