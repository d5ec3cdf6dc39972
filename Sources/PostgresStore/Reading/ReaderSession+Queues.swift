import JobKit
import JobSpec
import JobStore

extension ReaderSession: QueueView {
    /// The queues with a configuration or a line, as a gate that knows all their jobs.
    func gate(of queue: String?, now: Timestamp) throws(PostgresFailure) -> QueueGate {
        var gate = QueueGate()
        var names: Set<String> = []
        for record in try tables.settings.all(.queue) where queue == nil || record.name == queue {
            gate.configure(record.name, QueueSpec(record), running: [])
            names.insert(record.name)
        }
        for (line, count, head) in try tables.queues.lines(of: queue) {
            gate.restore(line, count: count, head: head)
            names.insert(line.queue)
        }
        for running in try tables.queues.running(in: names.sorted()) {
            gate.restore(running: running.count, of: running.queue, key: running.key)
        }
        for (name, state) in try tables.queues.rates(after: now) where names.contains(name.queue) {
            gate.restore(state, of: name.queue, key: name.key)
        }
        return gate
    }

    func standing(of id: JobID, now: Timestamp) throws(PostgresFailure) -> QueuedJob? {
        guard let job = try tables.jobs.read([id]).first?.job, job.isInLine, let place = job.place else {
            return nil
        }
        return try gate(of: job.record.queue, now: now).standing(of: job.line, place, now: now) {
            line throws(PostgresFailure) in
            try tables.queues.count(of: line, before: place)
        }
    }

    func queues() throws(PostgresFailure) -> [QueueStanding] {
        let schema = connection.address.schema
        var found: [String: QueueStanding] = [:]
        func next(_ filter: String) -> String {
            """
            SELECT queue FROM \(schema).job WHERE queue <> 'default'\(filter) ORDER BY queue LIMIT 1
            """
        }
        let names = try connection.run(
            LeapQuery.sql(first: next(""), next: next(" AND queue > leap.value")))
        for row in 0..<names.count { found[names.text(row, 0)] = QueueStanding(names.text(row, 0)) }
        let running = try connection.run(
            """
            SELECT job.queue, count(*) FROM \(schema).ticket JOIN \(schema).job ON job.id = ticket.id \
            WHERE ticket.owner IS NOT NULL GROUP BY job.queue
            """)
        for row in 0..<running.count {
            let name = running.text(row, 0)
            found[name, default: QueueStanding(name)].running = Int(running.integer(row, 1))
        }
        let ready = try connection.run(
            """
            SELECT job.queue, count(*), min(first.ready_at) FROM ((SELECT id, ready_at FROM \(schema).ticket \
            WHERE ready_at IS NOT NULL AND tenant IS NULL ORDER BY priority DESC, ready_at, number \
            LIMIT \(Self.readyMax)) UNION ALL (SELECT id, ready_at FROM \(schema).ticket WHERE ready_at IS NOT NULL \
            AND tenant IS NOT NULL ORDER BY tenant, priority DESC, ready_at, number LIMIT \(Self.readyMax))) AS first \
            JOIN \(schema).job ON job.id = first.id GROUP BY job.queue
            """)
        var total = 0
        for row in 0..<ready.count {
            let name = ready.text(row, 0)
            found[name, default: QueueStanding(name)].waiting = Int(ready.integer(row, 1))
            found[name]?.oldest = ready.time(row, 2)
            total += Int(ready.integer(row, 1))
        }
        if total >= Self.readyMax { for name in found.keys { found[name]?.isAtLeast = true } }
        return found.values.sorted { $0.name < $1.name }
    }

    /// The maximum number of jobs that are counted among all others.
    private static let readyMax = 10_000
}
