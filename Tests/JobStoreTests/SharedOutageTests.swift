import JobKit
import JobStore
import ScratchPostgres
import Testing

@testable import PostgresStore

@Suite(.enabled(if: PostgresServer.isInstalled)) struct `A server whose database does not answer` {
    private func error(of job: NewJob, at store: any JobStore) async -> JobStoreError? {
        do {
            _ = try await store.submit(job)
            return nil
        } catch { return error as? JobStoreError }
    }

    @Test func `answers requests while a table is locked, and keeps its lease`() async throws {
        try await Servers.run(1, patience: .milliseconds(200)) { servers in
            try await servers[0].renew("a")
            let other = try servers.connection()
            try other.run("BEGIN")
            try other.run("LOCK TABLE \(servers.schema).ticket IN ACCESS EXCLUSIVE MODE")
            let job = NewJob.sample(key: "k")
            let doubt = try #require(await error(of: job, at: servers[0]))
            #expect(doubt.code == .unavailable)
            #expect(doubt.unsureJob == job.record.id)
            // What follows is known not to be stored, and is told so at once.
            let refused = try #require(await error(of: .sample(), at: servers[0]))
            #expect(refused.code == .unavailable)
            #expect(refused.unsureJob == nil)
            try await servers[0].renew("a")
            #expect(try await eventually { servers[0].condition != .sound })
            #expect(await refusal { try await servers[0].checkHealth() } == .unavailable)
            let recovering = await refusal { _ = try await servers[0].recover(besides: "a", now: .noon) }
            #expect(recovering == .unavailable)

            try other.run("ROLLBACK")
            #expect(try await eventually { servers[0].condition == .sound })
            try await servers[0].checkHealth()
            _ = try await servers[0].submit(.sample(key: "k"))
            let rows = try servers.connection().run("SELECT count(*) FROM \(servers.schema).job")
            #expect(rows.integer(0, 0) == 1)
        }
    }

    @Test func `says which job may be stored while a commit takes long, and a repeat finds it`()
        async throws
    {
        try await Servers.run(1, patience: .milliseconds(200)) { servers in
            let function = "\(servers.schema).slow()"
            try servers.connection().execute(
                """
                CREATE FUNCTION \(function) RETURNS trigger LANGUAGE plpgsql AS
                  $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$;
                CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON \(servers.schema).job
                  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION \(function);
                """)
            let job = NewJob.sample(key: "k")
            let doubt = try #require(await error(of: job, at: servers[0]))
            #expect(doubt.unsureJob == job.record.id)
            #expect(doubt.detail.contains("\(job.record.id)"))
            #expect(try await eventually { servers[0].condition != .sound })
            #expect(try await eventually { servers[0].condition == .sound })
            guard case .replayed(let known) = try await servers[0].submit(.sample(key: "k")) else {
                throw Unexpected("the key is unknown")
            }
            #expect(known.id == job.record.id)
        }
    }

    @Test func `is ready without a write`() async throws {
        try await Servers.run(1) { servers in
            let rows = "SELECT count(*) FROM \(servers.schema).landed"
            let connection = try servers.connection()
            let before = try connection.run(rows).integer(0, 0)
            try await servers[0].checkHealth()
            #expect(try connection.run(rows).integer(0, 0) == before)
        }
    }

    @Test func `that cannot be reached at all is told apart from one that is unfit`() {
        let away = #expect(throws: JobStoreError.self) {
            _ = try PostgresDatabase.open("host=/nowhere user=jobs dbname=jobs")
        }
        #expect(away?.isAway == true)
        let unfit = #expect(throws: JobStoreError.self) {
            _ = try PostgresDatabase.open("host=/nowhere", schema: "Jobs")
        }
        #expect(unfit?.isAway == false)
    }
}
