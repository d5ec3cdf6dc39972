import JobKit
import JobStore
import StrictJSON
import Testing

extension DeliveryRecord {
    /// A delivery to the hook `push` that came at `time`.
    fileprivate static func sample(at time: Timestamp = .noon, hook: String = "push") -> DeliveryRecord {
        var record = DeliveryRecord(id: DeliveryID(bits: .made(at: time)), hook: hook, .started)
        (record.sender, record.key, record.byteCount) = ("192.0.2.7", "a", 2)
        (record.head, record.body) = (Array("{}".utf8), Array("{\u{0}".utf8))
        return record
    }
}

@Suite struct `A delivery to a hook` {
    private func write(_ record: DeliveryRecord, keys: [[UInt8]], job: NewJob? = .sample()) -> DeliveryWrite {
        var write = DeliveryWrite(record)
        (write.delivery.keys, write.job) = (keys, job)
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
            let other = try await store.perform(write(.sample(hook: "pull"), keys: [[5]]))
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
    func `is found by its id beside others of the same millisecond`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            // Three whose ids differ in their last bits only, and one of the next millisecond.
            let first = JobID.made(at: .noon)
            let ids = (0..<3).map { JobID(high: first.high, low: first.low & ~7 | UInt64($0)) }
            // Two whose bits of the millisecond are 63 apart, the higher one first.
            let low = first.low & ~(7 << 59) ^ 8
            let apart = [
                JobID(high: first.high & ~0xFFF | 7, low: low | 7 << 59),
                JobID(high: first.high & ~0xFFF, low: low),
            ]
            let next = JobID.made(at: .noon.advanced(by: .milliseconds(1)))
            let records = (ids + apart + [next]).enumerated().map {
                place, id in
                var record = DeliveryRecord.sample()
                record.id = DeliveryID(bits: id)
                record.body = [UInt8(place)]
                return record
            }
            for record in records { _ = try await store.perform(write(record, keys: [], job: nil)) }
            let reader = try store.makeReader()
            for record in records { #expect(try reader.delivery(record.id)?.body == record.body) }
            var found: [DeliveryID] = []
            while true {
                let page = try reader.deliveries(to: "push", outcome: nil, before: found.last, limit: 1)
                guard let id = page.first?.id else { break }
                found.append(id)
            }
            #expect(found.count == records.count && Set(found) == Set(records.map(\.id)))
            #expect(found.first == records.last?.id)
            // What is unknown has the place that it would have.
            let behind = DeliveryID(bits: .made(at: .noon.advanced(by: .milliseconds(2))))
            #expect(try reader.deliveries(to: "push", outcome: .started, before: behind, limit: 9).count == 6)
            #expect(try reader.delivery(behind) == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `that was sent again is known by its last replay`(_ engine: Engine) async throws {
        try await engine.withStore { store in
            func replay(at time: Timestamp, isOnce: Bool) async throws -> DeliveryWrite.Reply {
                var write = write(.sample(at: time), keys: [])
                write.replay = .init(key: [9], isOnce: isOnce)
                return try await store.perform(write)
            }
            #expect(try await replay(at: .noon, isOnce: false).isStored)
            let last = try await replay(at: .noon(100), isOnce: false)
            #expect(try await store.perform(RowSweep(.deliveries, before: .noon(50), limit: 10)) == 1)
            let third = try await replay(at: .noon(200), isOnce: true)
            #expect(!third.isStored)
            #expect(third.first?.id == last.delivery.id)
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
