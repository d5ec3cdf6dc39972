import Dispatch
import JobKit
import JobStore
import Synchronization
import Testing

@Suite struct `Jobs that are read together` {
    /// The states that another thread has read.
    private final class States: Sendable {
        let seen = Mutex<[JobState?]>([])
    }

    @Test(arguments: Engine.allCases) func `are those that were asked for, each at its place`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            var ids: [JobID] = []
            for name in ["a", "b", "c"] { ids.append(try await store.add(.sample(name)).id) }
            _ = try await store.cancel(ids[1])
            // One twice, and one that does not exist.
            let asked = [ids[2], ids[0], JobID(high: 1, low: 1), ids[1], ids[0]]
            let reader = try store.makeReader()
            var found: [String] = []
            reader.readTogether(asked) { place in
                let job = try? reader.job(asked[place])
                found.append(job.map { "\($0.name) \($0.state)" } ?? "none")
            }
            #expect(found == ["c queued", "a queued", "none", "b cancelled", "a queued"])
        }
    }

    @Test(arguments: Engine.allCases) func `are read again by the second who asks`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let ids = [try await store.add(.sample()).id, try await store.add(.sample()).id]
            let reader = try store.makeReader()
            var states: [String] = []
            func read(_ id: JobID) { states.append((try? reader.job(id)).map { "\($0.state)" } ?? "none") }
            reader.readTogether(ids) { place in
                read(ids[place])
                // Another than the one at this place is not at hand.
                read(ids[1 - place])
                let done = DispatchSemaphore(value: 0)
                Task {
                    _ = try? await store.cancel(ids[place])
                    done.signal()
                }
                done.wait()
                read(ids[place])
            }
            #expect(states == ["queued", "queued", "cancelled", "queued", "cancelled", "cancelled"])
        }
    }

    @Test(arguments: Engine.allCases) func `are read again for another thread`(_ engine: Engine) async throws
    {
        try await engine.withStore { store in
            let ids = [try await store.add(.sample()).id, try await store.add(.sample()).id]
            let reader = try store.makeReader()
            let states = States()
            reader.readTogether(ids) { place in
                let done = DispatchSemaphore(value: 0)
                Task {
                    _ = try? await store.cancel(ids[place])
                    let state = try? reader.job(ids[place])?.state
                    states.seen.withLock { $0.append(state) }
                    done.signal()
                }
                done.wait()
            }
            #expect(states.seen.withLock(\.self) == [.cancelled, .cancelled])
        }
    }
}
