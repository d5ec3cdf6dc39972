internal import JobKit

/// The supervisor of a run's tree. It names the job, so that tree and run do not hold each other.
struct RunSupervisor: TreeSupervisor {
    let host: RunHost
    let id: JobID

    func waitBegan(until date: Timestamp) { host.run(id)?.waitBegan(until: date) }

    func operationBecameIdle() { host.run(id)?.operationBecameIdle() }
}
