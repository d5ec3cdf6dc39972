import JobKit
import JobStore
import ScratchPostgres
import Testing

@testable import PostgresStore

@Suite(.enabled(if: PostgresServer.isInstalled)) struct `A store with a synchronous standby` {
    @Test func `leaves a change in doubt that no standby has confirmed, and does not repeat it`() async throws
    {
        let server = try PostgresServer()
        let schema = PostgresServer.freshSchema()
        var options = PostgresOptions()
        options.statementTimeout = .seconds(2)
        options.doubtMax = .zero
        let store = try PostgresDatabase.open(
            "\(server.address) application_name=\(schema)", schema: schema, options: options)
        let job = NewJob.sample()
        let connection = try PostgresConnection(PostgresAddress(server.address, schema: schema))
        try connection.execute("SET synchronous_commit = local")
        try connection.execute("ALTER SYSTEM SET synchronous_standby_names = 'absent'")
        try connection.execute("SELECT pg_reload_conf()")
        _ = try await eventually {
            try connection.run("SHOW synchronous_standby_names").text(0, 0) == "absent"
        }
        // The checkpointer puts the setting into effect, before it makes a checkpoint.
        try connection.execute("CHECKPOINT")
        async let answer = Result { try await store.submit(job) } as Result<SubmitOutcome, any Error>
        // A person cancels the wait for the standby.
        let isCancelled = try await eventually {
            try connection.run(
                """
                SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity \
                WHERE application_name = $1 AND wait_event = 'SyncRep'
                """, [.text(schema)]
            ).integer(0, 0) > 0
        }
        #expect(isCancelled)
        guard case .failure(let error as JobStoreError) = await answer else {
            Issue.record("it was acknowledged")
            return
        }
        #expect(error.detail.contains("may or may not have been made"))
        try connection.execute("ALTER SYSTEM SET synchronous_standby_names = ''")
        try connection.execute("SELECT pg_reload_conf()")
        await store.close()
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
