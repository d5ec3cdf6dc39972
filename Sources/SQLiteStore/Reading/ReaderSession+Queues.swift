import JobKit
import JobStore

extension ReaderSession {
    func queues() throws(SQLiteFailure) -> [QueueStanding] {
        var found: [String: QueueStanding] = [:]
        let names = try pageStatement(DispatchQueries.queueNames)
        defer { names.reset() }
        while try names.step() {
            if let name = names.optionalText(0) { found[name] = QueueStanding(name) }
        }
        let running = try pageStatement(DispatchQueries.heldQueues)
        defer { running.reset() }
        while try running.step() {
            found[running.text(0), default: QueueStanding(running.text(0))].running = Int(running.integer(1))
        }
        let ready = try pageStatement(DispatchQueries.readyQueues)
        defer { ready.reset() }
        var total = 0
        while try ready.step() {
            var standing = found[ready.text(0)] ?? QueueStanding(ready.text(0))
            standing.waiting = Int(ready.integer(1))
            standing.oldest = ready.time(2)
            found[ready.text(0)] = standing
            total += standing.waiting
        }
        if total >= 10_000 { for name in found.keys { found[name]?.isAtLeast = true } }
        return found.values.sorted { $0.name < $1.name }
    }
}
