/// The explanation of an operation's state.
public struct OperationExplanation: Sendable, Hashable {
    /// A cause of waiting.
    public enum Cause: Sendable, Hashable {
        /// Another operation is not finished.
        case dependency(name: String, state: OperationState)
        /// A group is not executed yet.
        case group(name: String)
        /// Its queue is suspended.
        case suspendedQueue(name: String)
        /// The operation is held.
        case hold
        /// Conditions have not answered.
        case conditions([String])
        /// Another operation holds an exclusive key; `ahead` operations are before it in line.
        case exclusiveKeys([String], holder: String?, ahead: Int)
        /// Another unfinished operation has its unique key; `ahead` operations come before it.
        case uniqueKey(String, holder: String, ahead: Int)
        /// All slots of its queue are taken; `ahead` operations get one before it.
        case capacity(Int, ahead: Int)
        /// A date, for the end of a delay or the next attempt; or a lasting wait without a date.
        case lasting(OperationWait)
        /// Its members.
        case members([String], more: Int)
        /// It is executing.
        case itself
        /// Its work was cancelled and has not stopped yet.
        case stopping
    }

    /// The display name.
    public let name: String
    /// The names from the root down to it.
    public let path: [String]
    /// Its state.
    public let state: OperationState
    /// The time of the last change of state.
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
        case .hold: "its release"
        case .conditions(let names): "conditions: \(names.joined(separator: ", "))"
        case .exclusiveKeys(let keys, let holder, let ahead):
            "the exclusive key \(keys.joined(separator: ", "))\(Self.place(holder, ahead))"
        case .uniqueKey(let key, let holder, let ahead): "the unique key \(key)\(Self.place(holder, ahead))"
        case .capacity(0, _): "a slot, and the capacity is 0"
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

extension OperationHandle {
    /// Explains its state.
    public func explain() -> OperationExplanation { core.explanation() }
}
