/// The schema of version 1.
///
/// Every job has a number, its position in the order of acceptance, which links the tables: numbers rise, so new rows
/// go to the end of each table.
extension SQLiteMigration {
    static let first = [
        jobs, parts, lists, keys, inputs, people, settings, artifacts, queues, schedules, bulk, stats,
        deliveries, upkeep,
    ].joined(separator: "\n")

    /// The hot row of a job is narrow; spec, journal and result are separate. States are small integers (see
    /// `JobState.stored`); 10 and above are final. Without `metadata` a job has it in its spec, at `metadata_at`; see
    /// `StoredJob.stored`. `ties` says in which other tables it may have rows.
    ///
    /// The indexes of the dispatch are partial: a job is only in those that its state needs, so finished jobs cost
    /// the dispatch nothing. Jobs in the line of a queue with a configuration have `lined_at` and no `ready_at`, so
    /// that the search for all other jobs passes none of them. Those in no line are found by their tenants, which
    /// take turns (see `TenantTurns`). `tenant` is the prefix of the queue's name, empty for jobs without a tenant. It
    /// is a column because a function in an index may fail, so that SQLite would keep a copy of each page that an
    /// insertion of several rows changes.
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
          keep_succeeded INTEGER NOT NULL,
          keep_failed INTEGER NOT NULL,
          owner TEXT,
          name TEXT NOT NULL,
          type TEXT NOT NULL,
          queue TEXT NOT NULL,
          tenant TEXT NOT NULL,
          idempotency_key TEXT,
          labels BLOB,
          detail BLOB,
          metadata BLOB,
          mail INTEGER NOT NULL DEFAULT 0,
          ties INTEGER NOT NULL DEFAULT 0,
          metadata_at INTEGER,
          queue_key TEXT,
          lined_at INTEGER,
          error_code TEXT,
          wait_kinds INTEGER,
          start_by INTEGER,
          finish_by INTEGER,
          call_host TEXT,
          call_method TEXT,
          call_url TEXT,
          call_status INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX job_id ON job (id);
        CREATE INDEX job_ready ON job (tenant, priority DESC, ready_at) WHERE ready_at IS NOT NULL;
        CREATE INDEX job_line ON job (queue, priority, queue_key, lined_at) WHERE lined_at IS NOT NULL;
        CREATE INDEX job_due ON job (priority, due_at) WHERE due_at IS NOT NULL;
        CREATE INDEX job_purge ON job (purge_at) WHERE purge_at IS NOT NULL;
        CREATE INDEX job_expiry ON job (expires_at)
          WHERE expires_at IS NOT NULL AND started_at IS NULL AND state < 10;
        """

    /// Specs, journals and results; and summaries, which runs read in place of the older part of a long journal, up to
    /// `place`.
    ///
    /// The place of a journal row is `job number << 28 | sequence`, so that the rows of one job are adjacent. A row
    /// holds the entries of one transaction, one JSON object per line, and has the place of the last. The content of
    /// a result still has its `content_coding`, such as gzip.
    private static let parts = """
        CREATE TABLE spec (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
        CREATE TABLE journal (place INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
        CREATE TABLE summary (number INTEGER PRIMARY KEY, place INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT;
        CREATE TABLE result (
          number INTEGER PRIMARY KEY, status INTEGER, content_type TEXT, headers BLOB NOT NULL, body BLOB NOT NULL,
          artifact TEXT, content_coding TEXT
        ) STRICT;
        """

    /// The indexes of lists. Most jobs have neither a name nor a queue: without entries they cost the writer less. Of
    /// those that all jobs have, only `job_type` holds the state, so that an update of a job opens few of them. See
    /// `PageQuery`. Of its call, a job that ended has the host, and one that ended without success the rest; see
    /// `CallFacts`. `wait_kinds` are the bits of `WaitKinds`: jobs that were never suspended, and those that have
    /// ended, have none.
    private static let lists = """
        CREATE INDEX job_name ON job (name, id) WHERE name <> type;
        CREATE INDEX job_queue ON job (queue, id) WHERE queue <> 'default';
        CREATE INDEX job_type ON job (type, state, id);
        CREATE INDEX job_finished ON job (state, finished_at, id) WHERE finished_at IS NOT NULL;
        CREATE INDEX job_key ON job (queue_key, id) WHERE queue_key IS NOT NULL;
        CREATE INDEX job_error ON job (error_code, id) WHERE error_code IS NOT NULL;
        CREATE INDEX job_host ON job (call_host, id) WHERE error_code IS NOT NULL;
        CREATE INDEX job_status ON job (call_status, id) WHERE call_status IS NOT NULL;
        CREATE INDEX job_wait ON job (wait_kinds, id) WHERE wait_kinds IS NOT NULL;
        CREATE TABLE label (
          key TEXT NOT NULL, value TEXT NOT NULL, id BLOB NOT NULL, PRIMARY KEY (key, value, id)
        ) STRICT, WITHOUT ROWID;
        """

    /// Idempotency keys; unique keys with all jobs that have, had, or wait for one, of which the first unfinished one
    /// holds it; and the ended jobs whose callbacks are not stored yet, with their revision at the end.
    private static let keys = """
        CREATE TABLE idempotency (
          key TEXT PRIMARY KEY, number INTEGER NOT NULL, fingerprint BLOB NOT NULL, expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX idempotency_expiry ON idempotency (expires_at);
        CREATE TABLE uniqueness (number INTEGER PRIMARY KEY, key TEXT NOT NULL, is_over INTEGER NOT NULL) STRICT;
        CREATE INDEX uniqueness_line ON uniqueness (key, number) WHERE is_over = 0;
        CREATE TABLE callback (number INTEGER PRIMARY KEY, revision INTEGER NOT NULL) STRICT;
        """

    /// The keys under which jobs are woken while suspended, and the exclusive keys that their operations hold.
    private static let inputs = """
        CREATE TABLE wake (
          key TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (key, number)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX wake_number ON wake (number);
        CREATE TABLE hold (key TEXT PRIMARY KEY, number INTEGER NOT NULL, path TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX hold_number ON hold (number);
        """

    /// Decisions of people: approvals of operations, which belong to their job, and grants, which are independent; and
    /// the changes by people, in their order. `approval.state` and `capability.status` are small integers, 0 is
    /// undecided; `content` is the request, as JSON.
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
          updated_at INTEGER, updated_by TEXT, requested_at INTEGER, requested_by BLOB, requested_scope TEXT,
          version INTEGER NOT NULL DEFAULT 0, created_at INTEGER, created_by TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE audit (
          number INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, by TEXT NOT NULL, kind TEXT NOT NULL,
          action TEXT NOT NULL, target TEXT NOT NULL, request_id TEXT, address TEXT, before TEXT, after TEXT
        ) STRICT;
        """

    /// Every version of each template, which never change; secrets (encrypted) and other settings, by `kind` (see
    /// `SettingKind`) and name; and the validators of the last successful answers, by the digest of the request, whose
    /// number gives the order in which they were stored.
    private static let settings = """
        CREATE TABLE template (
          name TEXT NOT NULL, version INTEGER NOT NULL, body BLOB NOT NULL, created_at INTEGER NOT NULL,
          created_by TEXT NOT NULL, PRIMARY KEY (name, version)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE setting (
          kind INTEGER NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL, body BLOB NOT NULL,
          updated_at INTEGER NOT NULL, updated_by TEXT NOT NULL, created_at INTEGER NOT NULL,
          created_by TEXT NOT NULL, PRIMARY KEY (kind, name)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE validator (
          number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, tag TEXT, modified TEXT,
          job TEXT NOT NULL, path TEXT NOT NULL
        ) STRICT;
        """

    /// Artifacts: which operation of which job uses which content, and which one is the result of a job. Uploads, and
    /// which jobs use them. What came to callback URLs.
    private static let artifacts = """
        CREATE TABLE artifact (
          number INTEGER NOT NULL, path TEXT NOT NULL, sha256 TEXT NOT NULL, bytes INTEGER NOT NULL, name TEXT,
          content_type TEXT, stored_at INTEGER NOT NULL, content_coding TEXT, PRIMARY KEY (number, path)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX artifact_sha256 ON artifact (sha256);
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
        CREATE TABLE callback_standing (number INTEGER NOT NULL, name TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY
          (number, name)) STRICT, WITHOUT ROWID;
        """

    /// The states of rates of queues (see `RateState`), of the whole queue where `queue_key` is empty; and pauses and
    /// open breakers of origins, until their end.
    private static let queues = """
        CREATE TABLE queue_rate (
          queue TEXT NOT NULL, queue_key TEXT NOT NULL, next INTEGER NOT NULL, PRIMARY KEY (queue, queue_key)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE closing (origin TEXT PRIMARY KEY, until INTEGER NOT NULL, body BLOB NOT NULL) STRICT, WITHOUT ROWID;
        """

    /// Schedules, and their planned times with the job or the reason for none. Numbers are not used again, so that the
    /// occurrences of a schedule that was removed belong to no other.
    private static let schedules = """
        CREATE TABLE schedule (
          number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, version INTEGER NOT NULL,
          revision INTEGER NOT NULL, body BLOB NOT NULL, updated_at INTEGER NOT NULL, updated_by TEXT NOT NULL,
          progress BLOB NOT NULL, wake_at INTEGER,
          created_at INTEGER NOT NULL, created_by TEXT NOT NULL
        ) STRICT;
        CREATE INDEX schedule_wake ON schedule (wake_at) WHERE wake_at IS NOT NULL;
        CREATE TABLE occurrence (
          schedule INTEGER NOT NULL, planned INTEGER NOT NULL, origin INTEGER NOT NULL, job BLOB, reason INTEGER,
          detail TEXT, decided_at INTEGER NOT NULL, PRIMARY KEY (schedule, planned)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX occurrence_decided ON occurrence (decided_at);
        """

    /// Bulk actions, the ids of their jobs (16 bytes each) while they run, and the results in the order of the ids,
    /// with the new jobs that they made. `state` 0 is running. Numbers are not used again, so that no results belong
    /// to another one.
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
          detail TEXT, made BLOB, PRIMARY KEY (bulk, place)
        ) STRICT, WITHOUT ROWID;
        """

    /// The statistics of ended jobs (see `StatsBin`), by `StatsStep` and `StatsFacet`; the place up to which ends are
    /// counted, and those besides that are not; see `StatsTable`.
    private static let stats = """
        CREATE TABLE stats (
          step INTEGER NOT NULL, facet INTEGER NOT NULL, tenant TEXT NOT NULL, at INTEGER NOT NULL,
          is_open INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (step, facet, tenant, at)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX stats_open ON stats (step, at) WHERE is_open = 1;
        CREATE INDEX stats_age ON stats (step, at);
        CREATE TABLE counted (at INTEGER NOT NULL, id BLOB NOT NULL) STRICT;
        INSERT INTO counted VALUES (0, x'00000000000000000000000000000000');
        CREATE TABLE ending (number INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
        """

    /// Deliveries to hooks, with what became of them, and the digests by which they are known again. The number of a
    /// delivery is made of its id, so that neither its id nor its age needs an index; see `DeliveryPlace`.
    private static let deliveries = """
        CREATE TABLE delivery (
          number INTEGER PRIMARY KEY, id BLOB NOT NULL, hook TEXT NOT NULL, outcome INTEGER NOT NULL, job BLOB,
          facts BLOB NOT NULL, keys BLOB NOT NULL, head BLOB NOT NULL, body BLOB NOT NULL
        ) STRICT;
        CREATE INDEX delivery_list ON delivery (hook, outcome);
        CREATE TABLE delivery_key (key BLOB PRIMARY KEY, delivery BLOB NOT NULL) STRICT, WITHOUT ROWID;
        """

    /// The counts of older jobs by state (see `Tally`), the jobs suspected of crashing the process
    /// (`StoredJob.Flags.suspect` without `.alone`), and the row that tries whether the disk takes writes.
    private static let upkeep = """
        CREATE TABLE tally (state INTEGER PRIMARY KEY, jobs INTEGER NOT NULL) STRICT;
        CREATE TABLE suspect (number INTEGER PRIMARY KEY) STRICT;
        CREATE TABLE probe (number INTEGER PRIMARY KEY, writes INTEGER NOT NULL) STRICT;
        INSERT INTO probe VALUES (1, 0);
        """
}
