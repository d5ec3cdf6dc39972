import JobKit

// DESIGN
// A job that crashes the process does so again at each start, and takes all others down with it. Crashes are counted on
// the jobs that were running: after the second one without any progress between, a job is suspected. Suspects are
// claimed apart from the others, a few at a time, down to one that runs as the only suspect; when the process crashes
// twice then, too, the job is claimed again, marked, to be failed without being run. Progress, a wait or an end
// clears a job, and so does running for a while as a suspect: a server that is killed often fails no harmless job.

extension StoredJob.Flags {
    /// Not a row: the process crashed once while the job ran, and the job has made no progress since.
    package static let crashed = Self(rawValue: 65_536)
    /// Not a row: that happened twice, so that the job is claimed only as a suspect.
    package static let suspect = Self(rawValue: 131_072)
    /// Not a row: the job was the only suspect of a claim.
    package static let alone = Self(rawValue: 262_144)
    /// Not a row: the process crashed once while the job was the only suspect.
    package static let deadlyAlone = Self(rawValue: 524_288)
    /// All flags about crashes.
    package static let crashes: Self = [.crashed, .suspect, .alone, .deadlyAlone]
}

extension StoredJob {
    /// Whether the job waits to be claimed as a suspect.
    package var isSuspect: Bool {
        record.state == .queued && readyAt == nil && flags.isSuperset(of: .suspect) && !flags.contains(.alone)
    }

    /// Whether the process crashed twice although no other suspect ran, so that the job must not run again.
    package var hasEndedProcess: Bool { flags.contains(.alone) }

    /// Counts a crash of the process while the job ran.
    package mutating func noteCrash() {
        if flags.contains(.alone) {
            if flags.contains(.deadlyAlone) { return }
            flags.remove(.alone)
            flags.insert(.deadlyAlone)
        }
        if flags.contains(.crashed) {
            flags.insert(.suspect)
            readyAt = nil
        }
        flags.insert(.crashed)
    }

    /// Clears the job of crashes when its run has made progress.
    package mutating func noteProgress(in update: RunUpdate) {
        if update.hasStanding { _ = noteTaken(in: update.journal) }
        guard !flags.isDisjoint(with: .crashes) else { return }
        if update.isProof || update.hasStanding || update.journal.contains(where: \.isProgress) {
            flags.subtract(.crashes)
        }
    }

    /// The number of suspects per claim: an eighth, so that few claims find the culprit.
    package static func suspectsAtOnce(of count: Int) -> Int { max(1, count / 8) }
}

extension JournalEntry {
    /// Whether the event records work that need not be repeated.
    fileprivate var isProgress: Bool {
        switch event {
        case .attemptFinished(let record): record.outcome != .interrupted
        case .finished: true
        default: false
        }
    }
}
