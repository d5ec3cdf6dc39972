internal import JobKit

/// What the tree of a run reports to: it names its job, so that tree and run do not hold each other.
struct RunSupervisor: TreeSupervisor {
    let host: RunHost
    let id: JobID

    func waitBegan(until date: Timestamp) { host.run(id)?.waitBegan(until: date) }

    func operationBecameIdle() { host.run(id)?.operationBecameIdle() }
}
