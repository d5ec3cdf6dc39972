import JobKit
import JobStore
import Testing

/// A change by Ada, with digests that show the bodies.
private func draft(_ kind: String, _ action: String, _ target: String) -> AuditDraft {
    AuditDraft(
        AuditRecord(
            at: .noon, by: "ada", kind: kind, action: action, target: target, requestID: "req_1",
            address: "192.0.2.1")
    ) { String(decoding: $0, as: UTF8.self) }
}

extension JobStore {
    fileprivate func removeAudits(before time: Timestamp, limit: Int = 100) async throws -> Int {
        try await perform(RowSweep(.audits, before: time, limit: limit))
    }
}

@Suite struct `The record of changes` {
    @Test(arguments: Engine.allCases) func `has each change of a job, and no attempt at one`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let id = try await store.add(.sample()).id
            let name = id.description
            try await store.auditing(draft("jobs", "cancel", name)).cancel(id)
            try await store.auditing(draft("jobs", "cancel", name)).cancel(id)
            _ = try await store.auditing(draft("jobs", "retry", name)).retry(id)
            #expect(
                await refusal { _ = try await store.auditing(draft("jobs", "retry", name)).retry(id) }
                    == .wrongState(.queued))
            try await store.cancel(id)
            try await store.auditing(draft("jobs", "delete", name)).erase(id)
            let found = try store.makeReader().audits(before: nil, limit: 10)
            #expect(found.map(\.action) == ["delete", "retry", "cancel"])
            #expect(found.map(\.number) == [3, 2, 1])
            var expected = draft("jobs", "delete", name).record
            expected.number = 3
            #expect(found.first == expected)
        }
    }

    @Test(arguments: Engine.allCases) func `has the changes of a tenant's view, and the view its data`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let own = store.writing(for: Tenant("acme"))
            let id = try await own.add(.sample(queue: "acme/mail")).id
            try await own.auditing(draft("jobs", "cancel", id.description)).cancel(id)
            #expect(try store.makeReader().audits(before: nil, limit: 10).map(\.action) == ["cancel"])
            #expect(
                try await own.read { reader throws(JobStoreError) in try reader.job(id)?.state } == .cancelled
            )
        }
    }

    @Test(arguments: Engine.allCases) func `has the digests of what is stored under a name`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let audited = store.auditing(draft("queues", "put", "mail"))
            try await audited.configure("mail", #"{"concurrency":1}"#)
            try await audited.configure("mail", #"{"concurrency":2}"#)
            #expect(
                await refusal { try await audited.configure("mail", "{}", ifVersion: 7) }
                    == .settingConflict(2))
            try await store.auditing(draft("queues", "delete", "mail")).removeQueue("mail")
            let found = try store.makeReader().audits(before: nil, limit: 10)
            #expect(found.map(\.before) == [#"{"concurrency":2}"#, #"{"concurrency":1}"#, nil])
            #expect(found.map(\.after) == [nil, #"{"concurrency":2}"#, #"{"concurrency":1}"#])
        }
    }

    @Test(arguments: Engine.allCases) func `is read in pages and removed when it is old`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            for number in 0..<5 {
                let record = AuditRecord(
                    at: .noon(Int64(number)), by: "the token file", kind: "tokens", action: "add",
                    target: "t\(number)")
                try await store.perform(record)
            }
            let reader = try store.makeReader()
            #expect(try reader.audits(before: nil, limit: 2).map(\.target) == ["t4", "t3"])
            #expect(try reader.audits(before: 4, limit: 2).map(\.target) == ["t2", "t1"])
            #expect(try await store.removeAudits(before: .noon(3), limit: 2) == 2)
            #expect(try await store.removeAudits(before: .noon(3), limit: 2) == 1)
            #expect(try await store.removeAudits(before: .noon(3), limit: 2) == 0)
            #expect(try reader.audits(before: nil, limit: 9).map(\.target) == ["t4", "t3"])
        }
    }
}
