package import JobKit
package import JobSpec
package import JobStore

/// The settings of the engine.
package struct RunnerSettings: Sendable {
    /// The number of jobs that run at once, 1…100,000. Waiting jobs do not count. Default 512.
    package var concurrency = 512
    /// The most jobs that are claimed at once: so many begin before the loop looks at its sockets again.
    /// Default 64.
    package var claimBatchMax = 64
    /// The most jobs beyond those that run that may have ended and wait for the store to take their last update.
    package var settlingMax = 2_048
    /// The time that the jobs of this server stay its own without a renewal. Default 60 s.
    package var lease: Duration = .seconds(60)
    /// A wait at least this long suspends a run; shorter ones stay in memory. Default 250 ms.
    package var suspendAfter: Duration = .milliseconds(250)
    /// The time before its date at which a job is claimed while fewer than half of the jobs run that may, so that it
    /// begins on its date and not when the store has answered. Not more than half of `suspendAfter`, since a job that
    /// is claimed for a date must not be suspended for it. Zero claims nothing before its date. Default 100 ms.
    package var claimAhead: Duration = .milliseconds(100)
    /// From how many entries of a journal on a run that is suspended sums it up, when that halves it. Default 64.
    package var summaryMin = 64
    /// The interval at which the entries of long runs are made durable. Default 50 ms.
    package var flushEvery: Duration = .milliseconds(50)
    /// The interval of upkeep: expiry and retention. Default 1 s.
    package var sweepEvery: Duration = .seconds(1)
    /// The pieces of upkeep that are done at once. Default 200.
    package var sweepBite = 200
    /// The pause before the store is asked again after a failure. Default 500 ms.
    package var storeRetry: Duration = .milliseconds(500)
    /// The time after the start at which suspects begin: jobs that may have ended the process. Default 5 s.
    package var suspectsAfter: Duration = .seconds(5)
    /// For how long such a job runs until it is cleared. Default 60 s.
    package var suspectedFor: Duration = .seconds(60)
    /// Results up to this many bytes are shown inside the job, too. Default 16 KiB.
    package var inlineResultBytesMax = 16 << 10
    /// A collision-resistant digest, as text; nil fails operations that ask for an approval.
    package var digest: (@Sendable ([UInt8]) -> String)?
    /// Secret values by name; nil has none.
    package var vault: (any SecretVault)?
    /// Named places that calls go to; nil has none.
    package var connections: (any ConnectionBook)?
    /// The digests of signatures; nil refuses signed calls.
    package var digests: (any MessageDigests)?
    /// Takes secret values out of everything that is captured.
    package var scrubber = SecretScrubber()
    /// The rules for the origins of calls.
    package var originRules = OriginRules.standard
    /// 0…1, anywhere: how waits are spread.
    package var chance: @Sendable () -> Double = { .random(in: 0...1) }
    /// Makes the jobs that tell of the end of one; what they need to know, the reader says. Nil for one that cannot be
    /// made.
    package var callbacks: @Sendable (_ ended: JobRecord, any JobReader) throws(JobStoreError) -> [NewJob?] =
        { _, _ in [] }
    /// The types of operations that are not built in.
    package var kinds = OperationKinds.none

    /// The defaults.
    package init() {}
}
