import JobKit
import JobStore
import SQLiteStore
import Testing

@Suite struct `A full disk` {
    private static var small: SQLiteOptions {
        var options = SQLiteOptions()
        options.pagesMax = 180
        return options
    }

    /// A job with a spec of 20 KiB.
    private static var large: NewJob { .sample(spec: String(repeating: "x", count: 20_480)) }

    /// Submits until the disk is full.
    private func fill(_ store: any JobStore) async throws -> (stored: [JobID], code: JobStoreError.Code?) {
        var stored: [JobID] = []
        for _ in 0..<1_000 {
            let job = Self.large
            let code = await refusal { try await store.submit(job) }
            if let code { return (stored, code) }
            stored.append(job.record.id)
        }
        return (stored, nil)
    }

    @Test func `refuses writes that do not fit and keeps the rest`() async throws {
        try await withDirectory { directory in
            let stored = try await withSQLite(directory, options: Self.small) { store in
                let (stored, code) = try await fill(store)
                #expect(code == .diskFull)
                #expect(!stored.isEmpty)
                let reader = try store.makeReader()
                #expect(try stored.allSatisfy { try reader.spec($0)?.count == 20_480 })
                #expect(store.counts() == [.queued: stored.count])
                return stored
            }
            try await withSQLite(directory) { store in
                #expect(store.counts() == [.queued: stored.count])
                try await store.add(Self.large)
            }
        }
    }

    @Test func `is over when jobs are erased`() async throws {
        try await withDirectory { directory in
            try await withSQLite(directory, options: Self.small) { store in
                // A new job may need a page more than an erased one leaves.
                let old = [try await store.add(Self.large).id, try await store.add(Self.large).id]
                for id in old { try await store.cancel(id) }
                #expect(try await fill(store).code == .diskFull)
                #expect(await refusal { try await store.submit(Self.large) } == .diskFull)
                for id in old { try await store.erase(id) }
                try await store.add(Self.large)
                try await store.checkHealth()
            }
        }
    }

    @Test func `does not spoil the small writes beside a large one`() async throws {
        try await withDirectory { directory in
            try await withSQLite(directory, options: Self.small) { store in
                let codes = await withTaskGroup(of: (Bool, JobStoreError.Code?).self) { group in
                    for number in 0..<40 {
                        group.addTask {
                            var job = NewJob.sample()
                            let isHuge = number % 8 == 0
                            if isHuge { job.spec = [UInt8](repeating: 1, count: 1 << 20) }
                            let sent = job
                            return (isHuge, await refusal { try await store.submit(sent) })
                        }
                    }
                    return await group.reduce(into: [(Bool, JobStoreError.Code?)]()) { $0.append($1) }
                }
                #expect(codes.filter(\.0).allSatisfy { $0.1 == .diskFull })
                #expect(codes.filter { !$0.0 }.allSatisfy { $0.1 == nil })
                #expect(store.counts() == [.queued: 35])
            }
        }
    }
}
