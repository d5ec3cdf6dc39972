import JobKit
import JobStore
import Synchronization

// DESIGN
// The store reports every commit, on its own thread; without streams that costs one atomic load. A stream that is for
// one job is found by its id, so that ten thousand waits do not make a commit slower. A stream has no room for more
// than a bounded number of events: one that is not read loses the oldest, and tells how many.
//
// Streams are told while the table is not locked. Waking a task takes the runtime's lock of it; cancelling the task
// calls the end of its stream under that lock, and the end takes the table's.

/// Hands the changes of jobs to the streams of those who observe them.
final class JobFeed: Sendable {
    private typealias Output = AsyncStream<JobEvent>.Continuation

    private struct Table {
        var all: [Int: EventBuffer] = [:]
        var jobs: [JobID: [Int: Output]] = [:]
        /// Those that are told the end alone.
        var ends: [Int: Output] = [:]
        var number = 0
        var isClosed = false

        var isEmpty: Bool { all.isEmpty && jobs.isEmpty }
    }

    private let table = Mutex(Table())
    private let isObserved = Atomic<Bool>(false)
    /// Keeps what is told in order.
    private let telling = Mutex(())

    /// Handles the changes of one commit. From any thread.
    func observe(_ changes: [JobChange]) {
        guard isObserved.load(ordering: .sequentiallyConsistent) else { return }
        telling.withLock { _ in
            let (all, told) = table.withLock { table in
                var told: [(event: JobEvent, outputs: [Output])] = []
                for change in changes where !change.hasOnlyEntries && !change.isOutdated {
                    let outputs = table.jobs[change.id]?.values
                    guard !table.all.isEmpty || outputs != nil else { continue }
                    told.append((JobEvent(change), outputs.map(Array.init) ?? []))
                }
                return (Array(table.all.values), told)
            }
            for (event, outputs) in told {
                for buffer in all { buffer.add(event) }
                for output in outputs { output.yield(event) }
            }
        }
    }

    /// Has those who wait for one job read it again, since changes may be missing.
    func lookAgain() {
        telling.withLock { _ in
            let (all, jobs) = table.withLock { (Array($0.all.values), $0.jobs) }
            for (id, outputs) in jobs {
                let event = JobEvent(JobChange(id: id, state: nil, revision: 0))
                for output in outputs.values { output.yield(event) }
            }
            for buffer in all { buffer.lose() }
        }
    }

    /// The changes of all jobs from now on, until the feed is closed.
    /// - Parameter eventsMax: the room for events that are not read yet.
    func events(eventsMax: Int) -> AsyncStream<JobEvent> {
        let buffer = EventBuffer(eventsMax: eventsMax)
        let number = table.withLock { table -> Int? in
            guard !table.isClosed else { return nil }
            table.number += 1
            table.all[table.number] = buffer
            isObserved.store(true, ordering: .sequentiallyConsistent)
            return table.number
        }
        guard let number else {
            buffer.finish()
            return AsyncStream(unfolding: { nil })
        }
        let end = StreamEnd { [weak self] in
            buffer.finish()
            self?.forget(number)
        }
        return AsyncStream(unfolding: {
            defer { withExtendedLifetime(end) {} }
            return await buffer.next()
        })
    }

    private func forget(_ number: Int) {
        table.withLock { table in
            table.all[number] = nil
            isObserved.store(!table.isEmpty, ordering: .sequentiallyConsistent)
        }
    }

    /// The latest change of one job from now on, until the feed is closed.
    func latest(of id: JobID) -> AsyncStream<JobEvent> {
        stream(1) { table, number, output in
            table.jobs[id, default: [:]][number] = output
        } remove: { table, number in
            table.jobs[id]?[number] = nil
            if table.jobs[id]?.isEmpty == true { table.jobs[id] = nil }
        }
    }

    /// No changes, until the feed is closed.
    func end() -> AsyncStream<JobEvent> {
        stream(1) { table, number, output in
            table.ends[number] = output
        } remove: { table, number in
            table.ends[number] = nil
        }
    }

    /// Ends all streams, present and future.
    func close() {
        let (outputs, buffers) = table.withLock { table in
            let outputs = table.jobs.values.flatMap(\.values) + Array(table.ends.values)
            let buffers = Array(table.all.values)
            table = Table(isClosed: true)
            return (outputs, buffers)
        }
        for output in outputs { output.finish() }
        for buffer in buffers { buffer.finish() }
    }

    private func stream(
        _ eventsMax: Int, add: (inout Table, Int, Output) -> Void,
        remove: @escaping @Sendable (inout Table, Int) -> Void
    ) -> AsyncStream<JobEvent> {
        let (stream, output) = AsyncStream<JobEvent>.makeStream(bufferingPolicy: .bufferingNewest(eventsMax))
        let number = table.withLock { table -> Int? in
            guard !table.isClosed else { return nil }
            table.number += 1
            add(&table, table.number, output)
            isObserved.store(!table.isEmpty, ordering: .sequentiallyConsistent)
            return table.number
        }
        guard let number else {
            output.finish()
            return stream
        }
        output.onTermination = { [weak self] _ in
            self?.table.withLock { table in
                remove(&table, number)
                self?.isObserved.store(!table.isEmpty, ordering: .sequentiallyConsistent)
            }
        }
        return stream
    }
}
