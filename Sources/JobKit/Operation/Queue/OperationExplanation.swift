/// Why an operation is where it is.
public struct OperationExplanation: Sendable, Hashable {
    /// One thing that it waits for.
    public enum Cause: Sendable, Hashable {
        /// Another operation is not finished.
        case dependency(name: String, state: OperationState)
        /// A group is not executed yet.
        case group(name: String)
        /// Its queue is suspended.
        case suspendedQueue(name: String)
        /// It is held.
        case hold
        /// Conditions have not answered.
        case conditions([String])
        /// Another operation holds an exclusive key; so many are in line before it.
        case exclusiveKeys([String], holder: String?, ahead: Int)
        /// Another unfinished operation has its unique key; so many come before it.
        case uniqueKey(String, holder: String, ahead: Int)
        /// All slots of its queue are held; so many get one before it.
        case capacity(Int, ahead: Int)
        /// A date, for the end of a delay or the next attempt; or something lasting that has no date.
        case lasting(OperationWait)
        /// Its members.
        case members([String], more: Int)
        /// Nothing but itself: it is working.
        case itself
        /// Its work was asked to stop and has not stopped.
        case stopping
    }

    /// Its name.
    public let name: String
    /// The names from the root down to it.
    public let path: [String]
    /// Its state.
    public let state: OperationState
    /// When it came into that state.
    public let since: Timestamp
    /// The causes that it waits for; empty when it is over.
    public let causes: [Cause]
}

extension OperationExplanation: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        let words = causes.map(\.description).joined(separator: ", ")
        let place = path.joined(separator: "/")
        return words.isEmpty
            ? "\(place): \(state.rawValue)" : "\(place): \(state.rawValue), waits for \(words)"
    }
}

extension OperationExplanation.Cause: CustomStringConvertible {
    /// A few words for people.
    public var description: String {
        switch self {
        case .dependency(let name, let state): "\(name) (\(state.rawValue))"
        case .group(let name): "its group \(name) to begin"
        case .suspendedQueue(let name): "the suspended queue \(name)"
        case .hold: "somebody to release it"
        case .conditions(let names): "conditions: \(names.joined(separator: ", "))"
        case .exclusiveKeys(let keys, let holder, let ahead):
            "the exclusive key \(keys.joined(separator: ", "))\(Self.place(holder, ahead))"
        case .uniqueKey(let key, let holder, let ahead): "the unique key \(key)\(Self.place(holder, ahead))"
        case .capacity(let capacity, let ahead): "one of \(capacity) slots, \(ahead) ahead"
        case .lasting(let wait): "\(wait.name)\(wait.until.map { " until \($0)" } ?? "")"
        case .members(let names, let more):
            "members: \(names.joined(separator: ", "))\(more > 0 ? " and \(more) more" : "")"
        case .itself: "nothing, it is working"
        case .stopping: "its work to stop"
        }
    }

    private static func place(_ holder: String?, _ ahead: Int) -> String {
        "\(holder.map { " held by \($0)" } ?? ""), \(ahead) ahead"
    }
}

extension AOperationQueue {
    /// The explanations of all unfinished operations; of very many, the first that are found.
    /// - Parameter limit: the most that are explained.
    public func explain(limit: Int = 1_000) -> [OperationExplanation] {
        core.allUnfinished.sorted { $0.submittedAt < $1.submittedAt }.prefix(max(0, limit)).map {
            $0.explanation()
        }
    }
}

extension AOperationHandle {
    /// Why it is where it is.
    public func explain() -> OperationExplanation { core.explanation() }
}
