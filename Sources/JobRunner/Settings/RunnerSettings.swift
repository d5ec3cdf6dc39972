package import JobKit
package import JobSpec
package import JobStore
package import TraceFormat

/// The limits, times and collaborators of the engine.
package struct RunnerSettings: Sendable {
    package var limits = RunnerLimits()
    package var times = RunnerTimes()
    /// The facts about this server that others are told; nil tells none.
    package var server: ServerRecord?
    /// The secrets and connections of the jobs of a tenant; nil are the jobs without one.
    package var books: @Sendable (Tenant?) -> CallBooks = { _ in CallBooks() }
    /// The digests of signatures, approvals and results; nil refuses signed calls and fails operations that ask for an
    /// approval.
    package var digests: (any MessageDigests)?
    package var origins = RunnerOrigins()
    /// Runs what would hold the loop for too long. Default at once, on the loop.
    package var longWork: any LongWork = WorkAtOnce()
    /// A random number 0…1, which jitters waits.
    package var chance: @Sendable () -> Double = { .random(in: 0...1) }
    /// Creates the jobs that deliver the callbacks of an ended job; nil in place of one that cannot be created. Nil
    /// leaves these ends to a server.
    package var callbacks: (@Sendable (_ ended: JobRecord, any JobReader) throws(JobStoreError) -> [NewJob?])?
    /// The callback URL of a wait of a job; nil when this server has none.
    package var callbackURL: (@Sendable (JobID, CallbackPlace) -> String)?
    /// Makes the jobs of schedules; nil leaves schedules alone.
    package var schedules: ScheduledJobs?
    /// Called at each turn of maintenance.
    package var maintain: @Sendable (_ now: Timestamp) -> Void = { _ in }
    package var notes = RunnerNotes()
    /// Makes spans of jobs; nil makes none.
    package var tracing: RunTracing?
    /// Handles bulk actions; nil disables them.
    package var bulk: BulkRules?
    /// The operation kinds that are not built in.
    package var kinds = OperationKinds.none

    package init() {}
}

/// The limits of the engine.
package struct RunnerLimits: Sendable {
    /// The maximum number of concurrent jobs, 1…100,000. Waiting jobs do not count. Default 512.
    package var concurrency = 512
    /// The maximum number of jobs per claim, which start before the loop looks at its sockets again; four times as many
    /// where claims take long, see `ClaimPace`. Default 64.
    package var claimBatchMax = 64
    /// The maximum number of ended jobs, beyond those that run, whose last update waits for the store.
    package var settlingMax = 2_048
    /// The minimum number of journal entries that a suspended run replaces by a summary, if that halves them. Default
    /// 64.
    package var summaryMin = 64
    /// The maximum size of results that are also shown inside the job. Default 16 KiB.
    package var inlineResultBytesMax = 16 << 10
    /// The limits of the run of one job.
    package var run = RunLimits.standard
}

/// The intervals and periods of the engine.
package struct RunnerTimes: Sendable {
    /// The lease period of this server's claims. Default 60 s.
    package var lease: Duration = .seconds(60)
    /// The minimum wait that suspends a run; shorter waits stay in memory. Default 250 ms.
    package var suspendAfter: Duration = .milliseconds(250)
    /// The lead time by which a job is claimed before its date while less than half of the slots are taken, so that it
    /// starts on its date rather than after the store's answer. At most half of `suspendAfter`, since a job claimed for
    /// a date must not be suspended for it. Zero claims nothing before its date. Default 100 ms.
    package var claimAhead: Duration = .milliseconds(100)
    /// The interval at which the entries of long runs are made durable. Default 50 ms.
    package var flushEvery: Duration = .milliseconds(50)
    /// The longest interval of maintenance: expiry and retention. Default 1 s.
    package var sweepEvery: Duration = .seconds(1)
    /// The pause before the store is queried again after a failure. Default 500 ms.
    package var storeRetry: Duration = .milliseconds(500)
    /// The time after the start at which suspects begin: jobs that may have crashed the process. Default 5 s.
    package var suspectsAfter: Duration = .seconds(5)
    /// The time that a suspect must run to be cleared. Default 60 s.
    package var suspectedFor: Duration = .seconds(60)
}

/// The rules for the origins of calls.
package struct RunnerOrigins: Sendable {
    package var rules = OriginRules.standard
    /// The limits of hosts when they may have changed since the last call; otherwise nil.
    package var changedLimits: @Sendable () -> [String: FlowLimits]? = { nil }
}

/// Takes the spans of jobs.
package struct RunTracing: Sendable {
    let tracer: Tracer
    /// Removes all secret values from spans.
    let scrubber: SecretScrubber

    package init(_ tracer: Tracer, scrubber: SecretScrubber) {
        self.tracer = tracer
        self.scrubber = scrubber
    }
}

/// Receives facts about the work of the engine, for metrics.
package struct RunnerNotes: Sendable {
    /// The time that each claim waited for the store. On any thread.
    package var claim: @Sendable (_ duration: Duration) -> Void = { _ in }
    /// The time from which each job could start until its start. On the loop.
    package var start: @Sendable (_ delay: Duration) -> Void = { _ in }
    /// The outcome of each attempt. On the loop.
    package var attempt: @Sendable (_ outcome: AttemptRecord.Outcome) -> Void = { _ in }
}
