import JobKit
import JobStore
@testable import SQLiteStore
import Testing

@Suite struct `A stored mark of an answer` {
    private func remember(
        _ store: any JobStore, _ key: String, _ tag: String?, _ date: String? = nil, of job: JobID
    ) async throws {
        let validator = AnswerValidator(
            entityTag: tag, lastModified: date, job: job.description, path: ["a", "b"])
        try await store.perform(ValidatorUpdate(validator, for: key))
    }

    @Test(arguments: Engine.allCases) func `is the last one of its request`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            let reader = try store.makeReader()
            #expect(try reader.validator("k") == nil)
            let job = try await store.add(.sample()).id
            try await remember(store, "k", "\"1\"", of: job)
            try await remember(store, "k", nil, "Sat, 21 Nov 2026 10:00:00 GMT", of: job)
            let found = try reader.validator("k")
            #expect(found?.entityTag == nil)
            #expect(found?.lastModified == "Sat, 21 Nov 2026 10:00:00 GMT")
            #expect(found?.job == job.description && found?.path == ["a", "b"])
        }
    }

    @Test(arguments: Engine.allCases) func `counts as long as there is the job with the content`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let reader = try store.makeReader()
            let first = try await store.add(.sample()).id
            try await store.cancel(first)
            try await remember(store, "k", "\"1\"", of: first)
            #expect(try reader.validator("k")?.job == first.description)
            try await store.erase(first)
            #expect(try reader.validator("k") == nil)
            let next = try await store.add(.sample()).id
            try await remember(store, "k", "\"2\"", of: next)
            #expect(try reader.validator("k")?.job == next.description)
        }
    }

    /// Adds marks as a copy of a store in a PostgreSQL has them, whose numbers are times.
    private func addCopied(_ keys: [String], of job: JobID, in directory: String) throws {
        let session = try WriterSession(path: directory + "/jobs.db", options: SQLiteOptions())
        try session.begin()
        for (place, key) in keys.enumerated() {
            try session.connection.execute(
                "INSERT INTO validator VALUES (\((place + 1) << 40), '\(key)', '1', NULL, '\(job)', '')")
        }
        try session.commit()
    }

    @Test func `of a copied store stays when a new one comes`() async throws {
        try await withDirectory { directory in
            let job = try await withSQLite(directory) { store in try await store.add(.sample()).id }
            let keys = ["a", "b", "c"]
            try addCopied(keys, of: job, in: directory)
            try await withSQLite(directory) { store in
                try await remember(store, "d", "\"1\"", of: job)
                let reader = try store.makeReader()
                for key in keys + ["d"] { #expect(try reader.validator(key) != nil, "of \(key)") }
            }
        }
    }

    @Test(arguments: Engine.allCases) func `goes when there are too many newer ones`(
        _ engine: Engine
    ) async throws {
        var limits = StoreLimits()
        limits.validatorsMax = 3
        try await engine.withStore(limits: limits) { store in
            let job = try await store.add(.sample()).id
            for key in ["a", "b", "c", "a", "d", "e"] {
                try await remember(store, key, "\"\(key)\"", of: job)
            }
            let reader = try store.makeReader()
            #expect(try reader.validator("b") == nil)
            #expect(try reader.validator("c") == nil)
            for key in ["a", "d", "e"] { #expect(try reader.validator(key)?.entityTag == "\"\(key)\"") }
        }
    }
}
