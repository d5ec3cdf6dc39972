internal import Synchronization

/// Records the times of the events of observed operations and of all that they create.
public final class Profiler: OperationObserver {
    private struct Record {
        var profile: OperationProfile
        var children: [Int] = []
        var isRoot = true
    }

    private struct Book {
        var records: [Record] = []
        /// The positions of unfinished operations in the list.
        var open: [ObjectIdentifier: Int] = [:]
    }

    private let book = Mutex(Book())

    /// Nothing observed yet.
    public init() {}

    /// The observed operations, in order of arrival, each with its children.
    public var profiles: [OperationProfile] {
        book.withLock { book in
            book.records.indices.filter { book.records[$0].isRoot }.map { Self.tree($0, book.records) }
        }
    }

    /// Opens a page for the operation.
    public func attached(to operation: OperationInfo) {
        book.withLock { _ = Self.page(of: operation, in: &$0) }
    }

    /// This profiler: children are recorded below their parent.
    public func observer(ofChild child: OperationInfo, of parent: OperationInfo) -> (
        any OperationObserver
    )? {
        book.withLock { book in
            let page = Self.page(of: child, in: &book)
            let parentPage = Self.page(of: parent, in: &book)
            book.records[page].isRoot = false
            book.records[parentPage].children.append(page)
        }
        return self
    }

    /// Records the time of the event.
    public func operation(_ operation: OperationInfo, did event: OperationEvent) {
        book.withLock { book in
            let page = Self.page(of: operation, in: &book)
            book.records[page].profile.note(event)
            if case .finished = event.kind { book.open[operation.id] = nil }
        }
    }

    private static func page(of operation: OperationInfo, in book: inout Book) -> Int {
        if let page = book.open[operation.id] { return page }
        book.records.append(
            Record(profile: OperationProfile(name: operation.name, path: operation.path)))
        let page = book.records.count - 1
        book.open[operation.id] = page
        return page
    }

    private static func tree(_ page: Int, _ records: [Record]) -> OperationProfile {
        var profile = records[page].profile
        profile.children = records[page].children.map { tree($0, records) }
        return profile
    }
}

/// The times of the events of one operation.
public struct OperationProfile: Sendable, Hashable {
    /// The display name.
    public let name: String
    /// The names from below the root down to it.
    public let path: [String]
    /// The time when it was added to its queue.
    public internal(set) var submittedAt: Timestamp?
    /// The time when its execution began; nil when it never did.
    public internal(set) var startedAt: Timestamp?
    /// The start of each attempt.
    public internal(set) var attemptsAt: [Timestamp] = []
    /// The time of the cancellation request.
    public internal(set) var cancelRequestedAt: Timestamp?
    /// The time of its end.
    public internal(set) var finishedAt: Timestamp?
    /// The final state.
    public internal(set) var state: JobState?
    /// The code of its first error; nil without one.
    public internal(set) var errorCode: ErrorCode?
    /// The operations that it created, in order of creation.
    public internal(set) var children: [OperationProfile] = []

    init(name: String, path: [String]) {
        self.name = name
        self.path = path
    }

    /// The time before its execution began.
    public var waited: Duration? {
        guard let submittedAt, let startedAt else { return nil }
        return startedAt.since(submittedAt)
    }

    /// The duration of its execution.
    public var took: Duration? {
        guard let startedAt, let finishedAt else { return nil }
        return finishedAt.since(startedAt)
    }

    mutating func note(_ event: OperationEvent) {
        switch event.kind {
        case .submitted: submittedAt = event.at
        case .started: startedAt = event.at
        case .attemptStarted: attemptsAt.append(event.at)
        case .cancelRequested: cancelRequestedAt = event.at
        case .finished(let ending):
            finishedAt = event.at
            state = ending.state
            errorCode = ending.errors.first?.code
        default: break
        }
    }
}
