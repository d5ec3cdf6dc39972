/// The schema of version 1.
extension PostgresMigration {
    @Sendable static func first(in schema: String) -> String {
        [
            jobs(in: schema), lists(in: schema), servers(in: schema), inputs(in: schema), people(in: schema),
            settings(in: schema), contents(in: schema), queues(in: schema), schedules(in: schema),
            bulk(in: schema), stats(in: schema), deliveries(in: schema),
        ].joined(separator: "\n")
    }

    /// Jobs and the keys that find them again.
    ///
    /// `job` and `ended` are insert-only, so that updates leave no dead rows there: the facts that never change, and
    /// the end with its result. A journal that is short and comes with the end is in `ended`, too. Mutable state is in
    /// `ticket`, a narrow row for each unfinished job, whose indexes are partial: a job has an entry only where its
    /// state needs one. Ids are made by servers in the order of time; `number` decides between jobs that became
    /// runnable at one moment. Texts of users are bytes, which may hold anything.
    ///
    /// `tenant` is the prefix of the queue's name, NULL for jobs without a tenant. The jobs that are ready in no line
    /// have an index by tenants, which take turns (see `TenantTurns`), beside that of jobs without one, and another
    /// with the first of them all, for `ScanStarts`. For `line_queue` and `line_key` see `QueueTable`, for `wait_kinds`
    /// `WaitKinds`: of jobs that are not suspended they follow from the state.
    private static func jobs(in schema: String) -> String {
        """
        CREATE TABLE \(schema).job (
          id uuid PRIMARY KEY, number bigint NOT NULL, priority smallint NOT NULL, attempts_max integer NOT NULL,
          created_at bigint NOT NULL, keep_succeeded bigint NOT NULL, keep_failed bigint NOT NULL,
          name bytea NOT NULL, type bytea NOT NULL, queue bytea NOT NULL, idempotency_key bytea, labels bytea,
          metadata bytea, metadata_at bigint, spec bytea NOT NULL, queue_key bytea,
          start_by bigint, finish_by bigint);
        CREATE TABLE \(schema).ticket (
          id uuid PRIMARY KEY, number bigint NOT NULL, priority smallint NOT NULL, state smallint NOT NULL,
          revision bigint NOT NULL, fence bigint NOT NULL, attempt integer NOT NULL, run_at bigint,
          started_at bigint, expires_at bigint, due_at bigint, ready_at bigint, owner text, detail bytea,
          posts bigint NOT NULL, flags bigint NOT NULL, journal_end bigint NOT NULL, lined_at bigint,
          line_queue bytea, line_key bytea, wait_kinds bigint, tenant bytea)
          WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);
        CREATE INDEX ticket_ready ON \(schema).ticket (priority DESC, ready_at, number)
          WHERE ready_at IS NOT NULL AND tenant IS NULL;
        CREATE INDEX ticket_turn ON \(schema).ticket (tenant, priority DESC, ready_at, number)
          WHERE ready_at IS NOT NULL AND tenant IS NOT NULL;
        CREATE INDEX ticket_wanted ON \(schema).ticket (ready_at) WHERE ready_at IS NOT NULL AND tenant IS NOT NULL;
        CREATE INDEX ticket_line ON \(schema).ticket (line_queue, priority, line_key, lined_at, number)
          WHERE lined_at IS NOT NULL;
        CREATE INDEX ticket_age ON \(schema).ticket (line_queue, priority, lined_at, number)
          WHERE lined_at IS NOT NULL;
        CREATE INDEX ticket_slot ON \(schema).ticket (line_queue, line_key)
          WHERE owner IS NOT NULL AND line_queue IS NOT NULL;
        CREATE INDEX ticket_due ON \(schema).ticket (priority, due_at, number) WHERE due_at IS NOT NULL;
        CREATE INDEX ticket_owner ON \(schema).ticket (owner) WHERE owner IS NOT NULL;
        CREATE INDEX ticket_expiry ON \(schema).ticket (expires_at)
          WHERE expires_at IS NOT NULL AND started_at IS NULL;
        CREATE INDEX ticket_suspect ON \(schema).ticket (number)
          WHERE flags & 393216 = 131072 AND ready_at IS NULL AND owner IS NULL;
        CREATE TABLE \(schema).ended (
          id uuid PRIMARY KEY, state smallint NOT NULL, revision bigint NOT NULL, fence bigint NOT NULL,
          attempt integer NOT NULL, run_at bigint, started_at bigint, finished_at bigint NOT NULL,
          expires_at bigint, purge_at bigint NOT NULL, detail bytea, posts bigint NOT NULL, flags bigint NOT NULL,
          journal_end bigint NOT NULL, journal bytea, has_result boolean NOT NULL, status integer,
          content_type bytea, content_coding bytea, headers bytea, body bytea, artifact bytea, error_code bytea,
          call_host bytea, call_method bytea, call_url bytea, call_status integer);
        CREATE INDEX ended_purge ON \(schema).ended (purge_at);
        CREATE TABLE \(schema).journal (
          id uuid NOT NULL, last bigint NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (id, last));
        CREATE TABLE \(schema).summary (id uuid PRIMARY KEY, last bigint NOT NULL, bytes bytea NOT NULL);
        CREATE TABLE \(schema).idempotency (
          key bytea PRIMARY KEY, id uuid NOT NULL, fingerprint bytea NOT NULL, expires_at bigint NOT NULL);
        CREATE INDEX idempotency_expiry ON \(schema).idempotency (expires_at);
        CREATE TABLE \(schema).callback (id uuid PRIMARY KEY, number bigint NOT NULL, revision bigint NOT NULL);
        CREATE INDEX callback_number ON \(schema).callback (number);
        """
    }

    /// Lists: by name, queue and its key, type, label, end, code of the first error, and what suspended jobs wait for.
    private static func lists(in schema: String) -> String {
        """
        CREATE INDEX job_name ON \(schema).job (name, id) WHERE name <> type;
        CREATE INDEX job_queue ON \(schema).job (queue, id) WHERE queue <> 'default';
        CREATE INDEX job_key ON \(schema).job (queue_key, id) WHERE queue_key IS NOT NULL;
        CREATE INDEX job_type ON \(schema).job (type, id);
        CREATE TABLE \(schema).label (
          key bytea NOT NULL, value bytea NOT NULL, id uuid NOT NULL, PRIMARY KEY (key, value, id));
        CREATE INDEX ended_finish ON \(schema).ended (finished_at, id);
        CREATE INDEX ended_odd ON \(schema).ended (state, id) WHERE state <> 10;
        CREATE INDEX ended_odd_finish ON \(schema).ended (state, finished_at, id) WHERE state <> 10;
        CREATE INDEX ended_error ON \(schema).ended (error_code, id) WHERE error_code IS NOT NULL;
        CREATE INDEX ended_host ON \(schema).ended (call_host, id) WHERE error_code IS NOT NULL;
        CREATE INDEX ended_status ON \(schema).ended (call_status, id) WHERE call_status IS NOT NULL;
        CREATE INDEX ticket_wait ON \(schema).ticket (wait_kinds, id) WHERE wait_kinds IS NOT NULL;
        """
    }

    /// The servers that use the schema, the receipts of what they committed, see `WriteLane`, the counts of jobs that
    /// older receipts add up to, and the leases of owners of claims with the announcement of their server.
    private static func servers(in schema: String) -> String {
        """
        CREATE TABLE \(schema).server (id text PRIMARY KEY, started_at bigint NOT NULL);
        CREATE TABLE \(schema).landed (
          server text NOT NULL, number bigint NOT NULL, at bigint NOT NULL, news bytea, ends bytea,
          PRIMARY KEY (server, number));
        CREATE TABLE \(schema).tally (counts bytea NOT NULL);
        INSERT INTO \(schema).tally VALUES ('');
        CREATE TABLE \(schema).lease (
          owner text PRIMARY KEY, until bigint NOT NULL, is_lost boolean NOT NULL, about bytea,
          queue_version bigint NOT NULL DEFAULT 0);
        """
    }

    /// Lines for unique keys, wake keys, exclusive keys and the operations that wait for these, with a row for each
    /// key. A row of `line` is locked by what changes the line.
    private static func inputs(in schema: String) -> String {
        """
        CREATE TABLE \(schema).line (key bytea PRIMARY KEY);
        CREATE TABLE \(schema).waiter (
          id uuid PRIMARY KEY, key bytea NOT NULL, number bigint NOT NULL, is_over boolean NOT NULL);
        CREATE INDEX waiter_line ON \(schema).waiter (key, number) WHERE NOT is_over;
        CREATE TABLE \(schema).wake (key bytea NOT NULL, id uuid NOT NULL, PRIMARY KEY (key, id));
        CREATE INDEX wake_id ON \(schema).wake (id);
        CREATE TABLE \(schema).hold (key bytea PRIMARY KEY, id uuid NOT NULL, path bytea NOT NULL);
        CREATE INDEX hold_id ON \(schema).hold (id);
        CREATE TABLE \(schema).keyline (
          key bytea NOT NULL, number bigint NOT NULL, id uuid NOT NULL, path bytea NOT NULL,
          PRIMARY KEY (key, number, id, path));
        CREATE INDEX keyline_id ON \(schema).keyline (id);
        """
    }

    /// Decisions of people: approvals and grants; and the changes by people, with the number of the last.
    private static func people(in schema: String) -> String {
        """
        CREATE TABLE \(schema).approval (
          id uuid PRIMARY KEY, job uuid NOT NULL, path bytea NOT NULL, state smallint NOT NULL,
          opened_at bigint NOT NULL, expires_at bigint, approves_late boolean NOT NULL, audience bytea,
          closed_at bigint, closed_by bytea, comment bytea, content bytea NOT NULL);
        CREATE INDEX approval_job ON \(schema).approval (job, id);
        CREATE INDEX approval_open ON \(schema).approval (id) WHERE state = 0;
        CREATE TABLE \(schema).capability (
          name bytea PRIMARY KEY, status smallint NOT NULL, scopes bytea NOT NULL, expires_at bigint, reason bytea,
          updated_at bigint, updated_by bytea, requested_at bigint, requested_by uuid, requested_scope bytea,
          version bigint NOT NULL DEFAULT 0, created_at bigint, created_by bytea);
        CREATE TABLE \(schema).audit (
          number bigint PRIMARY KEY, at bigint NOT NULL, by bytea NOT NULL, kind bytea NOT NULL, action bytea NOT NULL,
          target bytea NOT NULL, request_id bytea, address bytea, before bytea, after bytea);
        CREATE TABLE \(schema).audit_end (number bigint NOT NULL);
        INSERT INTO \(schema).audit_end VALUES (0);
        """
    }

    /// Templates, settings with the number of their changes, which every commit reads, and the validators of answers.
    private static func settings(in schema: String) -> String {
        """
        CREATE TABLE \(schema).template (
          name bytea NOT NULL, version bigint NOT NULL, body bytea NOT NULL, created_at bigint NOT NULL,
          created_by bytea NOT NULL, PRIMARY KEY (name, version));
        CREATE TABLE \(schema).setting (
          kind smallint NOT NULL, name bytea NOT NULL, version bigint NOT NULL, body bytea NOT NULL,
          updated_at bigint NOT NULL, updated_by bytea NOT NULL, created_at bigint NOT NULL,
          created_by bytea NOT NULL, PRIMARY KEY (kind, name));
        CREATE TABLE \(schema).epoch (settings bigint NOT NULL);
        INSERT INTO \(schema).epoch VALUES (0);
        CREATE TABLE \(schema).validator (
          key bytea PRIMARY KEY, number bigint NOT NULL, tag bytea, modified bytea, job bytea NOT NULL,
          path bytea NOT NULL);
        CREATE INDEX validator_number ON \(schema).validator (number);
        """
    }

    /// Artifacts and uploads, with the jobs that use them, what came to callback URLs, and the
    /// content that servers keep in a shared place.
    private static func contents(in schema: String) -> String {
        """
        CREATE TABLE \(schema).artifact (
          id uuid NOT NULL, path bytea NOT NULL, sha256 text NOT NULL, bytes bigint NOT NULL, name bytea,
          content_type bytea, content_coding bytea, stored_at bigint NOT NULL, PRIMARY KEY (id, path));
        CREATE INDEX artifact_sha256 ON \(schema).artifact (sha256);
        CREATE TABLE \(schema).upload (
          id uuid PRIMARY KEY, sha256 text NOT NULL, bytes bigint NOT NULL, content_type bytea,
          created_at bigint NOT NULL, created_by bytea NOT NULL, expires_at bigint NOT NULL);
        CREATE INDEX upload_sha256 ON \(schema).upload (sha256);
        CREATE INDEX upload_end ON \(schema).upload (expires_at);
        CREATE TABLE \(schema).upload_use (upload uuid NOT NULL, id uuid NOT NULL, PRIMARY KEY (upload, id));
        CREATE INDEX upload_use_id ON \(schema).upload_use (id);
        CREATE TABLE \(schema).callback_standing (
          id uuid NOT NULL, name bytea NOT NULL, body bytea NOT NULL, PRIMARY KEY (id, name));
        CREATE TABLE \(schema).content (
          sha256 text PRIMARY KEY, condemned boolean NOT NULL, since bigint NOT NULL);
        """
    }

    /// The lines of queues with a configuration, see `QueueTable`, the states of rates, and the number of changes of
    /// configurations: that of all and, in a lease, that which claims of its owner follow. Pauses and open breakers of
    /// origins, until their end.
    private static func queues(in schema: String) -> String {
        """
        CREATE TABLE \(schema).queue (name bytea PRIMARY KEY, rate bigint NOT NULL, cursors bytea);
        CREATE TABLE \(schema).queue_rate (
          queue bytea NOT NULL, key bytea NOT NULL, next bigint NOT NULL, PRIMARY KEY (queue, key));
        CREATE TABLE \(schema).queue_version (number bigint NOT NULL);
        INSERT INTO \(schema).queue_version VALUES (0);
        CREATE TABLE \(schema).closing (origin bytea PRIMARY KEY, until bigint NOT NULL, body bytea NOT NULL);
        """
    }

    /// The statistics of ended jobs (see `StatsBin`), by `StatsStep` and `StatsFacet`; the receipts up to which ends
    /// are counted, and those besides that are not; see `StatsTable`.
    private static func stats(in schema: String) -> String {
        """
        CREATE TABLE \(schema).stats (
          step smallint NOT NULL, facet smallint NOT NULL, tenant bytea NOT NULL, at bigint NOT NULL,
          is_open boolean NOT NULL, body bytea NOT NULL, PRIMARY KEY (step, facet, tenant, at));
        CREATE INDEX stats_open ON \(schema).stats (step, at) WHERE is_open;
        CREATE INDEX stats_age ON \(schema).stats (step, at);
        CREATE TABLE \(schema).counted (server text PRIMARY KEY, number bigint NOT NULL);
        INSERT INTO \(schema).counted VALUES ('', 0);
        CREATE TABLE \(schema).ending (
          number bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, body bytea NOT NULL);
        """
    }

    /// Schedules, and their planned times with the job or the reason for none. The number of a schedule is never that
    /// of another one, so that the occurrences of a removed schedule belong to no other.
    private static func schedules(in schema: String) -> String {
        """
        CREATE TABLE \(schema).schedule (
          number bigint PRIMARY KEY, name bytea NOT NULL UNIQUE, version bigint NOT NULL, revision bigint NOT NULL,
          body bytea NOT NULL, updated_at bigint NOT NULL, updated_by bytea NOT NULL, progress bytea NOT NULL,
          wake_at bigint, created_at bigint NOT NULL, created_by bytea NOT NULL);
        CREATE INDEX schedule_wake ON \(schema).schedule (wake_at, number) WHERE wake_at IS NOT NULL;
        CREATE TABLE \(schema).occurrence (
          schedule bigint NOT NULL, planned bigint NOT NULL, origin smallint NOT NULL, job uuid, reason smallint,
          detail bytea, decided_at bigint NOT NULL, PRIMARY KEY (schedule, planned));
        CREATE INDEX occurrence_decided ON \(schema).occurrence (decided_at);
        """
    }

    /// Deliveries to hooks, with what became of them, and the digests by which they are known again.
    private static func deliveries(in schema: String) -> String {
        """
        CREATE TABLE \(schema).delivery (
          id uuid PRIMARY KEY, hook bytea NOT NULL, outcome smallint NOT NULL, job uuid, facts bytea NOT NULL,
          keys bytea NOT NULL, head bytea NOT NULL, body bytea NOT NULL);
        CREATE INDEX delivery_list ON \(schema).delivery (hook, outcome, id);
        CREATE TABLE \(schema).delivery_key (key bytea PRIMARY KEY, delivery uuid NOT NULL);
        """
    }

    /// Bulk actions, the ids of their jobs while they run, and the results in the order of the ids, with the new jobs
    /// that they made. `state` 0 is running.
    private static func bulk(in schema: String) -> String {
        """
        CREATE TABLE \(schema).bulk (
          number bigint PRIMARY KEY, id uuid NOT NULL UNIQUE, body bytea NOT NULL, per_second bigint,
          created_at bigint NOT NULL, created_by bytea NOT NULL, total bigint NOT NULL, state smallint NOT NULL,
          done bigint NOT NULL, skipped bigint NOT NULL, failed bigint NOT NULL, finished_at bigint, stopped_by bytea);
        CREATE INDEX bulk_running ON \(schema).bulk (number) WHERE state = 0;
        CREATE INDEX bulk_finished ON \(schema).bulk (finished_at) WHERE finished_at IS NOT NULL;
        CREATE TABLE \(schema).bulk_part (
          bulk bigint NOT NULL, part integer NOT NULL, ids uuid[] NOT NULL, PRIMARY KEY (bulk, part));
        CREATE TABLE \(schema).bulk_result (
          bulk bigint NOT NULL, place bigint NOT NULL, job uuid NOT NULL, outcome smallint NOT NULL, code bytea,
          detail bytea, made text, PRIMARY KEY (bulk, place));
        """
    }
}
