internal import JobKit

/// Forwards the events of a run's tree. It refers to the run by the job's id, so that tree and run do not retain each
/// other.
struct RunSupervisor: TreeSupervisor {
    let host: RunHost
    let id: JobID

    func waitBegan(until date: Timestamp) { host.run(id)?.waitBegan(until: date) }

    func workBeganToAwait() { host.run(id)?.workBeganToAwait() }

    func workAwaited() async { await host.run(id)?.workAwaited() }

    func operationBecameIdle() { host.run(id)?.operationBecameIdle() }
}
