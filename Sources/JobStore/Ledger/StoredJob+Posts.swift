internal import JobKit

// DESIGN
// Each run of a job reads the posts to it and keeps them, since any operation may ask for an earlier one. So what no
// operation has taken is counted in bytes, in the detail of the job: the entry that says that an operation took a post
// also says how large it was, and the store subtracts it in the same transaction. Holds, releases and decisions are
// small and always taken: they are limited by their number alone.

extension StoredJob {
    /// Counts the size of a post.
    /// - Throws: `.mailboxFull` when the job would have more than `bytesMax` that no operation has taken.
    mutating func weigh(_ post: JobPost, _ bytesMax: Int) throws(JobStoreError) {
        guard case .message(let message) = post.journal.event else { return }
        let size = message.size
        guard size > 0 else { return }
        let untaken = record.detail.untakenBytes + size
        guard untaken <= bytesMax else {
            throw JobStoreError(
                .mailboxFull,
                "Job \(record.id) has \(record.detail.untakenBytes) bytes of signals that no operation has "
                    + "taken, and of added members; with this one it would be more than \(bytesMax), which is "
                    + "the limit for one job. Send it when an operation has taken some, or send a URL of the content."
            )
        }
        record.detail.change { $0.untakenBytes = untaken }
    }

    /// Subtracts what operations took. Returns whether the job changed.
    mutating func noteTaken(in journal: [JournalEntry]) -> Bool {
        guard lastPost > 0 else { return false }
        var taken = 0
        for entry in journal {
            if case .took(_, let bytes) = entry.event { taken += bytes }
        }
        guard taken > 0 else { return false }
        record.detail.change { $0.untakenBytes = max(0, $0.untakenBytes - taken) }
        return true
    }
}

extension StoredJob.Flags {
    /// Requests to callback URLs. Kept until the job is erased.
    package static let callbacks = Self(rawValue: 8_388_608)
    /// Flags that are kept until the job is erased.
    package static let lasting: Self = [
        .approval, .artifact, .unique, .upload, .callbacks, anyCallback, .wakeCount,
    ]
}
