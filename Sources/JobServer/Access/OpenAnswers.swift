import JobKit
import Synchronization

// DESIGN
// A stream or a wait was permitted when it was asked for, and may last for days. Each is noted here under its
// credential until it ends. A sign-out and a changed token file have the credentials that they concern looked at again;
// of all expiries only the earliest date is compared, each half second. So an open answer costs nothing while nothing
// changes.

/// The answers that stay open, by the credentials of their requests.
final class OpenAnswers: Sendable {
    /// The proof by which a request was permitted.
    enum Credential: Sendable, Hashable {
        /// The digest of a token.
        case token([UInt8])
        /// The key of a session, and the digest of its token.
        case session([UInt8], token: [UInt8])

        /// That of the token.
        var digest: [UInt8] {
            switch self {
            case .token(let digest), .session(_, let digest): digest
            }
        }
    }

    /// The meaning of a valid credential.
    struct Standing: Sendable {
        var entry: TokenEntry
        /// The time from which it is not valid any more.
        var until: Timestamp
    }

    /// The place of one answer.
    struct Place: Sendable {
        fileprivate let credential: Credential
        fileprivate let number: UInt64
    }

    /// The permission that an answer needs.
    struct Need: Sendable, Hashable {
        /// One of these is enough.
        var scopes: [AccessScope]
        /// The tenant of the token.
        var tenant: String?

        fileprivate func isMet(by entry: TokenEntry) -> Bool {
            entry.tenant == tenant && scopes.contains(where: entry.permits)
        }
    }

    private struct Answer: Sendable {
        var need: Need
        var end: @Sendable () -> Void
    }

    private struct Group {
        var until = Timestamp.never
        var answers: [UInt64: Answer] = [:]
    }

    private struct State {
        var groups: [Credential: Group] = [:]
        /// No credential expires before this.
        var earliest = Timestamp.never

        /// Takes out the answers that a credential does not permit.
        mutating func settle(_ credential: Credential, _ standing: Standing?) -> [Answer] {
            guard var group = groups[credential] else { return [] }
            guard let standing else {
                groups[credential] = nil
                return Array(group.answers.values)
            }
            let ending = group.answers.filter { !$0.value.need.isMet(by: standing.entry) }
            for number in ending.keys { group.answers[number] = nil }
            group.until = standing.until
            earliest = min(earliest, standing.until)
            groups[credential] = group.answers.isEmpty ? nil : group
            return Array(ending.values)
        }
    }

    private let state = Mutex(State())
    private let numbers = Atomic<UInt64>(0)

    /// The number of open answers.
    var count: Int { state.withLock { $0.groups.values.reduce(0) { $0 + $1.answers.count } } }

    /// A place for an answer.
    func place(of credential: Credential) -> Place {
        Place(credential: credential, number: numbers.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// Notes an answer.
    /// - Parameters:
    ///   - standing: what the credential stands for, asked after the answer is noted, so that no change falls between.
    ///   - end: called once when the credential does not permit it any more, from any thread; not after `leave`.
    func enter(
        _ place: Place, needing need: Need, standing: (Credential) -> Standing?,
        end: @escaping @Sendable () -> Void
    ) {
        state.withLock { state in
            state.groups[place.credential, default: Group()].answers[place.number] = Answer(
                need: need, end: end)
        }
        review(place.credential, standing)
    }

    /// Forgets an answer that has ended. From any thread; more than once, too.
    func leave(_ place: Place) {
        state.withLock { state in
            guard state.groups[place.credential]?.answers.removeValue(forKey: place.number) != nil else {
                return
            }
            if state.groups[place.credential]?.answers.isEmpty == true {
                state.groups[place.credential] = nil
            }
        }
    }

    /// Whether a credential may have expired.
    func isDue(at now: Timestamp) -> Bool { state.withLock { $0.earliest <= now } }

    /// Ends the answers that are not permitted any more, of the credentials that `isConcerned` names.
    func review(
        _ isConcerned: (Credential) -> Bool = { _ in true }, standing: (Credential) -> Standing?
    ) {
        let credentials = state.withLock { $0.groups.keys.filter(isConcerned) }
        for credential in credentials { review(credential, standing) }
        state.withLock { $0.earliest = $0.groups.values.reduce(.never) { min($0, $1.until) } }
    }

    private func review(_ credential: Credential, _ standing: (Credential) -> Standing?) {
        // Without the lock, since it takes others.
        let standing = standing(credential)
        let ending = state.withLock { $0.settle(credential, standing) }
        for answer in ending { answer.end() }
    }
}
