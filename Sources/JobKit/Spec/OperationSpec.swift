public import HTTPMessage

/// One operation of a job spec.
public struct OperationSpec: Sendable, Hashable {
    /// What it does.
    public var kind: Kind
    /// Its name, unique among its siblings: `[a-z][a-z0-9_-]{0,62}`. When the spec gives none the reader makes
    /// one: the type for a root, type and position from 1 (`network_2`) for a member.
    public var name: String
    /// Siblings that must be finished first: the written `after`, then those that references imply, each once.
    public var after: [AfterEdge] = []
    /// All must hold before it is executed.
    public var conditions: [ConditionSpec] = []
    /// A gate: when false the operation is `skipped`.
    public var when: Predicate?
    /// How often and when it is tried again. Nil takes the default of its type: `RetrySpec.standard` for calls,
    /// one attempt for everything else.
    public var retry: RetrySpec?
    /// The most time from execution to end, all attempts included (`timeouts.total`).
    public var timeout: Duration?
    /// Who says what of its `retry` and `timeouts`, by names such as `timeouts.attempt`; what is not there has its
    /// default.
    public var sources: [String: SettingSource] = [:]
    /// By when it must have ended, counted from the submission of the job.
    public var deadline: Deadline?
    /// Whether its failure fails the group it is in. Default `fail`.
    public var onFailure: OnFailure = .fail
    /// What an answer must be like to count as success; for calls.
    public var expect: Expectation?
    /// What a delay hands on as its result when it is over; nil is nothing.
    public var input: Binding?

    /// An operation.
    public init(kind: Kind, name: String) {
        self.kind = kind
        self.name = name
    }

    /// What an operation does.
    public indirect enum Kind: Sendable, Hashable {
        case network(NetworkSpec)
        case download(DownloadSpec)
        case delay(DelaySpec)
        case group(GroupSpec)
        case value(Binding)
        case await(AwaitSpec)
        case custom(CustomSpec)
        case map(MapSpec)
        case gate(GateSpec)
        case wrapper(WrapperSpec)
        case `repeat`(RepeatSpec)
        case poll(PollSpec)
        case notify(NotifySpec)

        /// The word in the spec's `type`.
        public var type: String {
            switch self {
            case .network: "network"
            case .download: "download"
            case .delay: "delay"
            case .group: "group"
            case .value: "value"
            case .await: "await"
            case .custom(let work): work.type
            case .map: "map"
            case .gate: "gate"
            case .wrapper: "wrapper"
            case .repeat: "repeat"
            case .poll: "poll"
            case .notify: "notify"
            }
        }
    }

    /// An edge to a sibling.
    public struct AfterEdge: Sendable, Hashable {
        /// The sibling's name.
        public var operation: String
        /// When the edge lets the dependant run.
        public var on: EdgeRequirement
        /// Whether nobody wrote it: a reference brought it about.
        public var isImplied: Bool

        /// An edge.
        public init(operation: String, on: EdgeRequirement = .succeeded, isImplied: Bool = false) {
            self.operation = operation
            self.on = on
            self.isImplied = isImplied
        }
    }

    /// By when an operation must have ended.
    public enum Deadline: Sendable, Hashable {
        /// A date.
        case at(Timestamp)
        /// From the submission of the job.
        case after(Duration)
    }

    /// What a failure means for the group.
    public enum OnFailure: String, Sendable, Hashable, CaseIterable {
        /// The group fails, too.
        case fail
        /// The group goes on as if it had succeeded.
        case `continue`
    }
}

/// When an edge between two operations lets the dependant run.
public enum EdgeRequirement: String, Sendable, Hashable, CaseIterable {
    /// Only when the other one succeeded (the default).
    case succeeded
    /// However the other one ended.
    case finished
    /// Only when the other one failed.
    case failed
}

/// Waits.
public enum DelaySpec: Sendable, Hashable {
    /// For a duration from the start of its execution; at most 366 days.
    case `for`(Duration)
    /// Until a date; a past one is over at once.
    case until(Timestamp)
    /// For a duration from the submission of the job (`"for": …, "from": "submission"`).
    case sinceSubmission(Duration)
}

/// Runs other operations.
public struct GroupSpec: Sendable, Hashable {
    /// The members, in the order of the spec.
    public var operations: [OperationSpec]
    /// How many members run at once; nil is no limit.
    public var concurrency: Int?
    /// Whether each member waits for the one before it and needs its success, unless that one says
    /// `on_failure: "continue"`.
    public var ordered = false
    /// Whether the members are stopped as soon as the group cannot succeed any more.
    public var failFast = false
    /// When it succeeds.
    public var completion = GroupCompletion.all
    /// Run at the very end, whatever became of the others and also when the group is stopped.
    public var finals: [OperationSpec] = []
    /// Makes one member for each element of a list; there are no other members, then.
    public var each: EachSpec?

    /// A group.
    public init(operations: [OperationSpec]) { self.operations = operations }
}

/// One member of a group for each element of a list. The members are called `1`, `2`, …, in the order of the list.
public struct EachSpec: Sendable, Hashable {
    /// The most elements that there can be: 10,000.
    public static let itemsMax = 10_000
    /// The note under which the list is kept, so that a rebuilt group has the same members.
    static let itemsNote = "$items"

    /// The list.
    public var items: Binding
    /// What `$item` calls an element from inside of other maps (`as`). Default `item`.
    public var name = "item"
    /// What is done with an element.
    public var operation: OperationSpec
    /// The most elements that the list may have, 1…10,000.
    public var itemsMax = EachSpec.itemsMax

    /// `operation` for each of `items`.
    public init(items: Binding, operation: OperationSpec) {
        self.items = items
        self.operation = operation
    }
}

/// What an answer must be like.
public struct Expectation: Sendable, Hashable {
    /// Accepted statuses: exact numbers and classes; empty means 2xx.
    public var statuses: [ClosedRange<Int>] = []
    /// The media types that may come; empty takes any. `*` stands for any type or subtype, `*+json` for any subtype
    /// that ends so; parameters that are written must be there, others may.
    public var contentTypes: [MediaType] = []
    /// What must hold of the result document.
    public var that: Predicate?

    /// Any 2xx.
    public init() {}
}
