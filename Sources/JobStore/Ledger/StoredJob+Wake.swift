package import JobKit

// DESIGN
// A wake of a job that runs raises `posts`: a server with a copy of the job notices that. But it is no post: posts
// are limited, and have numbers without gaps, by which a run knows what it has not seen. So `posts` less the wakes is
// the number of the last post, and a flag says that the run may have looked before the wake, whatever posts it has seen
// since.

extension StoredJob.Flags {
    /// Not a row: the job was woken since its claim. Cleared with the claim.
    package static let woken = Self(rawValue: 2_097_152)
    /// Not flags: the upper half of the bits is the number of wakes in `posts`. Kept until the job is erased.
    package static let wakeCount = Self(rawValue: Int64(Int32.max) << 32)
}

extension StoredJob {
    /// The number of the last post; see `PostReceipt`.
    package var lastPost: Int64 { posts - (flags.rawValue >> 32) }

    /// Whether its run, which has seen the posts up to this one, must look again.
    func hasNews(after postsSeen: Int64) -> Bool { lastPost > postsSeen || flags.contains(.woken) }

    /// Notes a wake while the job runs.
    mutating func noteWake() {
        posts += 1
        let one: Int64 = 1 << 32
        flags = Flags(rawValue: flags.rawValue + one).union(.woken)
    }
}

extension JobState {
    /// Whether a job in this state is suspended and can be woken.
    package var isSuspended: Bool { self == .waiting || self == .retrying || self == .pending }

    /// Whether `JobRecord.dueAt` is meaningful in this state.
    package var hasDueTime: Bool {
        switch self {
        case .scheduled, .waiting, .retrying, .pending, .held: true
        default: false
        }
    }
}
