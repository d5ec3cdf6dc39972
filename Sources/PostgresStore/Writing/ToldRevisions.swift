import JobKit
import JobStore

// DESIGN
// A server tells of its own commits at once and of those of others when it has read them, so the end of a job that it
// wrote may be told before what another one wrote earlier. Jobs are changed under a lock of their row: what has a lower
// revision was committed before. So a look at the commits of others finds whatever is older than a change that was told
// before the look began, and when it has told of all that it found, that change need not be remembered any more. The
// same holds for an own commit, unless it is still under way.

/// The highest revisions of jobs that observers were told of a moment ago, by which older ones are known.
struct ToldRevisions {
    /// The most jobs that are remembered. Without a look for so many changes, some are missing anyway.
    let jobsMax: Int
    private var recent: [JobID: Int64] = [:]
    /// Those from before the look that goes on.
    private var earlier: [JobID: Int64] = [:]
    /// Whether a commit of this server is under way.
    private var isCommitting = false
    /// Whether it was when the look began.
    private var awaitsCommit = false

    init(jobsMax: Int = 100_000) { self.jobsMax = jobsMax }

    /// The number of jobs that are remembered.
    var count: Int { recent.count + earlier.count }

    /// Marks changes that are older than what was told, and remembers the others.
    /// - Returns: false when too many were to be remembered: then all are forgotten.
    mutating func note(_ changes: inout [JobChange]) -> Bool {
        for place in changes.indices where !changes[place].hasOnlyEntries {
            let id = changes[place].id
            // Nothing follows an erasure.
            let revision = changes[place].state == nil ? .max : changes[place].revision
            if revision < max(recent[id] ?? .min, earlier[id] ?? .min) {
                changes[place].isOutdated = true
            } else {
                recent[id] = revision
            }
        }
        guard count > jobsMax else { return true }
        (recent, earlier) = ([:], [:])
        return false
    }

    /// A commit of this server begins, of which `note` has not been told.
    mutating func beginCommit() { isCommitting = true }

    /// The commit was noted, or was not made.
    mutating func endCommit() { (isCommitting, awaitsCommit) = (false, false) }

    /// A look at the commits of others begins.
    mutating func beginLook() {
        awaitsCommit = isCommitting
        if earlier.isEmpty {
            swap(&earlier, &recent)
        } else {
            earlier.merge(recent) { max($0, $1) }
            recent = [:]
        }
    }

    /// All that the look found was noted.
    /// - Parameter isWhole: whether it found all that had been committed when it began.
    mutating func endLook(isWhole: Bool) {
        if !isWhole || awaitsCommit { return }
        earlier.removeAll(keepingCapacity: earlier.count < 1_000)
    }
}
