internal import JobKit
internal import JobStore

// DESIGN
// A server is the only one of its store, or one of several. Everything in which the two differ for running jobs is
// here: a lease that others may take, messages, work that dead servers left, limits that are divided, and who keeps the
// lines for exclusive keys. The only server needs none of it, and asks for nothing.

/// The other servers of the store, as far as running jobs depends on them.
protocol OtherServers: Sendable {
    /// Whether jobs may run now.
    func mayRun(under lease: LeaseWatch) -> Bool

    /// The transport for the calls of jobs.
    func guarded(_ transport: any Transport, by lease: LeaseWatch) -> any Transport

    /// Before the first lease.
    func begin(_ runner: JobRunner)

    /// Takes over what programs before this one left of exclusive keys. After the first lease.
    func restoreKeys(_ runner: JobRunner, _ reader: any JobReader) async throws(JobStoreError)

    /// Shows this server to the others under its lease.
    func announce(_ runner: JobRunner, as owner: OwnerID) async throws(JobStoreError)

    /// After each renewal of the lease.
    func leaseRenewed(_ runner: JobRunner)

    /// Divides the limits of hosts by the servers that are alive.
    func shareLimits(_ runner: JobRunner, as owner: OwnerID) async

    /// Each time that the runner looks after its parts.
    func keepUp(_ runner: JobRunner)

    /// After the end of a run on this server.
    func runEnded(_ id: JobID, _ runner: JobRunner)

    /// Asks the server that runs a job for its progress, for a while.
    func watch(_ id: JobID, _ runner: JobRunner)

    /// All servers that are alive.
    func servers(_ runner: JobRunner, _ reader: any JobReader) throws(JobStoreError) -> [ServerRecord]

    /// Why an operation waits for exclusive keys; see `RunControl.standing`.
    func standing(
        of path: [String], in id: JobID, for keys: WaitedKeys, _ runner: JobRunner, _ reader: any JobReader
    ) throws(JobStoreError) -> KeyStanding
}

/// No other server uses the store.
struct NoOtherServers: OtherServers {
    func mayRun(under lease: LeaseWatch) -> Bool { true }
    func guarded(_ transport: any Transport, by lease: LeaseWatch) -> any Transport { transport }
    func begin(_ runner: JobRunner) {}
    func announce(_ runner: JobRunner, as owner: OwnerID) {}
    func leaseRenewed(_ runner: JobRunner) {}
    func shareLimits(_ runner: JobRunner, as owner: OwnerID) {}
    func keepUp(_ runner: JobRunner) {}
    func runEnded(_ id: JobID, _ runner: JobRunner) {}
    func watch(_ id: JobID, _ runner: JobRunner) {}

    /// The lines for exclusive keys live in memory and form anew.
    func restoreKeys(_ runner: JobRunner, _ reader: any JobReader) async throws(JobStoreError) {
        let (store, environment) = (runner.store, runner.environment)
        let woken = await Result.awaiting {
            store.wakeAll(key: ExclusiveHold.wakeKey, at: environment.clock.now, reply: $0)
        }
        _ = try woken.get()
        for hold in try reader.holds() {
            environment.exclusion.restore(
                hold.key, to: ExclusionOwner(job: hold.job.description, path: hold.path))
        }
    }

    func servers(_ runner: JobRunner, _ reader: any JobReader) -> [ServerRecord] {
        runner.server.map { [$0] } ?? []
    }

    func standing(
        of path: [String], in id: JobID, for keys: WaitedKeys, _ runner: JobRunner, _ reader: any JobReader
    ) -> KeyStanding {
        let exclusion = runner.environment.exclusion
        let owner = ExclusionOwner(job: id.description, path: path)
        let holder =
            exclusion.holder(before: owner)
            ?? keys.stored.lazy.compactMap { exclusion.holder(of: $0) }.first
        return KeyStanding(
            holder: holder.flatMap { JobID($0.job) }, ahead: exclusion.position(of: owner))
    }
}

/// The servers that share the store.
struct SharingServers: OtherServers {
    let store: any SharedStore

    func mayRun(under lease: LeaseWatch) -> Bool { lease.isHeld }

    func guarded(_ transport: any Transport, by lease: LeaseWatch) -> any Transport {
        LeasedTransport(transport: transport, lease: lease)
    }

    /// Ends the runs by this server's own clock when its lease has ended, answers the other servers, and hears them.
    func begin(_ runner: JobRunner) {
        runner.watchLease()
        let (state, others) = (runner.state, runner.others)
        runner.loans.begin { id in state.withLock { $0.runs[id] } }
        runner.link.on(ServerMessage.granted) { id, body, _ in
            state.withLock { $0.runs[id] }?.keys?.granted(to: body.names)
        }
        runner.link.on(JobProgress.subject) { id, body, _ in
            if let progress = JobProgress(message: body) { others.note(progress, of: id) }
        }
        runner.link.on(OperationCounts.subject) { id, body, _ in
            if let counts = OperationCounts(message: body) { others.note(counts, of: id) }
        }
        runner.link.on(Self.watching) { [weak runner] id, _, _ in
            guard let runner, let run = state.withLock({ $0.runs[id] }) else { return }
            run.watch(until: runner.environment.clock.uptime + OthersProgress.watchedFor)
            Self.tell([run], runner)
        }
    }

    /// Nothing: the store has the lines.
    func restoreKeys(_ runner: JobRunner, _ reader: any JobReader) {}

    func announce(_ runner: JobRunner, as owner: OwnerID) async throws(JobStoreError) {
        guard let server = runner.server, server.id == owner,
            runner.state.withLock({ $0.announced }) != owner
        else { return }
        try await store.perform(ServerAnnouncement(server))
        runner.state.withLock { $0.announced = owner }
    }

    /// Jobs of dead servers may be suspects, and the server that found them may be dead by now.
    func leaseRenewed(_ runner: JobRunner) { runner.suspects.takeMore() }

    func shareLimits(_ runner: JobRunner, as owner: OwnerID) async {
        await runner.sharing.shareLimits(as: owner)
    }

    /// The subject of the messages with which servers ask for the progress of a job.
    private static let watching = "watch"

    func watch(_ id: JobID, _ runner: JobRunner) {
        let isNew = runner.others.watch(id, at: runner.environment.clock.uptime)
        if isNew { runner.link.notify(Self.watching, of: id) }
    }

    /// Tells the other servers how far jobs are that they asked about.
    private static func tell(_ runs: [JobRun], _ runner: JobRunner) {
        let now = runner.environment.clock.uptime
        var messages: [ServerMessage] = []
        for run in runs {
            guard let news = run.news(at: now) else { continue }
            func say(_ subject: String, _ body: [UInt8]?) {
                guard let body else { return }
                messages.append(ServerMessage(.notice, job: run.id, subject: subject, body: body))
            }
            say(JobProgress.subject, news.reported?.message)
            say(OperationCounts.subject, news.operations?.message)
        }
        runner.link.notify(messages)
    }

    /// Tells the other servers what they want to know, and looks for what servers left behind that have died.
    func keepUp(_ runner: JobRunner) {
        Self.tell(runner.state.withLock { Array($0.runs.values) }, runner)
        runner.bulks?.lookAtOthers()
        runner.grants.lookAtOthers()
    }

    /// The registry shows what is held here.
    func runEnded(_ id: JobID, _ runner: JobRunner) {
        runner.environment.exclusion.forget(job: id.description)
    }

    func servers(_ runner: JobRunner, _ reader: any JobReader) throws(JobStoreError) -> [ServerRecord] {
        var servers = try reader.servers(countingJobs: true)
        // Its own number is newer than the one in the store.
        if let this = runner.server, let place = servers.firstIndex(where: { $0.id == this.id }) {
            servers[place].running = this.running
        }
        return servers
    }

    func standing(
        of path: [String], in id: JobID, for keys: WaitedKeys, _ runner: JobRunner, _ reader: any JobReader
    ) throws(JobStoreError) -> KeyStanding { try reader.standing(of: path, in: id, for: keys.named) }
}
