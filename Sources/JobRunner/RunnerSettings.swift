package import JobKit
package import JobStore

/// How the engine works.
package struct RunnerSettings: Sendable {
    /// How many jobs run at once, 1…100,000. Waiting jobs do not count. Default 512.
    package var concurrency = 512
    /// How many jobs are claimed at once at most: so many begin before the loop looks at its sockets again.
    /// Default 64.
    package var claimBatchMax = 64
    /// How many more jobs may have ended and wait for the store to take their last word.
    package var settlingMax = 2_048
    /// How long a claim holds without being renewed. Default 60 s.
    package var lease: Duration = .seconds(60)
    /// The name of this server in claims.
    package var owner = "jobserver"
    /// A wait at least this long suspends a run; shorter ones stay in memory. Default 250 ms.
    package var suspendAfter: Duration = .milliseconds(250)
    /// How long before its date a job is claimed while fewer than half of the jobs run that may, so that it begins on
    /// its date and not when the store has answered. Not more than half of `suspendAfter`, since what is claimed for a
    /// date must not be suspended for it. Zero claims nothing before its date. Default 100 ms.
    package var claimAhead: Duration = .milliseconds(100)
    /// From how many entries of a journal on a run that is suspended sums it up, when that halves it. Default 64.
    package var summaryMin = 64
    /// How often the notes of runs that take long are made durable. Default 50 ms.
    package var flushEvery: Duration = .milliseconds(50)
    /// How often upkeep is done: expiry and retention. Default 1 s.
    package var sweepEvery: Duration = .seconds(1)
    /// How many pieces of upkeep are done in one bite. Default 200.
    package var sweepBite = 200
    /// How long to wait before the store is asked again after trouble. Default 500 ms.
    package var storeRetry: Duration = .milliseconds(500)
    /// How long after the start jobs that are suspected of having ended the process begin to be run. Default 5 s.
    package var suspectsAfter: Duration = .seconds(5)
    /// For how long such a job runs until it is cleared. Default 60 s.
    package var suspectedFor: Duration = .seconds(60)
    /// Results up to this many bytes are shown inside the job, too. Default 16 KiB.
    package var inlineResultBytesMax = 16 << 10
    /// A digest that nobody can find another text for, as text; nil fails operations that ask for an approval.
    package var digest: (@Sendable ([UInt8]) -> String)?
    /// Secret values by name; nil has none.
    package var vault: (any SecretVault)?
    /// Named places that calls go to; nil has none.
    package var connections: (any ConnectionBook)?
    /// What signatures are made of; nil refuses calls that are signed.
    package var digests: (any MessageDigests)?
    /// What takes secret values out of everything that is captured.
    package var scrubber = SecretScrubber()
    /// How the other sides of calls are treated.
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
