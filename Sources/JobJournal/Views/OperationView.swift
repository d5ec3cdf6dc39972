package import JobKit
package import JobSpec
internal import StrictJSON

/// One operation of a job as shown, from its spec and its journal.
package struct OperationView: Sendable, Hashable {
    /// The names below the root; empty for the root.
    package var path: [String]
    package var name: String
    package var type: String
    package var state: JobState
    /// The number of the last attempt; 0 when there was none.
    package var attempt: Int
    /// The start of its execution.
    package var startedAt: Timestamp?
    package var finishedAt: Timestamp?
    /// The current wait, in `pending`, `waiting` and `retrying`.
    package var wait: OperationWait?
    /// The start of that wait.
    package var waitingSince: Timestamp?
    /// The result, except for the root, whose result is stored separately.
    package var result: OperationResult?
    package var errors: [AOperationError]
    /// The finished attempts.
    package var attempts: [AttemptRecord]
    /// The attempt in flight.
    package var openAttempt: OperationHistory.OpenAttempt?
    /// The names of the siblings that it follows, as far as they were asked for.
    package var predecessors: [String] = []
    /// Whether it was run in an earlier try only, or is inside of such a run of a repetition.
    var isOfEarlierTry = false
    /// Whether it is a repetition that starts over in each try.
    var startsOver = false
}

extension JournalFold {
    /// All operations of a job, each group before its members, in the order of the spec.
    package func views(spec: JobSpec, jobState: JobState) -> [OperationView] {
        var fold = self
        fold.beginAnew(in: spec.operation)
        var collector = ViewCollector(fold: fold, copies: fold.copies(of: spec.operation))
        collector.collect(spec.operation, path: [], inside: nil, jobState: jobState)
        return collector.views
    }
}

/// Collects the views of a job, from the root down.
private struct ViewCollector {
    let fold: JournalFold
    let copies: [[String]: Int]
    var views: [OperationView] = []

    init(fold: JournalFold, copies: [[String]: Int]) {
        self.fold = fold
        self.copies = copies
    }

    /// Adds an operation and everything inside.
    /// - Parameters:
    ///   - outer: the enclosing operation; nil for the root.
    ///   - jobState: the state of the job, which is the root's.
    mutating func collect(
        _ operation: OperationSpec, path: [String], inside outer: OperationView?, jobState: JobState
    ) {
        let count = operation.copied == nil ? 0 : copies[path] ?? 0
        let maker = ViewMaker(fold: fold, rootName: views.first?.name ?? operation.name, jobState: jobState)
        // Operations inside a waiting repetition use the wait as recorded.
        let view = maker.view(of: operation, path: path, inside: outer)
        views.append(maker.settled(view, copies: count))
        for member in operation.members {
            collect(member, path: path + [member.name], inside: view, jobState: jobState)
        }
        guard let copied = operation.copied, count > 0 else { return }
        let isPart = fold.histories[path]?.isEndedPart ?? false
        for number in 1..<(count + 1) {
            let inner = path + [String(number)]
            // Of a forgotten part, only members that failed are known.
            if isPart, fold.histories[inner] == nil { continue }
            collect(copied, path: inner, inside: view, jobState: jobState)
        }
    }
}

/// Makes the views of single operations.
package struct ViewMaker {
    private let fold: JournalFold
    private let rootName: String
    private let jobState: JobState

    /// - Parameters:
    ///   - fold: the state of the shown operations and of the enclosing ones.
    ///   - rootName: the name of the root operation.
    ///   - jobState: the state of the job, which is the root's.
    package init(fold: JournalFold, rootName: String, jobState: JobState) {
        self.fold = fold
        self.rootName = rootName
        self.jobState = jobState
    }

    /// The view of an operation, before `settled`.
    /// - Parameter outer: the enclosing operation; nil for the root.
    package func view(
        of operation: OperationSpec, path: [String], inside outer: OperationView?
    ) -> OperationView {
        let history = fold.histories[path] ?? OperationHistory()
        let isNotNeeded = outer.map { $0.isOfEarlierTry || isRunOfEarlierTry(history, inside: $0) } ?? false
        let state =
            isNotNeeded ? .skipped : outer.map { Self.state(of: history, inside: $0.state) } ?? jobState
        var view = OperationView(
            path: path, name: operation.name, type: operation.kind.type,
            state: state == .running && jobState.isResting ? jobState : state,
            attempt: history.lastAttempt,
            startedAt: history.startedAt, finishedAt: history.finishedAt,
            wait: history.wait, waitingSince: history.wait.flatMap { history.waitingSince[ByteKey($0.name)] },
            result: isNotNeeded ? nil : history.ending?.result, errors: history.ending?.errors ?? [],
            attempts: history.attempts,
            openAttempt: history.openAttempt)
        view.isOfEarlierTry = isNotNeeded
        view.startsOver = operation.isRepeatedUntil
        if history.ending == nil || isNotNeeded, let outer, outer.state.isFinal {
            view.errors = [reason(for: view, inside: outer, isNotNeeded)]
            view.finishedAt = outer.finishedAt
            (view.wait, view.waitingSince) = (nil, nil)
        }
        view.endOpenAttempt(of: operation, notes: history.notes, in: rootName)
        return view
    }

    /// The view of a repetition without the wait before a run that has started; others unchanged.
    /// - Parameter copies: the number of runs.
    package func settled(_ view: OperationView, copies count: Int) -> OperationView {
        guard view.type == "repeat", let until = view.wait?.until, count > 0 else { return view }
        let runs = stride(from: count, to: 0, by: -1).lazy.compactMap {
            fold.histories[view.path + [String($0)]]
        }
        let latest = runs.first { $0.isOfThisTry }
        guard let begun = latest?.startedAt ?? latest?.finishedAt, begun >= until else { return view }
        var view = view
        (view.wait, view.waitingSince) = (nil, nil)
        if view.state == .waiting { view.state = jobState.isResting ? jobState : .running }
        return view
    }

    /// Whether it is a repetition's run of an earlier try that this one did not need, or did not come to.
    private func isRunOfEarlierTry(_ history: OperationHistory, inside outer: OperationView) -> Bool {
        guard outer.type == "repeat", outer.state.isFinal, !history.isOfThisTry else { return false }
        guard history.ending != nil else { return outer.state == .succeeded }
        // A repetition that started over made all its runs in the try in which it ended.
        guard outer.startsOver, let around = fold.histories[outer.path] else { return false }
        return history.retriesSince > around.retriesSince
    }

    /// The reason why an operation without an ending ended with its parent.
    private func reason(
        for view: OperationView, inside outer: OperationView, _ isNotNeeded: Bool
    ) -> AOperationError {
        let why =
            isNotNeeded
            ? outer.state == .succeeded
                ? "It was run in an earlier try; in this one \(outer.name) needed fewer runs."
                : "It was run in an earlier try; in this one \(outer.name) ended before."
            : "Not run because the enclosing \(outer.name) was not."
        var error =
            view.state == .skipped
            ? AOperationError(.dependencySkipped, detail: why, causes: isNotNeeded ? [] : outer.errors)
            : AOperationError(
                .cancelledParent, detail: "Cancelled because the enclosing \(outer.name) ended.")
        error.publisher = view.name
        error.path = [rootName] + view.path
        error.at = outer.finishedAt
        return error
    }

    /// The state of an operation: without an ending it ends with its parent.
    private static func state(of history: OperationHistory, inside outer: JobState) -> JobState {
        if let ending = history.ending { return ending.state }
        if outer.isFinal { return outer == .skipped ? .skipped : .cancelled }
        if let wait = history.wait, history.startedAt != nil {
            return wait.reason == .retry ? .retrying : .waiting
        }
        return history.startedAt == nil ? .pending : .running
    }
}

extension JobState {
    /// Whether no operation of the job is being executed.
    package var isResting: Bool {
        switch self {
        case .queued, .waiting, .retrying, .held: true
        default: false
        }
    }
}
