"""The schema of a store in PostgreSQL: who holds which jobs, and whether it is sound."""
import collections

from workload import callback_name

NAMED = """convert_from(job.name, 'UTF8'), coalesce((SELECT convert_from(value, 'UTF8') FROM {0}.label
    WHERE label.id = job.id AND key = 'callback_of'), '')"""
# The number of the state `queued` in the table `ticket`, see `JobState.stored`.
QUEUED = 2
# The beginning of the names of jobs that `prober.py` submits.
PROBE = "probe-"


class Schema:
    """What the tables of a store say; all texts."""

    def __init__(self, database, name):
        self.database, self.name = database, name

    def ask(self, sql):
        return self.database.ask(sql.format(self.name))

    def owners(self):
        """The lives of servers that have, or had, a lease."""
        return {owner for owner, in self.ask("SELECT owner FROM {0}.lease")}

    def held(self, owners=None):
        """The jobs that these owners hold, or all that are held: id and name."""
        whose = f"owner = ANY({array(owners)})" if owners is not None else "owner IS NOT NULL"
        rows = self.ask(f"SELECT job.id, {NAMED} FROM {{0}}.ticket JOIN {{0}}.job USING (id) WHERE {whose}")
        return [(id, called(name, told)) for id, name, told in rows]

    def waiting(self, ids, owners):
        """Those of the jobs that no living server took, of all that these owners held."""
        rows = self.ask(
            f"SELECT id FROM {{0}}.ticket WHERE id = ANY({array(ids)}::uuid[]) AND "
            f"(owner = ANY({array(owners)}) OR (owner IS NULL AND state = {QUEUED}))")
        return {id for id, in rows}

    def counts(self):
        """The number of jobs by the number of their state."""
        rows = self.ask("SELECT state, count(*) FROM (SELECT state FROM {0}.ticket UNION ALL SELECT state FROM {0}.ended) "
                        "AS job GROUP BY state")
        return {int(state): int(count) for state, count in rows}

    def number(self, sql):
        return int(self.ask(sql)[0][0])

    def complaints(self, wanted, unsure=frozenset()):
        """What is wrong with a store at rest that has the jobs `wanted`, perhaps `unsure`, and those of schedules and hooks, all of
        them final, and no others."""
        rows = self.ask(f"SELECT {NAMED} FROM {{0}}.job WHERE id NOT IN "
                        "(SELECT id FROM {0}.label WHERE key IN ('schedule', 'hook'))")
        # Probes are submitted beside the load, and may or may not have been stored.
        stored = collections.Counter(called(name, told) for name, told in rows if not name.startswith(PROBE))
        found = [f"TWO JOBS: {count} jobs are called {name}" for name, count in stored.items() if count > 1]
        stored = set(stored)
        found += [f"TWO JOBS: {name} was not submitted" for name in stored - wanted - unsure]
        found += [f"LOST: {name} is not in the store" for name in wanted - stored]
        if count := self.number("SELECT count(*) FROM {0}.ticket"):
            found.append(f"STUCK: {count} jobs are not final")
        if count := self.number("SELECT count(*) FROM {0}.callback"):
            found.append(f"UNREPORTED: {count} jobs have ended without callbacks")
        if count := self.number("SELECT count(*) FROM {0}.job LEFT JOIN {0}.ended USING (id) LEFT JOIN {0}.ticket USING (id) "
                                "WHERE (ended.state IS NULL) = (ticket.state IS NULL)"):
            found.append(f"CORRUPT: {count} jobs have not one state")
        for table in ("label", "journal", "summary", "ended", "ticket", "idempotency", "callback", "artifact", "waiter",
                      "wake", "hold"):
            orphans = self.number(f"SELECT count(*) FROM {{0}}.{table} WHERE id NOT IN (SELECT id FROM {{0}}.job)")
            if orphans:
                found.append(f"CORRUPT: {orphans} rows of {table} belong to no job")
        return found

    def drop(self):
        self.ask("DROP SCHEMA {0} CASCADE")


def array(texts):
    return f"ARRAY[{', '.join(map(repr, texts))}]::text[]"


def called(name, told):
    """The name of a job; those that tell of the end of another are called after it."""
    return callback_name(told) if told else name
