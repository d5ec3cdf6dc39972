import JobKit
import JobStore
import StrictJSON
import Testing

extension DeliveryRecord {
    /// A delivery to the hook `push` that came at `time`.
    fileprivate static func sample(at time: Timestamp = .noon, hook: String = "push") -> DeliveryRecord {
        var record = DeliveryRecord(id: DeliveryID(bits: .made(at: time)), hook: hook, at: time, .started)
        (record.sender, record.key, record.byteCount) = ("192.0.2.7", "a", 2)
        (record.head, record.body) = (Array("{}".utf8), Array("{\u{0}".utf8))
        return record
    }
}

@Suite struct `A delivery to a hook` {
    private func write(_ record: DeliveryRecord, keys: [[UInt8]], job: NewJob? = .sample()) -> DeliveryWrite {
        var write = DeliveryWrite(record)
        (write.keys, write.job) = (keys, job)
        return write
    }

    @Test(arguments: Engine.allCases)
    func `is stored with its job, and has no second effect`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            let first = try await store.perform(write(.sample(), keys: [[1], [2]]))
            #expect(first.first == nil)
            let job = try #require(first.delivery.job)
            let reader = try store.makeReader()
            #expect(try reader.job(job) != nil)
            for keys in [[[1], [3]], [[4], [2]]] as [[[UInt8]]] {
                let new = NewJob.sample()
                let again = try await store.perform(write(.sample(at: .noon(1)), keys: keys, job: new))
                #expect(again.first?.id == first.delivery.id)
                #expect(again.delivery.outcome == .duplicate)
                #expect(again.delivery.job == job)
                #expect(try reader.job(new.record.id) == nil)
            }
            // Of another hook it is another one.
            let other = try await store.perform(write(.sample(hook: "pull"), keys: [[1]]))
            #expect(other.first == nil)
            let list = try reader.deliveries(to: "push", outcome: nil, before: nil, limit: 10)
            #expect(list.map(\.outcome) == [.duplicate, .duplicate, .started])
            #expect(list.allSatisfy { $0.body.isEmpty && $0.sender == "192.0.2.7" })
            #expect(try reader.delivery(first.delivery.id) == first.delivery)
            let page = try reader.deliveries(to: "push", outcome: .duplicate, before: list[0].id, limit: 10)
            #expect(page.map(\.id) == [list[1].id])
        }
    }

    @Test(arguments: Engine.allCases)
    func `is not there when its job is refused`(_ engine: Engine) async throws {
        var limits = StoreLimits()
        limits.unfinishedJobsMax = 1
        try await engine.withStore(limits: limits) { store in
            _ = try await store.perform(write(.sample(), keys: [[1]]))
            let second = write(.sample(), keys: [[2]])
            await #expect(throws: JobStoreError.self) { _ = try await store.perform(second) }
            let reader = try store.makeReader()
            #expect(try reader.delivery(second.delivery.id) == nil)
            // So it is no repetition when it comes again.
            let third = write(.sample(), keys: [[2]], job: nil)
            #expect(try await store.perform(third).first == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `signals the job that holds a unique key`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            var job = NewJob.sample()
            job.unique = UniqueClaim(key: "order", onConflict: .reject) { holder in
                CancelRequest(
                    id: holder.id, at: .noon, journal: JournalEntry(at: .noon, path: [], event: .started))
            }
            _ = try await store.perform(write(.sample(), keys: [[1]], job: job))
            let message = JobMessage(by: "hook:push", content: .signal(name: "paid", value: 7))
            let entry = JournalEntry(at: .noon, path: [], event: .message(message))
            var signal = write(.sample(), keys: [[2]], job: nil)
            signal.signal = .init(to: .holder(of: "order"), entry)
            let reply = try await store.perform(signal)
            #expect(reply.posted?.job.id == job.record.id)
            #expect(reply.delivery.job == job.record.id)
            var lost = write(.sample(), keys: [[3]], job: nil)
            lost.signal = .init(to: .holder(of: "another"), entry)
            let other = lost
            await #expect(throws: JobStoreError.self) { _ = try await store.perform(other) }
        }
    }

    @Test(arguments: Engine.allCases)
    func `is removed with its keys when it is old`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            _ = try await store.perform(write(.sample(), keys: [[1]]))
            _ = try await store.perform(write(.sample(at: .noon(100)), keys: [[2]]))
            #expect(try await store.perform(RowSweep(.deliveries, before: .noon(50), limit: 10)) == 1)
            #expect(try await store.perform(write(.sample(at: .noon(200)), keys: [[1]])).first == nil)
            #expect(try await store.perform(write(.sample(at: .noon(200)), keys: [[2]])).first != nil)
        }
    }
}
