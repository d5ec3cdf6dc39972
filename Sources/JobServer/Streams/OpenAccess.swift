import Synchronization

/// The permission of one answer that stays open: a stream, a wait, a long download.
final class OpenAccess: Sendable {
    private let isRefused = Atomic(false)
    private let gate: TokenGate
    private let place: OpenAnswers.Place
    private let need: OpenAnswers.Need
    private let reason: @Sendable () -> Problem

    /// - Parameter reason: tells why the request would be refused now.
    init(
        _ gate: TokenGate, _ credential: OpenAnswers.Credential, needing need: OpenAnswers.Need,
        reason: @escaping @Sendable () -> Problem
    ) {
        self.gate = gate
        place = gate.open.place(of: credential)
        self.need = need
        self.reason = reason
    }

    /// Calls `refused` once when the permission has ended: soon, if it has already. From any thread.
    func watch(_ refused: @escaping @Sendable () -> Void) {
        gate.open.enter(place, needing: need, standing: { gate.standing(of: $0) }) { [self] in
            isRefused.store(true, ordering: .relaxed)
            refused()
        }
    }

    /// Whether the permission has ended, as far as it was watched.
    var hasEnded: Bool { isRefused.load(ordering: .relaxed) }

    /// Ends the watch, with the answer. More than once, too.
    func leave() { gate.open.leave(place) }

    /// The reason why the request would be refused now.
    var problem: Problem { reason() }
}
