import Synchronization

// DESIGN
// An answer is in memory until its client has read it, and a client that does not read is disconnected only after a
// while. So long answers take their memory from one budget and give it back when they have been sent or dropped: `hold`
// goes with the bytes through the connection. As with event streams, a caller may have half of what the others leave.
// From a quarter of the budget on, callers without a share left are refused before anything is read for them.

/// The memory of long answers that clients have not read yet.
final class AnswerMemory: Sendable {
    /// Shorter answers are not counted.
    static let bytesMin = 16 << 10
    /// The size of all counted answers together, apart from a single one that is larger: 256 MiB.
    static let bytesMax = 256 << 20

    private struct State {
        var bytes = 0
        /// The answers of each owner that has any.
        var owned: [StreamOwner: (bytes: Int, answers: Int)] = [:]
    }

    /// The outcome of an attempt to take memory.
    enum Verdict {
        case taken(Hold)
        case refused(Problem)
    }

    /// The memory of one answer, free again when this is released.
    final class Hold: Sendable {
        private let memory: AnswerMemory
        private let count: Int
        private let owner: StreamOwner

        fileprivate init(_ memory: AnswerMemory, _ count: Int, _ owner: StreamOwner) {
            self.memory = memory
            self.count = count
            self.owner = owner
        }

        deinit { memory.giveBack(count, owner) }
    }

    private let bytesMax: Int
    private let state = Mutex(State())
    private let held = Atomic<Int>(0)

    /// - Parameter bytesMax: the size of all answers together.
    init(bytesMax: Int = AnswerMemory.bytesMax) { self.bytesMax = bytesMax }

    /// The size of the answers that are held.
    var bytes: Int { held.load(ordering: .relaxed) }

    /// Whether so much is held that a caller may have no share left.
    var isTight: Bool { bytes >= bytesMax / 4 }

    /// The refusal of a caller without a share left; nil when there is some.
    func problem(for owner: StreamOwner) -> Problem? {
        state.withLock { refusal($0, 1, owner) }
    }

    /// Takes the memory of an answer.
    /// - Parameter always: whether it is taken even when there is none left.
    func take(_ count: Int, for owner: StreamOwner, always: Bool = false) -> Verdict {
        let problem = state.withLock { state -> Problem? in
            if !always, let problem = refusal(state, count, owner) { return problem }
            let own = state.owned[owner] ?? (0, 0)
            state.owned[owner] = (own.bytes + count, own.answers + 1)
            state.bytes += count
            held.store(state.bytes, ordering: .relaxed)
            return nil
        }
        return problem.map { .refused($0) } ?? .taken(Hold(self, count, owner))
    }

    private func giveBack(_ count: Int, _ owner: StreamOwner) {
        state.withLock { state in
            state.bytes -= count
            held.store(state.bytes, ordering: .relaxed)
            guard let own = state.owned[owner] else { return }
            state.owned[owner] = own.answers > 1 ? (own.bytes - count, own.answers - 1) : nil
        }
    }

    private func refusal(_ state: State, _ count: Int, _ owner: StreamOwner) -> Problem? {
        let own = state.owned[owner]?.bytes ?? 0
        let left = bytesMax - (state.bytes - own)
        if own > 0, own + count > left / 2 {
            return Problem(
                .clientLimited,
                "Answers to you of \(own >> 10) KiB have not been read, half of what others leave. Read them, or close "
                    + "their connections, before you ask for more.")
        }
        guard state.bytes == 0 || count <= bytesMax - state.bytes else {
            return Problem(
                .overloaded,
                "Answers of \(state.bytes >> 20) MiB wait for clients to read them, which is the limit. Nothing is "
                    + "wrong with the request; send it again later.")
        }
        return nil
    }
}
