import JobStore

/// One numbered migration of the database. Migrations are only ever added; `user_version` of the file is the number of
/// the last one applied.
struct SQLiteMigration {
    /// The number, from 1 without gaps.
    var number: Int64
    /// The statements. They run in one transaction together with the new `user_version`.
    var sql: String

    /// All migrations, in order.
    static let all = [
        SQLiteMigration(number: 1, sql: jobs),
        SQLiteMigration(number: 2, sql: posts),
        SQLiteMigration(number: 3, sql: people),
        SQLiteMigration(number: 4, sql: templates),
        SQLiteMigration(number: 5, sql: settings),
        SQLiteMigration(number: 6, sql: validators),
        SQLiteMigration(number: 7, sql: artifacts),
        SQLiteMigration(number: 8, sql: sharedRows),
        SQLiteMigration(number: 9, sql: metadataPlace),
        SQLiteMigration(number: 10, sql: uniqueness),
        SQLiteMigration(number: 11, sql: callbacks),
        SQLiteMigration(number: 12, sql: summaries),
        SQLiteMigration(number: 13, sql: contentCoding),
        SQLiteMigration(number: 14, sql: suspects),
        SQLiteMigration(number: 15, sql: lists),
        SQLiteMigration(number: 16, sql: fewerListEntries),
        SQLiteMigration(number: 17, sql: fewerIndexes),
        SQLiteMigration(number: 18, sql: detailCoding),
        SQLiteMigration(number: 19, sql: queueLines),
        SQLiteMigration(number: 20, sql: schedules),
        SQLiteMigration(number: 21, sql: bulk + furtherFilters + audit),
        SQLiteMigration(number: 22, sql: closings),
        SQLiteMigration(number: 23, sql: waits + madeJobs), SQLiteMigration(number: 24, sql: tenantTurns),
        SQLiteMigration(number: 25, sql: olderCounts), SQLiteMigration(number: 26, sql: uploads),
        SQLiteMigration(number: 27, sql: jobTimes),
        SQLiteMigration(number: 28, sql: firstVersions),
    ]

    /// The schema version of this program.
    static var newest: Int64 { all.last?.number ?? 0 }

    /// The number in place of the schema version while the store becomes a copy of another one. Older programs take it
    /// for that of a newer one.
    static let copying: Int64 = 1_000_000

    /// The failure of opening a store of a version; nil for one that this program can migrate.
    static func unfitness(of version: Int64) -> SQLiteFailure? {
        if version == copying { return .unfinishedCopy }
        return version > newest ? .newerVersion(version, than: newest) : nil
    }

    /// The first schema.
    ///
    /// Every job has a number, its position in the order of acceptance, which links the tables: numbers rise, so new
    /// rows go to the end of each table. The hot row in `job` is narrow; spec, journal and result are separate. States
    /// are small integers (see `JobState.stored`); 10 and above are final.
    ///
    /// A journal row's place is `job number << 22 | sequence`, so that the entries of one job are adjacent. Since
    /// schema 8 a row holds the entries of one transaction, one JSON object per line, and has the place of the last.
    ///
    /// The indexes of the dispatch are partial: a job is only in those that its state needs, so finished jobs cost the
    /// dispatch nothing.
    private static let jobs = """
        CREATE TABLE job (
          number INTEGER PRIMARY KEY,
          id BLOB NOT NULL,
          state INTEGER NOT NULL,
          priority INTEGER NOT NULL,
          revision INTEGER NOT NULL,
          fence INTEGER NOT NULL,
          attempt INTEGER NOT NULL,
          attempts_max INTEGER NOT NULL,
          created_at INTEGER NOT NULL,
          run_at INTEGER,
          started_at INTEGER,
          finished_at INTEGER,
          expires_at INTEGER,
          due_at INTEGER,
          purge_at INTEGER,
          ready_at INTEGER,
          lease_until INTEGER,
          keep_succeeded INTEGER NOT NULL,
          keep_failed INTEGER NOT NULL,
          owner TEXT,
          name TEXT NOT NULL,
          type TEXT NOT NULL,
          queue TEXT NOT NULL,
          idempotency_key TEXT,
          labels BLOB,
          detail BLOB,
          metadata BLOB
        ) STRICT;
        CREATE UNIQUE INDEX job_id ON job (id);
        CREATE INDEX job_ready ON job (priority DESC, ready_at) WHERE ready_at IS NOT NULL;
        CREATE INDEX job_due ON job (priority, due_at) WHERE due_at IS NOT NULL;
        CREATE INDEX job_held ON job (owner) WHERE owner IS NOT NULL;
        CREATE INDEX job_purge ON job (purge_at) WHERE purge_at IS NOT NULL;
        CREATE INDEX job_expiry ON job (expires_at)
          WHERE expires_at IS NOT NULL AND started_at IS NULL AND state < 10;
        CREATE INDEX job_unsuccessful ON job (state, id) WHERE state > 10;
        CREATE TABLE spec (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
        CREATE TABLE journal (place INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
        CREATE TABLE result (
          number INTEGER PRIMARY KEY, status INTEGER, content_type TEXT, headers BLOB NOT NULL, body BLOB NOT NULL
        ) STRICT;
        CREATE TABLE label (
          key TEXT NOT NULL, value TEXT NOT NULL, id BLOB NOT NULL, PRIMARY KEY (key, value, id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE idempotency (
          key TEXT PRIMARY KEY, number INTEGER NOT NULL, fingerprint BLOB NOT NULL, expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX idempotency_expiry ON idempotency (expires_at);
        CREATE TABLE tally (state INTEGER PRIMARY KEY, jobs INTEGER NOT NULL) STRICT;
        CREATE TABLE probe (number INTEGER PRIMARY KEY, writes INTEGER NOT NULL) STRICT;
        INSERT INTO probe VALUES (1, 0);
        """

    /// Input from outside: the number of posts to a job, the keys under which it is woken while suspended, and the
    /// exclusive keys that its operations hold. `job.ties` says in which of these tables it may have rows.
    private static let posts = """
        ALTER TABLE job ADD COLUMN mail INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE job ADD COLUMN ties INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE wake (
          key TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (key, number)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX wake_number ON wake (number);
        CREATE TABLE hold (key TEXT PRIMARY KEY, number INTEGER NOT NULL, path TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX hold_number ON hold (number);
        """

    /// Decisions of people: approvals of operations, which belong to their job, and grants, which are independent.
    /// `approval.state` and `capability.status` are small integers, 0 is undecided; `content` is the request, as JSON.
    private static let people = """
        CREATE TABLE approval (
          id BLOB NOT NULL, number INTEGER NOT NULL, path TEXT NOT NULL, state INTEGER NOT NULL,
          opened_at INTEGER NOT NULL, expires_at INTEGER, on_timeout INTEGER NOT NULL, audience TEXT,
          closed_at INTEGER, closed_by TEXT, comment TEXT, content BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX approval_id ON approval (id);
        CREATE INDEX approval_number ON approval (number, id);
        CREATE INDEX approval_open ON approval (id) WHERE state = 0;
        CREATE TABLE capability (
          name TEXT PRIMARY KEY, status INTEGER NOT NULL, scopes TEXT NOT NULL, expires_at INTEGER, reason TEXT,
          updated_at INTEGER, updated_by TEXT, requested_at INTEGER, requested_by BLOB, requested_scope TEXT
        ) STRICT, WITHOUT ROWID;
        """

    /// Templates: every version of each, which never change.
    private static let templates = """
        CREATE TABLE template (
          name TEXT NOT NULL, version INTEGER NOT NULL, body BLOB NOT NULL, created_at INTEGER NOT NULL,
          created_by TEXT NOT NULL, PRIMARY KEY (name, version)
        ) STRICT, WITHOUT ROWID;
        """

    /// Secrets (encrypted) and connections, by `kind` (see `SettingKind`) and name.
    private static let settings = """
        CREATE TABLE setting (
          kind INTEGER NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL, body BLOB NOT NULL,
          updated_at INTEGER NOT NULL, updated_by TEXT NOT NULL, PRIMARY KEY (kind, name)
        ) STRICT, WITHOUT ROWID;
        """

    /// The validators of the last successful answers, by the digest of the request; the number gives the order in which
    /// they were stored.
    private static let validators = """
        CREATE TABLE validator (
          number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, tag TEXT, modified TEXT,
          job TEXT NOT NULL, path TEXT NOT NULL
        ) STRICT;
        """

    /// Only the content of new journal rows changes; a program that expects one entry in each must not read them.
    private static let sharedRows = "SELECT 1"

    /// The metadata of a job is part of its spec; see `StoredJob.columns`. Older rows keep their own.
    private static let metadataPlace = "ALTER TABLE job ADD COLUMN metadata_at INTEGER"

    /// Artifacts: which operation of which job uses which content, and which one is the result of a job.
    private static let artifacts = """
        CREATE TABLE artifact (
          number INTEGER NOT NULL, path TEXT NOT NULL, sha256 TEXT NOT NULL, bytes INTEGER NOT NULL, name TEXT,
          content_type TEXT, stored_at INTEGER NOT NULL, PRIMARY KEY (number, path)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX artifact_sha256 ON artifact (sha256);
        ALTER TABLE result ADD COLUMN artifact TEXT;
        """

    /// Unique keys: all jobs that have, had, or wait for one. The first unfinished one holds it.
    private static let uniqueness = """
        CREATE TABLE uniqueness (number INTEGER PRIMARY KEY, key TEXT NOT NULL, is_over INTEGER NOT NULL) STRICT;
        CREATE INDEX uniqueness_line ON uniqueness (key, number) WHERE is_over = 0;
        """

    /// Ended jobs whose callbacks are not stored yet, with their revision at the end.
    private static let callbacks = """
        CREATE TABLE callback (number INTEGER PRIMARY KEY, revision INTEGER NOT NULL) STRICT;
        """

    /// Journal summaries that runs read in place of the older part of a long journal: the entries up to `place`, one
    /// JSON object per line.
    private static let summaries = """
        CREATE TABLE summary (number INTEGER PRIMARY KEY, place INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT;
        """

    /// The codings, such as gzip, that content still has. Older content has none, or its label was lost.
    private static let contentCoding = """
        ALTER TABLE result ADD COLUMN content_coding TEXT;
        ALTER TABLE artifact ADD COLUMN content_coding TEXT;
        """

    /// Finds the jobs suspected of crashing the process (`StoredJob.Flags.suspect` without `.alone`).
    private static let suspects = """
        CREATE INDEX job_suspect ON job (number) WHERE ties & 393216 = 131072;
        """

    /// The indexes of lists: the jobs of each name, queue and type, those of each state apart, in the order of
    /// creation, and the ended jobs in the order of their ends.
    private static let lists = """
        DROP INDEX job_unsuccessful;
        CREATE INDEX job_name ON job (name, state, id);
        CREATE INDEX job_queue ON job (queue, state, id);
        CREATE INDEX job_type ON job (type, state, id);
        CREATE INDEX job_finished ON job (state, finished_at, id) WHERE finished_at IS NOT NULL;
        """

    /// Most jobs have neither a name nor a queue: without entries in `job_name` and `job_queue` they cost the writer
    /// less. The entries hold no state, so that no update of a job opens these indexes. See `PageQuery`.
    private static let fewerListEntries = """
        DROP INDEX job_name;
        DROP INDEX job_queue;
        CREATE INDEX job_name ON job (name, id) WHERE name <> type;
        CREATE INDEX job_queue ON job (queue, id) WHERE queue <> 'default';
        """

    /// Two indexes fewer for each write to maintain: jobs in flight are found by their states in `job_type`, and
    /// suspects have a table.
    private static let fewerIndexes = """
        CREATE TABLE suspect (number INTEGER PRIMARY KEY) STRICT;
        INSERT INTO suspect SELECT number FROM job WHERE ties & 393216 = 131072;
        DROP INDEX job_suspect;
        DROP INDEX job_held;
        """

    /// Marks the coding of `job.detail` as changed: an older program, which would show it as JSON, must not open it.
    /// See `OlderDetail`.
    private static let detailCoding = "SELECT 1"

    /// The lines of queues with a configuration: jobs with `lined_at`, by the key that they have in their queue. They
    /// have no `ready_at`, so that the search for all other jobs passes none of them. `queue_rate.next` is the state of
    /// a rate (see `RateState`), of the whole queue where `queue_key` is empty.
    private static let queueLines = """
        ALTER TABLE job ADD COLUMN queue_key TEXT;
        ALTER TABLE job ADD COLUMN lined_at INTEGER;
        CREATE INDEX job_line ON job (queue, priority, queue_key, lined_at) WHERE lined_at IS NOT NULL;
        CREATE TABLE queue_rate (
          queue TEXT NOT NULL, queue_key TEXT NOT NULL, next INTEGER NOT NULL, PRIMARY KEY (queue, queue_key)
        ) STRICT, WITHOUT ROWID;
        """

    /// Schedules, and their planned times with the job or the reason for none. Numbers are not used again, so that the
    /// occurrences of a schedule that was removed belong to no other.
    private static let schedules = """
        CREATE TABLE schedule (
          number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, version INTEGER NOT NULL,
          revision INTEGER NOT NULL, body BLOB NOT NULL, updated_at INTEGER NOT NULL, updated_by TEXT NOT NULL,
          progress BLOB NOT NULL, wake_at INTEGER
        ) STRICT;
        CREATE INDEX schedule_wake ON schedule (wake_at) WHERE wake_at IS NOT NULL;
        CREATE TABLE occurrence (
          schedule INTEGER NOT NULL, planned INTEGER NOT NULL, origin INTEGER NOT NULL, job BLOB, reason INTEGER,
          detail TEXT, decided_at INTEGER NOT NULL, PRIMARY KEY (schedule, planned)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX occurrence_decided ON occurrence (decided_at);
        """

    /// Bulk actions, the ids of their jobs (16 bytes each) while they run, and the results in the order of the ids.
    /// `state` 0 is running. Numbers are not used again, so that no results belong to another one.
    private static let bulk = """
        CREATE TABLE bulk (
          number INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE, body BLOB NOT NULL, per_second INTEGER,
          created_at INTEGER NOT NULL, created_by TEXT NOT NULL, total INTEGER NOT NULL, state INTEGER NOT NULL,
          done INTEGER NOT NULL, skipped INTEGER NOT NULL, failed INTEGER NOT NULL, finished_at INTEGER, stopped_by TEXT
        ) STRICT;
        CREATE INDEX bulk_running ON bulk (number) WHERE state = 0;
        CREATE INDEX bulk_finished ON bulk (finished_at) WHERE finished_at IS NOT NULL;
        CREATE TABLE bulk_part (
          bulk INTEGER NOT NULL, part INTEGER NOT NULL, ids BLOB NOT NULL, PRIMARY KEY (bulk, part)
        ) STRICT;
        CREATE TABLE bulk_result (
          bulk INTEGER NOT NULL, place INTEGER NOT NULL, job BLOB NOT NULL, outcome INTEGER NOT NULL, code TEXT,
          detail TEXT, PRIMARY KEY (bulk, place)
        ) STRICT, WITHOUT ROWID;
        """

    /// Lists by the key within a queue, and by the code of the first error of an ended job. Other jobs have no entries.
    private static let furtherFilters = """
        ALTER TABLE job ADD COLUMN error_code TEXT;
        CREATE INDEX job_key ON job (queue_key, id) WHERE queue_key IS NOT NULL;
        CREATE INDEX job_error ON job (error_code, id) WHERE error_code IS NOT NULL;
        """

    /// Lists by what jobs wait for: the kinds of their waits as bits (see `WaitKinds`). Jobs that were never suspended,
    /// and those that have ended, have no entries.
    private static let waits = """
        ALTER TABLE job ADD COLUMN wait_kinds INTEGER;
        CREATE INDEX job_wait ON job (wait_kinds, id) WHERE wait_kinds IS NOT NULL;
        """

    /// The new jobs that bulk actions made.
    private static let madeJobs = "ALTER TABLE bulk_result ADD COLUMN made BLOB;"

    /// The changes by people, in their order.
    private static let audit = """
        CREATE TABLE audit (
          number INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, by TEXT NOT NULL, kind TEXT NOT NULL,
          action TEXT NOT NULL, target TEXT NOT NULL, request_id TEXT, address TEXT, before TEXT, after TEXT
        ) STRICT;
        """

    /// Pauses and open breakers of origins, until their end.
    private static let closings = """
        CREATE TABLE closing (origin TEXT PRIMARY KEY, until INTEGER NOT NULL, body BLOB NOT NULL) STRICT, WITHOUT ROWID;
        """

    /// Jobs in no line by their tenants, which take turns (see `TenantTurns`): the prefix of the queue's name, empty
    /// for jobs without a tenant.
    private static let tenantTurns = """
        DROP INDEX job_ready;
        CREATE INDEX job_ready ON job (substr(queue, 1, instr(queue, '/')), priority DESC, ready_at)
          WHERE ready_at IS NOT NULL;
        """

    /// Marks the counts in `tally` as those of older jobs, see `Tally`, of which an older program knows nothing.
    private static let olderCounts = "SELECT 1"

    /// Uploads, and which jobs use them.
    private static let uploads = """
        CREATE TABLE upload (
          id BLOB PRIMARY KEY, sha256 TEXT NOT NULL, bytes INTEGER NOT NULL, content_type TEXT,
          created_at INTEGER NOT NULL, created_by TEXT NOT NULL, expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX upload_sha256 ON upload (sha256);
        CREATE INDEX upload_owner ON upload (created_by);
        CREATE INDEX upload_end ON upload (expires_at);
        CREATE TABLE upload_use (upload BLOB NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (upload, number))
          STRICT, WITHOUT ROWID;
        CREATE INDEX upload_use_number ON upload_use (number);
        """

    /// The times by which a job must have started and ended, as its spec says. `expires_at` is the one that counts
    /// while it has not started.
    private static let jobTimes = """
        ALTER TABLE job ADD COLUMN start_by INTEGER;
        ALTER TABLE job ADD COLUMN finish_by INTEGER;
        """

    /// Who made settings, schedules and grants, and when; and the versions of grants. Of older ones, those who changed
    /// them last.
    private static let firstVersions = """
        ALTER TABLE setting ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE setting ADD COLUMN created_by TEXT NOT NULL DEFAULT '';
        UPDATE setting SET created_at = updated_at, created_by = updated_by;
        ALTER TABLE schedule ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE schedule ADD COLUMN created_by TEXT NOT NULL DEFAULT '';
        UPDATE schedule SET created_at = updated_at, created_by = updated_by;
        ALTER TABLE capability ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE capability ADD COLUMN created_at INTEGER;
        ALTER TABLE capability ADD COLUMN created_by TEXT;
        UPDATE capability SET version = 1, created_at = updated_at, created_by = updated_by
          WHERE updated_at IS NOT NULL;
        """

    /// Migrates the database to the newest schema.
    static func run(on connection: SQLiteConnection) throws(SQLiteFailure) {
        let current = try connection.number("PRAGMA user_version") ?? 0
        for step in all where step.number > current {
            try connection.execute("BEGIN IMMEDIATE")
            do throws(SQLiteFailure) {
                try connection.execute(step.sql)
                try connection.execute("PRAGMA user_version = \(step.number)")
                try connection.execute("COMMIT")
            } catch {
                try? connection.execute("ROLLBACK")
                throw error
            }
        }
    }
}
