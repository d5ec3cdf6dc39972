"""The calls that the target received in each life of the server, and whether each was permitted."""
import collections

from workload import callback_name


class Life:
    """From a start of the server to its end: where its calls end in the log, and which jobs were in flight then."""

    def __init__(self, was_killed, calls_end, held=frozenset()):
        self.was_killed, self.calls_end, self.held = was_killed, calls_end, held


class CallReport:
    """Holds all calls against the jobs and the ends of the server.

    While the disk fails a step whose result cannot be stored is run again, unless it is a call that may not be.
    """

    def __init__(self, workload, lives, calls, calls_begin, was_disk_sound=True):
        self.workload, self.lives, self.was_disk_sound = workload, lives, was_disk_sound
        self.places = collections.defaultdict(list)
        begin = calls_begin
        for number, life in enumerate(lives):
            for call in calls[begin - calls_begin:life.calls_end - calls_begin]:
                self.places[call].append(number)
            begin = life.calls_end
        self.calls, self.extra = len(calls), sum(len(lives) - 1 for lives in self.places.values())
        self.in_flight = sum(len(life.held) for life in lives if life.was_killed)

    def complaints(self):
        known, found = set(), []
        for job in self.workload.jobs:
            for call in self.workload.calls(job):
                known.add(call)
                found += self.complaints_about(job, call, job.name)
            if call := self.workload.telling_call(job):
                known.add(call)
                found += self.complaints_about(job, call, callback_name(job.id))
                if call not in self.places:
                    found.append(f"UNREPORTED: the end of {job} was not reported")
        found += [f"UNASKED: call {call} belongs to no job" for call in self.places if call not in known]
        if self.was_disk_sound and self.extra > self.in_flight:
            found.append(f"REPEATED: {self.extra} extra calls, but {self.in_flight} jobs were in flight at a kill")
        return found

    def complaints_about(self, job, call, caller):
        places = self.places.get(call, [])
        what = f"call {call} of {job}, made in the lives {places}"
        if not places and caller == job.name and job.state == "succeeded":
            yield f"UNCALLED: {what}, though it succeeded"
        if job.kind == "post" and len(places) > 1:
            yield f"REPEATED: {what}: a POST without permission to repeat"
        if not self.was_disk_sound:
            return
        if job.kind == "post" and job.state == "failed" and not any(job.name in life.held for life in self.lives):
            yield f"WRONG: {what}: it failed as interrupted, but was in flight at no kill"
        for first, second in zip(places, places[1:]):
            if complaint := self.complaint_about_repeat(caller, first, second):
                yield f"REPEATED: {what}: {complaint}"

    def complaint_about_repeat(self, caller, first, second):
        """Why a call that was made in one life may not be made again in another; None when it may."""
        life = self.lives[first]
        if first == second:
            return "twice in one life"
        if not life.was_killed:
            return f"after life {first} had ended cleanly"
        return None if caller in life.held else f"it was not in flight when life {first} was killed"
