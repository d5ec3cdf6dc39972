"""What became of the planned times of schedules that run every second."""
import collections
import datetime

REASONS = {"overlap", "missed", "limit"}


def text(second):
    return datetime.datetime.fromtimestamp(second, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


class Report:
    """The planned times of a schedule from one second to another, both included, and the jobs that were made for them."""

    def __init__(self, server, name, begin, end):
        self.name, self.planned = name, {text(second) for second in range(begin, end + 1)}
        path = f"/v1/schedules/{name}/occurrences?page_size=500&from="
        self.occurrences = list(server.pages(f"{path}{text(begin)}&to={text(end)}"))
        later = {item.get("job_id") for item in server.pages(f"{path}{text(end + 1)}")}
        self.jobs = {job["id"]: job for job in server.pages(f"/v1/jobs?label.schedule={name}&view=full&page_size=500")
                     if job["id"] not in later}

    def complaints(self):
        return list(complaints(self.name, self.planned, self.occurrences, self.jobs))

    def has_control(self):
        """Whether a planned time that is left out and a job too many are found."""
        found = complaints(self.name, self.planned, self.occurrences[1:], self.jobs | {"job_x": {}})
        return {"LOST", "UNPLANNED"} <= {line.split(":")[0] for line in found}


def complaints(name, planned, occurrences, jobs):
    """What is wrong with a schedule: `jobs` are all that have its label, by id."""
    times = collections.Counter(item["scheduled_for"] for item in occurrences)
    for moment, count in times.items():
        if count > 1:
            yield f"TWICE: {name} has {count} occurrences at {moment}"
        if moment not in planned:
            yield f"UNPLANNED: {name} has an occurrence at {moment}"
    for moment in planned:
        if moment not in times:
            yield f"LOST: {name} has nothing at {moment}"
    made = collections.Counter(item["job_id"] for item in occurrences if "job_id" in item)
    for job, count in made.items():
        if count > 1:
            yield f"TWICE: {name} has {count} occurrences with the job {job}"
        if job not in jobs:
            yield f"LOST: {name} has no job {job}"
    for job in jobs.keys() - made.keys():
        yield f"UNPLANNED: {name} has the job {job} for no planned time"
    for item in occurrences:
        if "job_id" not in item and not (item.get("skipped") in REASONS and item.get("detail")):
            yield f"SILENT: {name} has neither a job nor a reason at {item['scheduled_for']}: {item}"
        found = jobs.get(item.get("job_id"), {}).get("result", {}).get("inline")
        if isinstance(found, dict) and found.get("for") != item["scheduled_for"]:
            yield f"WRONG: the job {item['job_id']} of {name} ran for {found}, not for {item['scheduled_for']}"
