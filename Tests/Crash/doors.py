"""Kills the server again and again while requests from outside come to a hook and to callback URLs.

usage: doors.py BINARY ROUNDS SEED
"""
import rounds
from doors_target import DoorsTarget
from outside import Doors, counts, report
from stay import Stay


class DoorsStay(Doors, Stay):
    pass


class TornDoors(Doors, rounds.TornStay):
    def clean_up(self):
        super().clean_up()
        # What was lost on purpose is no part of the report.
        counts.clear()


if __name__ == "__main__":
    rounds.main((DoorsTarget, DoorsStay, TornDoors))
    report()
