package import JobKit

/// One operation of a job spec.
package struct OperationSpec: Sendable, Hashable {
    /// The member for the timeout over all attempts.
    static let timeoutName = "timeouts.total"

    /// Its work.
    package var kind: Kind
    /// The name, unique among its siblings: `[a-z][a-z0-9_-]{0,62}`. Without one in the spec the reader generates it:
    /// the type for a root, type and position from 1 (`network_2`) for a member.
    package var name: String
    /// Siblings that must be finished first: the written `after`, then those that references imply, each once.
    package var after: [AfterEdge] = []
    /// All must hold before the execution.
    package var conditions: [ConditionSpec] = []
    /// When it does not hold the operation is `skipped`.
    package var when: JSONPredicate?
    /// The retry rule. Nil takes the default of its type: `RetrySpec.standard` for calls, one attempt for all others.
    package var retry: RetrySpec?
    /// The limit from execution to end, all attempts included (`timeouts.total`).
    package var timeout: Duration?
    /// The source of each part of its `retry` and `timeouts`, by names such as `timeouts.attempt`; others have their
    /// default.
    package var sources: [String: SettingSource] = [:]
    /// The time before which it does not begin; nil is immediately. At the root the job is `scheduled` until then.
    package var runAt: SpecTime?
    /// The time by which it must have begun; else it ends as `expired`.
    package var startBy: SpecTime?
    /// The time by which it must have ended; else it fails.
    package var finishBy: SpecTime?
    /// Whether its failure fails the group it is in. Default `fail`.
    package var onFailure: OnFailure = .fail
    /// The answers that count as success; for calls.
    package var expect: Expectation?
    package init(kind: Kind, name: String) {
        self.kind = kind
        self.name = name
    }

    init(_ work: some OperationWork, name: String) { self.init(kind: Kind(work), name: name) }

    /// The work of an operation.
    package struct Kind: Sendable, Hashable {
        let work: any OperationWork
        /// Whether there are other operations inside.
        let hasInner: Bool

        init(_ work: some OperationWork) {
            self.work = work
            hasInner = !work.inner.isEmpty || work.copied != nil
        }

        /// The word in the spec's `type`.
        package var type: String { work.type }

        /// Equal when the types and their members are equal.
        package static func == (one: Kind, other: Kind) -> Bool { one.work.isEqual(to: other.work) }

        package func hash(into hasher: inout Hasher) { work.hash(into: &hasher) }
    }

    /// An edge to a sibling.
    package struct AfterEdge: Sendable, Hashable {
        /// The sibling's name.
        package var operation: String
        /// The final states with which it lets the dependant run.
        package var states: EdgeStates
        /// Whether a reference implies it.
        package var isImplied: Bool

        package init(operation: String, states: EdgeStates = .succeeded, isImplied: Bool = false) {
            self.operation = operation
            self.states = states
            self.isImplied = isImplied
        }
    }

    /// The meaning of a failure for the group.
    package enum OnFailure: String, Sendable, Hashable, CaseIterable {
        /// The group fails, too.
        case fail
        /// The group goes on as if it had succeeded.
        case `continue`
    }
}
