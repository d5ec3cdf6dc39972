import JobKit
import JobSpec
import JobStore
import Synchronization
import Testing

/// Records the calls of an observer.
private final class Witness: Sendable {
    private let seen = Mutex<[JobChange]>([])

    var changes: [JobChange] { seen.withLock { $0 } }

    func see(_ changes: [JobChange]) { seen.withLock { $0 += changes } }
}

@Suite struct `An observer of commits` {
    @Test(arguments: Engine.allCases) func `sees every change in order, before the reply`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let witness = Witness()
            store.observeCommits { witness.see($0) }
            let id = try await store.add(.sample(dueAt: .noon(1))).id
            #expect(witness.changes.map(\.state) == [.scheduled])
            #expect(witness.changes.first?.dueAt == .noon(1))
            let claim = try await store.claimOne(now: .noon(1))
            try await store.update(
                RunUpdate(claim: claim.key, journal: [.init(at: .noon, path: [], event: .started)]))
            try await store.move(claim, to: .retrying, dueAt: .noon(2))
            try await store.cancel(id)
            try await store.erase(id)
            #expect(
                witness.changes.map(\.state) == [.scheduled, .running, .running, .retrying, .cancelled, nil])
            #expect(witness.changes.dropLast().map(\.revision) == [1, 2, 2, 3, 4])
            #expect(witness.changes.map(\.hasOnlyEntries) == [false, false, true, false, false, false])
            #expect(Set(witness.changes.map(\.id)) == [id])
        }
    }

    @Test(arguments: Engine.allCases, [JobState.succeeded, .failed, .cancelled, .expired])
    func `gets a job that ended as it can be read then`(_ engine: Engine, _ state: JobState) async throws {
        try await engine.withStore { store in
            let witness = Witness()
            store.observeCommits { witness.see($0) }
            let text = #"{"type":"value","metadata":{"a":1}}"#
            var job = NewJob.sample(
                labels: [.init(key: "team", value: "finance")], expiresAt: state == .expired ? .noon(5) : nil,
                key: "k", spec: text)
            job.record.metadata = Array(#"{"a":1}"#.utf8)
            job.metadataPlace = 27..<34
            let id = try await store.add(job).id
            switch state {
            case .cancelled: try await store.cancel(id)
            case .expired: _ = try await store.sweep(now: .noon(5))
            default: try await store.move(try await store.claimOne(), to: state)
            }
            let record = try #require(try store.makeReader().job(id))
            #expect(record.metadata == Array(#"{"a":1}"#.utf8))
            #expect(witness.changes.last?.ended?.record == record)
            #expect(witness.changes.dropLast().allSatisfy { $0.ended == nil })
        }
    }

    /// The bytes that a server keeps of a job must not be older than what its readers see elsewhere.
    @Test func `expects a commit of a store that is its own before readers see it`() async throws {
        try await Engine.sqlite.withStore { store in
            let reader = try store.makeReader()
            let seen = Mutex<[(id: JobID, state: JobState?)]>([])
            let witness = Witness()
            store.observeCommits(expecting: { changes in
                seen.withLock { seen in
                    for change in changes { seen.append((change.id, try? reader.job(change.id)?.state)) }
                }
            }) { witness.see($0) }
            let id = try await store.add(.sample()).id
            try await store.cancel(id)
            try await store.erase(id)
            #expect(seen.withLock { $0.map(\.state) } == [nil, .queued, .cancelled])
            #expect(seen.withLock { $0.map(\.id) } == witness.changes.map(\.id))
        }
    }

    @Test(arguments: Engine.allCases) func `is not told of refused writes`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            let id = try await store.add(.sample(key: "k")).id
            let witness = Witness()
            store.observeCommits { witness.see($0) }
            _ = try await store.submit(.sample(key: "k"))
            _ = await refusal { try await store.submit(.sample(id: id)) }
            _ = await refusal { try await store.erase(id) }
            #expect(witness.changes.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func `may ask for more work`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            let claimed = Mutex<[JobID]>([])
            try await store.renew("o")
            store.observeCommits { changes in
                guard changes.contains(where: { $0.state == .queued }) else { return }
                let one = ClaimRequest(limit: 1, owner: "o", now: .noon)
                store.claim(one) { result in
                    claimed.withLock { $0 += ((try? result.get()) ?? []).map(\.record.id) }
                }
            }
            let id = try await store.add(.sample()).id
            #expect(try await eventually { claimed.withLock { $0 } == [id] })
        }
    }
}
