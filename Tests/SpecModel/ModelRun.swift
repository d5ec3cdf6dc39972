package import StrictJSON

// DESIGN
// The run is a set of operations and what may happen to them next. What happens first among several is chance, so that
// a spec whose outcome depends on it shows as several outcomes. Time is counted in ticks, so long that everything
// which takes no ticks of its own is over within one.

/// A run of a spec, with its later tries.
package struct ModelRun {
    /// The length of a tick.
    package static let secondsOfTick = 40

    /// The end of one operation.
    package struct End: Sendable, Hashable {
        package var state: String
        package var result: JSONValue?
        /// Why it was skipped: one of these. Empty when the documents leave it open.
        package var codes: Set<String> = []

        package init(state: String) { self.state = state }
    }

    /// The facts to be seen after a try.
    package struct Outcome: Sendable, Hashable {
        /// The ends by path.
        package var ends: [[String]: End] = [:]
        /// Runs and members of earlier tries that this one had no use for.
        package var leftOver: Set<[String]> = []
        /// The operations that made calls in this try.
        package var called: Set<[String]> = []
        package var ticks = 0

        package init() {}
    }

    private let root: ModelOperation
    private let answers: (_ path: [String], _ try: Int) -> ModelAnswers
    var now = 0
    private var tryNumber = 0
    private var called: Set<[String]> = []
    private var seen: Set<[String]> = []
    /// Decides the outcome of an operation that is stopped while it is executed.
    var chance: UInt64 = 0
    /// Whether what may stop others mostly waits for them, where the wanted outcome has more of them.
    private(set) var isPatient = false
    var wanted = Outcome()

    /// - Parameter answers: what the upstream answers to an operation in a try, counted from 0.
    package init(
        _ spec: ModelSpec, misreading: ModelMisreading?,
        answers: @escaping (_ path: [String], _ try: Int) -> ModelAnswers
    ) {
        root = ModelOperation(spec, in: nil, path: [], misreading: misreading)
        self.answers = answers
    }

    /// Runs to the end, or until it is cancelled after so many ticks.
    /// - Parameter wanted: an outcome. Chance mostly decides for it where the documents leave both open.
    package mutating func run(
        cancelAfter: Int?, towards wanted: Outcome, _ dice: inout some RandomNumberGenerator
    ) -> Outcome {
        self.wanted = wanted
        now = 0
        chance = dice.next()
        isPatient = flip()
        called = []
        root.beginAnew()
        start(root)
        var isCancelled = false
        while !root.hasEnded {
            var moves: [Move] = []
            collect(root, &moves)
            if let move = moves.randomElement(using: &dice) {
                // An operation that makes calls, or has members that do, begins before another one can stop it.
                let wanted =
                    flip() || flip()
                    ? moves.first(where: isCallWanted) ?? (flip() ? moves.first(where: isWanted) : nil) : nil
                let other = flip() ? moves.filter { !isUnwanted($0) }.randomElement(using: &dice) : nil
                make(wanted ?? other ?? move)
                continue
            }
            let next = root.all.filter { $0.phase == .running && $0.isDelay }.map(\.dueAt).min()
            if let cancelAfter, !isCancelled, next.map({ $0 > cancelAfter }) ?? true {
                isCancelled = true
                now = max(now, cancelAfter)
                cancel(root)
            } else if let next {
                now = next
            } else {
                preconditionFailure("nothing will ever happen")
            }
        }
        tryNumber += 1
        return outcome()
    }

    mutating func outcome() -> Outcome {
        var outcome = Outcome()
        (outcome.called, outcome.ticks) = (called, now)
        for operation in root.all {
            var end = End(state: operation.state)
            (end.result, end.codes) = (operation.result, operation.codes)
            outcome.ends[operation.path] = end
        }
        outcome.leftOver = seen.subtracting(outcome.ends.keys)
        seen.formUnion(outcome.ends.keys)
        return outcome
    }

    // MARK: What may happen

    enum Move {
        case start(ModelOperation)
        /// All members of a group have ended, or all that is done finally.
        case close(ModelOperation)
        case wake(ModelOperation)
    }

    func collect(_ operation: ModelOperation, _ moves: inout [Move]) {
        guard operation.phase == .running else { return }
        switch operation.spec.kind {
        case .delay: if operation.dueAt <= now { moves.append(.wake(operation)) }
        case .value, .transform, .call: moves.append(.wake(operation))
        case .group, .each:
            let line = operation.areFinalsBegun ? operation.finals : operation.members
            if line.allSatisfy(\.hasEnded) { moves.append(.close(operation)) }
            for member in line where member.phase == .waiting {
                if member.dependencies.allSatisfy(\.operation.hasEnded) { moves.append(.start(member)) }
            }
            for member in line { collect(member, &moves) }
        case .choice, .repetition:
            let current = operation.current
            switch current.phase {
            case .ended: moves.append(.close(operation))
            case .waiting: moves.append(.start(current))
            case .running: collect(current, &moves)
            }
        }
    }

    mutating func make(_ move: Move) {
        switch move {
        case .start(let operation): start(operation)
        case .wake(let operation):
            end(operation, operation.isFailing ? "failed" : "succeeded", operation.passed)
        case .close(let group):
            if !group.areFinalsBegun, !group.finals.isEmpty {
                group.areFinalsBegun = true
            } else {
                close(group)
            }
        }
    }

    // MARK: The beginning

    mutating func start(_ operation: ModelOperation) {
        guard let refusal = refusal(of: operation) else {
            operation.phase = .running
            return begin(operation)
        }
        operation.isSkippedByItself = refusal.isItsOwn
        endUnstarted(operation, refusal.state, codes: refusal.codes)
    }

    /// The end of one that has not begun and never will.
    struct Refusal {
        var state: String
        var codes: Set<String> = []
        var isItsOwn = false

        static let skip = Refusal(state: "skipped", isItsOwn: true)
    }

    /// Why it does not begin although all that it depends on has ended; nil when it does.
    func refusal(of operation: ModelOperation) -> Refusal? {
        let unmet = operation.dependencies.filter { !$0.operation.meets($0.need) }
        if !unmet.isEmpty {
            let codes = unmet.map { edge in
                edge.operation.state == "succeeded"
                    ? "dependency.skipped" : "dependency.\(edge.operation.state)"
            }
            return Refusal(state: "skipped", codes: Set(codes))
        }
        if let when = operation.spec.when, !operation.holds(when) { return .skip }
        let verdicts = operation.spec.conditions.map(operation.verdict)
        if verdicts.contains(.fails) { return Refusal(state: "failed") }
        return verdicts.contains(.skips) ? .skip : nil
    }

    mutating func begin(_ operation: ModelOperation) {
        do {
            switch operation.spec.kind {
            case .value(let value): operation.passed = try operation.value(value)
            case .transform(let transform): operation.passed = try operation.transformed(transform)
            case .delay(let ticks):
                operation.passed = .null
                operation.dueAt = now + ticks
            case .call(let call): begin(call, of: operation)
            case .group(_, _, let rules): count(keptBy: operation, rules)
            case .each(let items, let one, _, let rules):
                let list: [JSONValue]
                if let kept = operation.items {
                    list = kept
                } else {
                    guard let made = try operation.value(items).array else { throw ModelMissing() }
                    list = made
                }
                operation.items = list
                if operation.members.isEmpty {
                    operation.members = list.enumerated().map { place, item in
                        ModelOperation(
                            one, in: operation, path: operation.path + [String(place + 1)], item: item)
                    }
                }
                count(keptBy: operation, rules)
            case .choice(let branches): choose(branches, in: operation)
            case .repetition(let repetition, let one): beginRun(repetition, one, of: operation)
            }
        } catch {
            // A group that cannot make its members does what is to be done finally.
            switch operation.spec.kind {
            case .each: operation.isBroken = true
            default: operation.isFailing = true
            }
        }
    }

    /// Runs the first branch that holds, and skips the others. What was chosen in an earlier try stays.
    mutating func choose(_ branches: [ModelBranch], in operation: ModelOperation) {
        operation.chosen =
            operation.chosen ?? branches.firstIndex { $0.when.map { operation.holds($0) } ?? true }
        for (place, branch) in operation.members.enumerated() where place != operation.chosen {
            let hasOneReason = operation.misreading == .choiceHasOneReason
            let isLater = operation.chosen.map { place > $0 && !hasOneReason } ?? false
            endUnstarted(
                branch, "skipped", codes: [isLater ? "condition.not_chosen" : "condition.when_false"])
        }
        guard operation.chosen != nil else {
            operation.isSkippedByItself = true
            return end(operation, "skipped", codes: ["condition.when_false"])
        }
        // One that has ended is kept from an earlier try.
        if !operation.current.hasEnded { start(operation.current) }
    }

    /// Calls until the answer is right, or another attempt is not worthwhile.
    mutating func begin(_ call: ModelCall, of operation: ModelOperation) {
        let answers = answers(operation.path, tryNumber)
        called.insert(operation.path)
        for number in 0..<call.attemptsMax {
            let status = answers.status(ofCall: number)
            let isExpected =
                call.statuses.isEmpty ? (200..<300).contains(status) : call.statuses.contains(status)
            if isExpected, !call.wantsOK || answers.isOK(ofCall: number) {
                operation.passed = ["ok": .bool(answers.isOK(ofCall: number))]
                return
            }
            if isExpected, operation.misreading == .permittedIsFinal { break }
            if ![408, 425, 429, 500, 502, 503, 504].contains(status) { break }
        }
        operation.isFailing = true
    }

    mutating func beginRun(
        _ repetition: ModelRepetition, _ one: ModelSpec, of operation: ModelOperation
    ) {
        let last = operation.run > 0 ? operation.members[operation.run - 1] : nil
        if let last, !operation.isStopped {
            if let until = repetition.until, operation.holds(until, of: last) {
                return end(operation, "succeeded", latestResult(of: operation))
            }
            if repetition.stopsOnFailure, last.state == "failed" { return end(operation, "failed") }
        }
        if operation.isStopped { return end(operation, "cancelled") }
        if operation.run == repetition.times {
            let isCovered = one.continues && operation.misreading == .continueCoversInner
            let hasFailed = !isCovered && operation.members.contains { $0.state == "failed" }
            if repetition.until != nil || hasFailed { return end(operation, "failed") }
            return end(operation, "succeeded", latestResult(of: operation))
        }
        operation.run += 1
        if operation.members.count < operation.run {
            operation.members.append(
                ModelOperation(one, in: operation, path: operation.path + [String(operation.run)]))
        }
        let next = operation.members[operation.run - 1]
        // One that has ended is kept from an earlier try. What is cancelled as it begins was not refused before.
        if !next.hasEnded, !isCancelWanted(of: next) { start(next) }
    }

    /// Whether the wanted outcome may need that a run still waits when it is cancelled.
    private mutating func isCancelWanted(of run: ModelOperation) -> Bool {
        wanted.ends[run.path]?.state == "cancelled" && flip()
    }

    func latestResult(of operation: ModelOperation) -> JSONValue {
        operation.members.last(where: \.hasSucceeded)?.result ?? .null
    }
}

extension ModelOperation {
    fileprivate var isDelay: Bool { if case .delay = spec.kind { true } else { false } }
}
