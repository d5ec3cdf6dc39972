import StrictJSON

/// An operation of a run: one place of the spec, or one of the runs or members made from it.
final class ModelOperation {
    enum Phase { case waiting, running, ended }

    let spec: ModelSpec
    unowned let parent: ModelOperation?
    let path: [String]
    /// The element that it was made for.
    let item: JSONValue?
    let isFinal: Bool
    let misreading: ModelMisreading?

    var phase = Phase.waiting
    var state = ""
    var result: JSONValue?
    /// Why it was skipped: one of these.
    var codes: Set<String> = []
    /// Whether it was inside of one that was not run.
    var isUnrun = false
    /// Whether it was skipped by its own `when` or condition.
    var isSkippedByItself = false
    /// The members, the runs, or the operations of a choice.
    var members: [ModelOperation] = []
    var finals: [ModelOperation] = []
    var areFinalsBegun = false
    /// Whether it was cancelled while it ran.
    var isStopped = false
    /// Whether it cannot make its members.
    var isBroken = false
    /// The end of a delay, in ticks.
    var dueAt = 0
    /// The result that it will have: a value, an answer.
    var passed: JSONValue?
    /// Whether it will fail.
    var isFailing = false
    /// The list of the first execution.
    var items: [JSONValue]?
    /// The run of a repetition.
    var run = 0
    /// The place of the branch that was chosen, in this try or an earlier one.
    var chosen: Int?

    init(
        _ spec: ModelSpec, in parent: ModelOperation?, path: [String], item: JSONValue? = nil,
        isFinal: Bool = false, misreading: ModelMisreading? = nil
    ) {
        self.spec = spec
        self.misreading = parent?.misreading ?? misreading
        self.parent = parent
        self.path = path
        self.item = item
        self.isFinal = isFinal
        switch spec.kind {
        case .group(let members, let finals, _):
            self.members = members.map { ModelOperation($0, in: self, path: path + [$0.name]) }
            self.finals = finals.map { ModelOperation($0, in: self, path: path + [$0.name], isFinal: true) }
        case .each(_, _, let finals, _):
            self.finals = finals.map { ModelOperation($0, in: self, path: path + [$0.name], isFinal: true) }
        case .choice:
            members = spec.inner.map { ModelOperation($0, in: self, path: path + [$0.name]) }
        default: break
        }
    }

    /// The operation that runs inside of a choice or a repetition.
    var current: ModelOperation { members[chosen ?? max(0, run - 1)] }
    var hasEnded: Bool { phase == .ended }
    var hasSucceeded: Bool { hasEnded && state == "succeeded" }

    /// Its value in the result of its group: null only when it did not succeed, or is null.
    var listed: JSONValue { hasSucceeded && !hasContent ? "" : result ?? .null }

    /// Whether its success has content: a delay has none.
    private var hasContent: Bool {
        switch spec.kind {
        case .delay: false
        case .choice: current.hasContent
        case .repetition: members.last(where: \.hasSucceeded)?.hasContent ?? false
        case .value, .transform, .call, .group, .each: true
        }
    }

    /// This one and all inside it.
    var all: [ModelOperation] { [self] + (members + finals).flatMap(\.all) }

    // MARK: Edges

    /// The operations that it follows, each with what it needs.
    var dependencies: [(operation: ModelOperation, need: ModelEdge.Need)] {
        guard let parent else { return [] }
        let line = isFinal ? parent.finals : parent.members
        switch parent.spec.kind {
        case .group(_, _, let rules):
            guard let place = line.firstIndex(where: { $0 === self }) else { return [] }
            let before = rules.isOrdered && !isFinal && place > 0 ? line[place - 1].spec : nil
            return spec.edges(among: line.map(\.spec), before: before).compactMap { edge in
                line.first { $0.spec.name == edge.name }.map { ($0, edge.need) }
            }
        case .each(_, _, _, let rules):
            guard !isFinal else {
                return spec.edges(among: line.map(\.spec), before: nil).compactMap { edge in
                    line.first { $0.spec.name == edge.name }.map { ($0, edge.need) }
                }
            }
            guard rules.isOrdered, let place = line.firstIndex(where: { $0 === self }), place > 0 else {
                return []
            }
            return [(line[place - 1], .inOrder)]
        default: return []
        }
    }

    /// Whether it ended as a dependant needs it.
    func meets(_ need: ModelEdge.Need) -> Bool {
        switch need {
        case .succeeded: state == "succeeded"
        case .any: true
        case .failed: state == "failed"
        case .inOrder:
            state == "succeeded" || state == "skipped" && isSkippedByItself
                || state == "failed" && spec.continues
                || misreading == .orderForgets && spec.continues
        }
    }

    // MARK: Retries

    /// Begins anew for `:retry`, except for what succeeded, which is kept as it is.
    func beginAnew() {
        if hasSucceeded {
            guard misreading == .retryReachesInside else { return }
            for inner in all where !inner.hasSucceeded { (inner.state, inner.codes) = ("cancelled", []) }
            return
        }
        forget()
        if case .repetition(let repetition, _) = spec.kind, repetition.until != nil {
            members = []
        } else {
            for member in members { member.beginAnew() }
        }
        for final in finals { final.beginAllAnew() }
    }

    /// Begins anew whatever succeeded before: what is done finally.
    private func beginAllAnew() {
        forget()
        switch spec.kind {
        case .repetition, .each: members = []
        default: for member in members { member.beginAllAnew() }
        }
        (items, chosen) = (nil, nil)
        for final in finals { final.beginAllAnew() }
    }

    private func forget() {
        phase = .waiting
        isUnrun = false
        (state, result, codes, isSkippedByItself) = ("", nil, [], false)
        (areFinalsBegun, isStopped, isBroken, isFailing, run) = (false, false, false, false, 0)
        passed = nil
    }
}
