import CurlHTTP
package import EventIO
import JobHTTP
import JobKit
package import JobRunner
import JobSpec
package import JobStore
import OpenSSLCrypto
import StoreThreads
import Synchronization

// DESIGN
// An engine joins a store, a runner, a loop and a transport. A server builds one around the store and the hooks that it
// chooses (`EngineParts`) and puts HTTP in front; a program starts one on a directory (`start(at:kinds:options:)`) and
// calls it. Nothing here knows of requests, processes or signals.

/// Durable jobs in this process: each job that `submit` has returned runs at least once to its end, also when the
/// process is killed and started again.
///
/// ```swift
/// let jobs = try await JobEngine.start(at: "data", kinds: [thumbnail.kind])
/// let job = try await jobs.submit(thumbnail, Picture(path: "cat.jpg", width: 200))
/// print(try await job.value)
/// await jobs.stop()
/// ```
///
/// An engine has threads of its own, and leaves the process alone: it reads no command line and handles no signals, but
/// for SIGPIPE, which is ignored as every program with sockets needs it. It runs until `stop()`, or until the task of
/// `run()` is cancelled; releasing the last reference does not end it. One engine, or one server, uses a directory at a
/// time.
public final class JobEngine: Sendable {
    package let store: any JobStore
    package let settings: StoredSettings
    package let intake: Intake
    package let runner: JobRunner
    package let loop: EventLoop
    let random = RandomWords()
    let feed = JobFeed()
    private let workers = IdleWorkers()
    /// The transport that this engine made; nil when it was given one.
    private let client: CurlClient?
    let drainTimeout: Duration
    /// The end of the engine, which all callers of `stop` wait for.
    let stopping = Mutex<Task<Void, Never>?>(nil)

    /// Builds an engine that has not begun.
    /// - Parameter drainTimeout: the time that `stop()` gives to running jobs.
    /// - Throws: when the process is out of descriptors or memory.
    package init(_ parts: EngineParts, drainTimeout: Duration = .seconds(30)) throws(EventIOError) {
        store = parts.store
        settings = parts.settings
        intake = parts.intake
        self.drainTimeout = drainTimeout
        loop = try EventLoop(name: "engine", standsBack: true)
        let transport: any Transport
        if let given = parts.transport {
            (client, transport) = (nil, given)
        } else {
            let policy = parts.intake.egress
            let made = CurlClient(
                loop: loop, allows: { address, _ in policy?.verdict(for: address).isAllowed ?? true },
                backpressure: parts.store.artifacts?.backpressure)
            (client, transport) = (made, made)
        }
        runner = JobRunner(
            store: parts.store, transport: transport, loop: loop,
            settings: Self.settings(parts, random, workers), ended: parts.ended, trouble: parts.trouble)
    }

    /// The settings of the runner with what every engine has.
    private static func settings(
        _ parts: EngineParts, _ random: RandomWords, _ workers: IdleWorkers
    ) -> RunnerSettings {
        let stored = parts.settings
        var settings = parts.runner
        settings.longWork = workers
        settings.server?.secretKey = stored.secrets.keyMark
        settings.origins.changedLimits = { [origins = stored.origins] in origins.changedLimits }
        settings.kinds = parts.intake.kinds
        settings.digests = OpenSSLDigests()
        settings.books = { tenant in
            CallBooks(
                secrets: stored.secrets.scoped(to: tenant),
                connections: stored.connections.scoped(to: tenant), scrubber: stored.scrubbers[tenant])
        }
        settings.schedules = schedules(parts, random)
        let rows = RowCare(of: parts.store)
        settings.maintain = { [maintain = parts.runner.maintain] now in
            rows.maintain(at: now)
            maintain(now)
        }
        return settings
    }

    private static func schedules(_ parts: EngineParts, _ random: RandomWords) -> ScheduledJobs {
        let (intake, admit) = (parts.intake, parts.admit)
        return ScheduledJobs(
            make: { spec, tenant, date, reader throws(JobStoreError) in
                let now = SystemClock().now
                let made = try intake.scoped(to: tenant).job(
                    of: spec, for: date, reader: reader, tenant: tenant, now: now, random: random)
                guard let tenant, case .success(let job) = made,
                    let error = admit(job.record.id, tenant, now)
                else { return made }
                return .failure(.init(error.detail, .limit))
            },
            replacing: { job, schedule in
                CancelRequest(
                    of: job, by: "the schedule \(schedule)", reason: "Its next job takes its place.",
                    at: SystemClock().now, code: .cancelledReplaced)
            },
            settled: parts.settled, unmade: parts.unmade)
    }

    /// Connects the runner to what happens in the store. Before `begin`.
    /// - Parameters:
    ///   - missing: called when changes by other servers may be missing from what is observed.
    ///   - expecting: called before a commit can be read; see `CommitFeed`.
    ///   - observe: called first for each commit, on a thread of the store.
    package func connect(
        missing: @escaping @Sendable () -> Void = {},
        expecting: @escaping @Sendable ([JobChange]) -> Void = { _ in },
        observing observe: @escaping @Sendable ([JobChange]) -> Void = { _ in }
    ) {
        store.observeCommits(expecting: expecting) { [runner, feed] changes in
            observe(changes)
            runner.notice(changes)
            feed.observe(changes)
        }
        runner.origins.setLimits(settings.origins.limits, now: SystemClock().now)
        store.observeOpenings { [runner] in runner.noticeOpening(at: $0) }
        store.shared?.observeGaps { [feed] in
            missing()
            feed.lookAgain()
        }
        store.shared?.observeRequests { [runner] in runner.take($0) }
        store.shared?.observeMessages { [runner] in runner.link.observe($0) }
    }

    /// Starts the loop and resumes the jobs that an earlier process left.
    /// - Throws: when the store cannot be written.
    package func begin() async throws(JobStoreError) {
        loop.start()
        try await runner.start()
    }

    /// Closes the store and ends the loop. After the drain of the runner.
    package func close() async {
        await client?.close()
        await runner.release()
        await store.close()
        loop.stop()
        workers.close()
        // The store holds them, and they hold the store.
        store.observeCommits { _ in }
        store.observeOpenings { _ in }
        store.shared?.observeGaps {}
        store.shared?.observeRequests { _ in }
        store.shared?.observeMessages { _ in }
        feed.close()
    }
}
