// DESIGN
// Several servers may start at once, and each migrates the schema. They meet at the one row of `meta`, which each locks
// for one step: the second one finds the step done. Not an advisory lock: some databases that speak this protocol
// have none, and a pooler breaks those of sessions. Creating the schema and that row cannot be locked: PostgreSQL
// answers the second one with an error, and it looks again.

/// One numbered step from an older shape of the schema to a newer one. Steps are only ever added.
struct PostgresMigration: Sendable {
    /// From 1 without gaps.
    var number: Int64
    /// The statements, in a schema. They run in one transaction.
    var script: @Sendable (String) -> String

    static let all = [
        PostgresMigration(number: 1, script: jobs(in:)), PostgresMigration(number: 2, script: servers(in:)),
    ]

    /// The shape that this program knows.
    static var newest: Int64 { all.last?.number ?? 0 }

    /// Jobs and the keys that find them again.
    ///
    /// `job` and `ended` are insert-only, so that updates leave no dead rows there: the facts that never change, and
    /// the end. Mutable state is in `ticket`, a narrow row for each unfinished job, whose indexes are partial: a job
    /// has an entry only where its state needs one. Ids are made by servers in the order of time; `number` decides
    /// between jobs that became runnable at one moment.
    @Sendable private static func jobs(in schema: String) -> String {
        """
        CREATE TABLE \(schema).job (
          id uuid PRIMARY KEY, number bigint NOT NULL, priority smallint NOT NULL, attempts_max integer NOT NULL,
          created_at bigint NOT NULL, keep_succeeded bigint NOT NULL, keep_failed bigint NOT NULL, name text NOT NULL,
          type text NOT NULL, queue text NOT NULL, idempotency_key text, labels bytea, metadata bytea,
          metadata_at bigint, spec bytea NOT NULL);
        CREATE TABLE \(schema).ticket (
          id uuid PRIMARY KEY, number bigint NOT NULL, priority smallint NOT NULL, state smallint NOT NULL,
          revision bigint NOT NULL, fence bigint NOT NULL, attempt integer NOT NULL, run_at bigint,
          started_at bigint, expires_at bigint, due_at bigint, ready_at bigint, owner text, detail bytea,
          posts bigint NOT NULL, flags bigint NOT NULL) WITH (fillfactor = 50);
        CREATE INDEX ticket_ready ON \(schema).ticket (priority DESC, ready_at, number) WHERE ready_at IS NOT NULL;
        CREATE INDEX ticket_due ON \(schema).ticket (priority, due_at, number) WHERE due_at IS NOT NULL;
        CREATE INDEX ticket_owner ON \(schema).ticket (owner) WHERE owner IS NOT NULL;
        CREATE INDEX ticket_expiry ON \(schema).ticket (expires_at)
          WHERE expires_at IS NOT NULL AND started_at IS NULL;
        CREATE TABLE \(schema).ended (
          id uuid PRIMARY KEY, state smallint NOT NULL, revision bigint NOT NULL, fence bigint NOT NULL,
          attempt integer NOT NULL, run_at bigint, started_at bigint, finished_at bigint NOT NULL,
          expires_at bigint, purge_at bigint NOT NULL, detail bytea, posts bigint NOT NULL, flags bigint NOT NULL);
        CREATE INDEX ended_purge ON \(schema).ended (purge_at);
        CREATE TABLE \(schema).label (
          key text NOT NULL, value text NOT NULL, id uuid NOT NULL, PRIMARY KEY (key, value, id));
        CREATE TABLE \(schema).idempotency (
          key text PRIMARY KEY, id uuid NOT NULL, fingerprint bytea NOT NULL, expires_at bigint NOT NULL);
        CREATE INDEX idempotency_expiry ON \(schema).idempotency (expires_at);
        """
    }

    /// The servers that are alive, and the receipts of what they committed; see `WriteLane`.
    @Sendable private static func servers(in schema: String) -> String {
        """
        CREATE TABLE \(schema).server (id text PRIMARY KEY, started_at bigint NOT NULL);
        CREATE TABLE \(schema).landed (server text NOT NULL, number bigint NOT NULL, PRIMARY KEY (server, number));
        """
    }

    /// Brings the schema to the newest shape, makes it when there is none, and does nothing when it has that shape.
    static func run(on connection: PostgresConnection) throws(PostgresFailure) {
        try prepare(connection)
        while try step(connection) {}
    }

    /// One step; false when none is left.
    private static func step(_ connection: PostgresConnection) throws(PostgresFailure) -> Bool {
        let schema = connection.address.schema
        return try connection.transaction { (connection) throws(PostgresFailure) in
            let found = try connection.run("SELECT version FROM \(schema).meta FOR UPDATE")
            guard found.count == 1 else { throw .damaged("\(schema).meta has \(found.count) rows") }
            let version = found.integer(0, 0)
            guard version <= newest else { throw .newerVersion(version, than: newest) }
            guard let next = all.first(where: { $0.number > version }) else { return false }
            try connection.execute(next.script(schema))
            try connection.run("UPDATE \(schema).meta SET version = $1", [.integer(next.number)])
            return true
        }
    }

    /// Makes the schema with the row that says its version.
    private static func prepare(_ connection: PostgresConnection) throws(PostgresFailure) {
        let schema = connection.address.schema
        for tries in 1... {
            // A role that may not create schemas may still use one.
            let found = try connection.run("SELECT to_regclass($1)::text", [.text("\(schema).meta")])
            if !found.isNull(0, 0) { return }
            do throws(PostgresFailure) {
                try connection.transaction { (connection) throws(PostgresFailure) in
                    try connection.execute(
                        """
                        CREATE SCHEMA IF NOT EXISTS \(schema);
                        CREATE TABLE \(schema).meta (version bigint NOT NULL);
                        INSERT INTO \(schema).meta VALUES (0);
                        """)
                }
            } catch {
                guard error.isMadeAlready, tries < 20 else { throw error }
            }
        }
    }
}

extension PostgresFailure {
    /// Whether another connection just made the same thing.
    fileprivate var isMadeAlready: Bool { isConstraint || state == "42P07" || state == "42P06" }
}
