import JobStore
import Synchronization

// DESIGN
// Parsing the specs of a batch takes about as long as storing its jobs. So the jobs go to the store in parts, and the
// first are stored while the last are parsed. Parts that meet in one commit group share its fsync.

/// A batch that goes to the store in parts. Confined to one loop.
final class BatchParts {
    /// The number of jobs per part, and the size of their specs at which a part ends.
    private static let size = 20
    private static let bytesMax = 256 << 10
    /// The maximum size of the specs of a batch that is stored in one piece, with the templates that they use: other
    /// writes wait for it.
    static let wholeBytesMax = 24 << 20

    private let store: any SubmissionStore
    private let isWhole: Bool
    private var waiting: [NewJob] = []
    private var bytes = 0
    private let answers = Answers()

    /// Creates an empty batch.
    /// - Parameter isWhole: whether the batch goes to the store in one piece, because the outcome of one job depends on
    ///   the others.
    init(_ store: any SubmissionStore, isWhole: Bool) {
        self.store = store
        self.isWhole = isWhole
    }

    /// Whether the batch is stored in one piece and too large for that.
    var isTooLarge: Bool { isWhole && bytes > Self.wholeBytesMax }

    func add(_ job: consuming NewJob) {
        if !isWhole && (waiting.count == Self.size || bytes >= Self.bytesMax) {
            post(isAtomic: false, isFollowed: true)
        }
        if waiting.isEmpty { waiting.reserveCapacity(Self.size) }
        bytes += job.bytes
        waiting.append(job)
    }

    /// Ends the batch.
    /// - Parameter reply: receives the outcomes of all jobs, in order, once the store has answered all parts; on any
    ///   thread. A failure when no job was stored.
    func end(isAtomic: Bool, reply: @escaping StoreReply<BatchOutcome>) {
        if !waiting.isEmpty || answers.isEmpty { post(isAtomic: isAtomic, isFollowed: false) }
        answers.end(reply)
    }

    private func post(isAtomic: Bool, isFollowed: Bool) {
        let part = answers.expect(waiting.count)
        store.submit(waiting, isAtomic: isAtomic, isFollowed: isFollowed) { [answers] in
            answers.take($0, of: part)
        }
        (waiting, bytes) = ([], 0)
    }
}

extension BatchParts {
    /// The store's answers to the parts.
    private final class Answers: Sendable {
        private struct Part: Sendable {
            let jobs: Int
            var outcome: Result<BatchOutcome, JobStoreError>?
        }

        private struct Standing: Sendable {
            var parts: [Part] = []
            var missing = 0
            var reply: StoreReply<BatchOutcome>?

            /// The reply, once all parts are answered.
            mutating func takeReply() -> StoreReply<BatchOutcome>? {
                guard missing == 0 else { return nil }
                defer { reply = nil }
                return reply
            }
        }

        private let standing = Mutex(Standing())

        var isEmpty: Bool { standing.withLock { $0.parts.isEmpty } }

        func expect(_ jobs: Int) -> Int {
            standing.withLock { standing in
                standing.parts.append(Part(jobs: jobs))
                standing.missing += 1
                return standing.parts.count - 1
            }
        }

        func take(_ outcome: Result<BatchOutcome, JobStoreError>, of part: Int) {
            let reply = standing.withLock { standing in
                standing.parts[part].outcome = outcome
                standing.missing -= 1
                return standing.takeReply()
            }
            reply?(joined)
        }

        func end(_ reply: @escaping StoreReply<BatchOutcome>) {
            let reply = standing.withLock { standing in
                standing.reply = reply
                return standing.takeReply()
            }
            reply?(joined)
        }

        /// The outcome of the whole batch. A failed part fails its jobs; if all parts failed, the batch fails.
        private var joined: Result<BatchOutcome, JobStoreError> {
            let parts = standing.withLock { $0.parts }
            var items: [Result<SubmitOutcome, JobStoreError>] = []
            items.reserveCapacity(parts.reduce(0) { $0 + $1.jobs })
            var refused: [JobStoreError] = []
            for part in parts {
                switch part.outcome {
                case .success(.items(let some)): items += some
                case .success(.keyReused(let holder)): return .success(.keyReused(holder))
                case .failure(let error):
                    refused.append(error)
                    items += repeatElement(.failure(error), count: part.jobs)
                case nil: break
                }
            }
            if let error = refused.first, refused.count == parts.count { return .failure(error) }
            return .success(.items(items))
        }
    }
}
