package import ContentFiles
package import JobStore

/// Settings of the store on PostgreSQL.
package struct PostgresOptions: Sendable {
    /// The limits of the store.
    package var limits = StoreLimits()
    /// Whether leases follow the clock of the database, as they must when several servers share it. Otherwise they
    /// follow the times that callers give.
    package var usesDatabaseClock = true
    /// Whether the schema is made, or brought to the version of this program, when the store is opened.
    package var migrates = true
    /// Whether statements are prepared once for each connection. Not behind a pooler that hands every transaction to
    /// another connection.
    package var preparesStatements = true
    /// The time after which a write without an answer is given up, with its connection.
    package var statementTimeout = Duration.seconds(30)
    /// The time without an answer of the database after which requests are answered, though their changes may be made.
    package var patience = Duration.milliseconds(1_500)
    /// The longest time in which the store tries to find out whether a change was made.
    package var doubtMax = Duration.seconds(30)
    /// The largest number of writes in one transaction.
    package var groupMax = 512
    /// The time between two looks at what other servers committed.
    package var feedMilliseconds = 50
    /// The number of threads that read for callers that may not block.
    package var readers = 4

    /// The shared place of content that is too large for the database; nil keeps none.
    package var artifacts: SharedArtifactOptions?

    package init() {}
}
