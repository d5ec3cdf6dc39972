import JobKit

// DESIGN
// A job that ends the process does so again at each start, and takes all others with it. What ran when the process died
// is counted with the job: after the second death without any progress between, it is suspected. Suspects are not
// claimed with others but a few at a time, down to one that runs as the only suspect; when the process dies twice then,
// too, the job is handed out once more, marked, to be ended without being run. Progress, a wait and an end clear a job,
// and so does running for a while as a suspect: a server that is killed often fails no harmless job.

extension StoredJob.Flags {
    /// No row: the process died once while it ran, and it has made no progress since.
    package static let crashed = Self(rawValue: 65_536)
    /// No row: that happened twice, so that it is claimed as a suspect only.
    package static let suspect = Self(rawValue: 131_072)
    /// No row: it was the only suspect of a claim.
    package static let alone = Self(rawValue: 262_144)
    /// No row: the process died once while it was the only suspect.
    package static let deadlyAlone = Self(rawValue: 524_288)
    /// All that is known of crashes.
    package static let crashes: Self = [.crashed, .suspect, .alone, .deadlyAlone]
}

extension StoredJob {
    /// Whether it waits to be claimed as a suspect.
    package var isSuspect: Bool {
        record.state == .queued && readyAt == nil && flags.isSuperset(of: .suspect) && !flags.contains(.alone)
    }

    /// Whether the process died twice although no other suspect ran, so that it is not to be run again.
    package var hasEndedProcess: Bool { flags.contains(.alone) }

    /// Counts that the process died while it ran.
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

    /// Clears it of crashes when its run has come further.
    package mutating func noteProgress(in update: RunUpdate) {
        guard !flags.isDisjoint(with: .crashes) else { return }
        if update.isProof || update.standing != nil || update.journal.contains(where: \.isProgress) {
            flags.subtract(.crashes)
        }
    }

    /// The number of suspects that are claimed at once: an eighth, so that few claims find the one.
    package static func suspectsAtOnce(of count: Int) -> Int { max(1, count / 8) }
}

extension JournalEntry {
    /// Whether something was done that need not be done again.
    fileprivate var isProgress: Bool {
        switch event {
        case .attemptFinished(let record): record.outcome != .interrupted
        case .finished: true
        default: false
        }
    }
}
