import JobKit
import JobStore
import Testing

@Suite struct `A stored mark of an answer` {
    private func remember(
        _ store: any JobStore, _ key: String, _ tag: String?, _ date: String? = nil, of job: JobID
    ) async throws {
        let validator = AnswerValidator(
            entityTag: tag, lastModified: date, job: job.description, path: ["a", "b"])
        try await withCheckedContinuation { continuation in
            store.remember(validator, for: key) { continuation.resume(returning: $0) }
        }.get()
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
