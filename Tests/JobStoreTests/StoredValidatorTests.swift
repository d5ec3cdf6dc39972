import JobKit
import JobStore
import Testing

@Suite struct `A stored mark of an answer` {
    private func remember(_ store: any JobStore, _ key: String, _ tag: String?, _ date: String? = nil)
        async throws
    {
        let validator = AnswerValidator(
            entityTag: tag, lastModified: date, job: "job_1", path: ["a", "b"])
        try await withCheckedContinuation { continuation in
            store.remember(validator, for: key) { continuation.resume(returning: $0) }
        }.get()
    }

    @Test(arguments: Engine.allCases) func `is the last one of its request`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            let reader = try store.makeReader()
            #expect(try reader.validator("k") == nil)
            try await remember(store, "k", "\"1\"")
            try await remember(store, "k", nil, "Sat, 21 Nov 2026 10:00:00 GMT")
            let found = try reader.validator("k")
            #expect(found?.entityTag == nil)
            #expect(found?.lastModified == "Sat, 21 Nov 2026 10:00:00 GMT")
            #expect(found?.job == "job_1" && found?.path == ["a", "b"])
        }
    }

    @Test(arguments: Engine.allCases) func `goes when there are too many newer ones`(
        _ engine: Engine
    ) async throws {
        var limits = StoreLimits()
        limits.validatorsMax = 3
        try await engine.withStore(limits: limits) { store in
            for key in ["a", "b", "c", "a", "d", "e"] { try await remember(store, key, "\"\(key)\"") }
            let reader = try store.makeReader()
            #expect(try reader.validator("b") == nil)
            #expect(try reader.validator("c") == nil)
            for key in ["a", "d", "e"] { #expect(try reader.validator(key)?.entityTag == "\"\(key)\"") }
        }
    }
}
