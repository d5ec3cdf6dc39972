import JobJournal
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// Reads what is needed to show some operations of a job: its spec, and an index of its journal. Entries are read only
/// for the operations shown, so that a page of a large job costs as much as a page of a small one.
struct JobOutline: Sendable {
    /// An existing operation.
    struct Spot: Sendable {
        /// The names below the root.
        let path: [String]
        let operation: OperationSpec
        /// The number of copies of its inner operation.
        let copies: Int
    }

    /// A filter for operations.
    enum Interest: Sendable {
        case all
        /// Unfinished operations.
        case open
        /// Operations with attempts.
        case attempted
    }

    /// The facts about one operation in the journal.
    private struct Facts {
        var isOver: Bool
        var hasAttempts: Bool
        var copies: Int
    }

    let job: JobRecord
    /// The spec, with the members that were added.
    let spec: JobSpec
    /// The journal of the job itself.
    private let root: JournalFold
    private let index: JournalIndex
    /// The whole journal of a retried job: only from all entries follows which ones still apply.
    private let whole: JournalFold?
    private let wholeCopies: [[String]: Int]
    private let reader: any JobReader

    /// Reads a job, its spec, and its own journal entries.
    init(_ id: JobID, from reader: any JobReader, _ cache: JournalIndexCache) throws(Problem) {
        guard let job = try stored(reader.job(id)), let bytes = try stored(reader.spec(id)) else {
            throw Problem(.notFound(id))
        }
        index = try stored(reader.index(id, from: cache.index(of: id)))
        cache.keep(index, of: id)
        let entries = index.entries(of: [.root])
        var root = JournalFold(try stored(reader.journal(id, at: entries)).map(\.entry))
        if root.isHeld, !index.taken.isEmpty {
            let all = Set(entries + index.taken).sorted()
            root = JournalFold(try stored(reader.journal(id, at: all)).map(\.entry))
        }
        spec = try JobHistory.spec(of: job, bytes, adding: root.additions)
        if index.isRetried {
            guard let entries = try stored(JobHistory.entries(of: id, from: reader)) else {
                throw JobHistory.tooLong(id)
            }
            var whole = JournalFold(entries)
            whole.beginAnew(in: spec.operation)
            wholeCopies = whole.copies(of: spec.operation)
            self.whole = whole
        } else {
            wholeCopies = [:]
            whole = nil
        }
        self.job = job
        self.root = root
        self.reader = reader
    }

    /// The hold on the job; nil when there is none.
    var hold: JournalFold.HoldNote? { root.hold }

    /// Whether the event that an operation of a held job waits for has arrived and has not been consumed.
    func hasCome(_ wait: OperationWait) -> Bool { root.hasCome(wait) }

    /// The journal of the job and of these operations.
    func fold(of paths: [[String]]) throws(Problem) -> JournalFold {
        do throws(JobStoreError) { return try fold(ofStored: paths) } catch { throw Problem(error) }
    }

    private func fold(ofStored paths: [[String]]) throws(JobStoreError) -> JournalFold {
        if let whole { return whole }
        let entries = index.entries(of: Set([.root] + paths.map { OperationPlace($0) }))
        return JournalFold(try reader.journal(job.id, at: entries).map(\.entry))
    }

    /// Whether an operation waits for a request to a URL of its own.
    func hasCallback(at path: [String]) -> Bool {
        spot(at: path)?.operation.callbackRules != nil
    }

    /// The callback URL of an operation, and the requests to it.
    func callback(at path: [String]) throws(JobStoreError) -> CallbackBody {
        var fold = try fold(ofStored: [path])
        if let sender = fold.sender(ofCallbackAt: path) { fold = try self.fold(ofStored: [path, sender]) }
        var standing = try reader.callback(of: job.id, fold.callbackPlace(at: path))
        standing?.enter(try: fold.retries)
        return CallbackBody(isHandedOut: fold.hasHandedOut(at: path), standing: standing)
    }

    private func facts(_ path: @autoclosure () -> [String], _ place: OperationPlace) -> Facts {
        guard let whole else {
            let node = index[place]
            return Facts(isOver: node.isOver, hasAttempts: node.hasAttempts, copies: node.copies)
        }
        let path = path()
        let history = whole.histories[path]
        return Facts(
            isOver: history?.ending != nil,
            hasAttempts: history.map { !$0.attempts.isEmpty || $0.openAttempt != nil } ?? false,
            copies: wholeCopies[path] ?? 0)
    }

    /// Whether it is a part of a map over lines of which only members that failed are known.
    private func isForgotten(_ path: [String], _ place: OperationPlace) -> Bool {
        if let whole { return whole.histories[path]?.isEndedPart ?? false }
        return index[place].isOver && !index[place].hasList
    }

    private func isKnown(_ path: [String], _ place: OperationPlace) -> Bool {
        if let whole { return whole.histories[path] != nil }
        return !index[place].entries.isEmpty
    }

    // MARK: Finding operations

    func spot(at path: [String]) -> Spot? {
        var operation = spec.operation
        var place = OperationPlace.root
        for (depth, step) in path.enumerated() {
            if let member = operation.member(named: step) {
                operation = member
            } else if let copied = operation.copied, case let around = Array(path.prefix(depth)),
                Self.number(step, upTo: facts(around, place).copies) != nil,
                !isForgotten(around, place) || isKnown(around + [step], place.inside(step.utf8))
            {
                operation = copied
            } else {
                return nil
            }
            place = place.inside(step.utf8)
        }
        return Spot(path: path, operation: operation, copies: copies(of: operation, path, place))
    }

    /// The operation with an address. The job is found by its name, too, unless one of its members has the same: once
    /// that was its address.
    func spot(named text: String) -> Spot? {
        spot(at: OperationAddress.path(text))
            ?? (text.hasSameBytes(as: spec.operation.name) ? spot(at: []) : nil)
    }

    /// The number of the copy that a step of a path names, from 1; nil when there is none.
    private static func number(_ step: String, upTo count: Int) -> Int? {
        guard let number = Int(step), String(number) == step, number >= 1, number <= count else { return nil }
        return number
    }

    private func copies(of operation: OperationSpec, _ path: [String], _ place: OperationPlace) -> Int {
        operation.copied == nil ? 0 : facts(path, place).copies
    }

    /// The operations after `last` (nil for all), each group before its members, in the order of the spec.
    func spots(_ interest: Interest, behind last: [String]? = nil, limit: Int) -> [Spot] {
        var found: [Spot] = []
        find(
            interest, spec.operation, [], .root, behind: last.map { $0[...] }, limit: limit, into: &found)
        return found
    }

    /// - Parameter last: the rest of the path of the last operation to skip; nil once past it.
    private func find(
        _ interest: Interest, _ operation: OperationSpec, _ path: [String], _ place: OperationPlace,
        behind last: ArraySlice<String>?, limit: Int, into found: inout [Spot]
    ) {
        if interest == .open, facts(path, place).isOver { return }
        if last == nil, interest != .attempted || facts(path, place).hasAttempts {
            found.append(Spot(path: path, operation: operation, copies: copies(of: operation, path, place)))
        }
        var next = last?.first
        let rest = last?.dropFirst()
        func enter(_ inner: OperationSpec, _ name: String) {
            find(
                interest, inner, path + [name], place.inside(name.utf8), behind: next == nil ? nil : rest,
                limit: limit, into: &found)
            next = nil
        }
        for member in operation.members where next?.hasSameBytes(as: member.name) ?? true {
            if found.count >= limit { return }
            enter(member, member.name)
        }
        guard let copied = operation.copied else { return }
        let count = facts(path, place).copies
        let isForgotten = isForgotten(path, place)
        var number = next.map { Self.number($0, upTo: count) ?? count + 1 } ?? 1
        while number <= count, found.count < limit {
            let inner = place.inside(String(number).utf8)
            // Most members of a large list have ended or have not begun: no path is made for those that are skipped.
            let isPassedOver =
                next == nil && whole == nil
                && (interest == .open
                    ? index[inner].isOver
                    : interest == .attempted && !copied.hasInner && !index[inner].hasAttempts)
            if isForgotten, !isKnown(path + [String(number)], inner) {
                next = nil
            } else if !isPassedOver {
                enter(copied, String(number))
            }
            number += 1
        }
    }

    /// The names of up to `limit` unfinished operations inside a group, and the number of further ones.
    func openNames(inside spot: Spot, limit: Int) -> (names: [String], more: Int) {
        let place = OperationPlace(spot.path)
        var names: [String] = []
        var more = 0
        func add(_ name: String) {
            if facts(spot.path + [name], place.inside(name.utf8)).isOver { return }
            if names.count < limit { names.append(name) } else { more += 1 }
        }
        for member in spot.operation.members { add(member.name) }
        if spot.copies > 0 { for number in 1...spot.copies { add(String(number)) } }
        return (names, more)
    }

    // MARK: Showing operations

    /// The views of some operations and of those that enclose them.
    func views(of paths: some Sequence<[String]>) throws(Problem) -> OperationViews {
        var spots: [[String]: Spot] = [:]
        var places: Set<OperationPlace> = []
        for path in paths {
            for depth in 0...path.count {
                let path = Array(path.prefix(depth))
                guard spots[path] == nil, let spot = spot(at: path) else { continue }
                spots[path] = spot
                let place = OperationPlace(path)
                places.insert(place)
                // The wait of a repetition ends once the latest run has begun.
                for run in [spot.copies, spot.copies - 1] where run > 0 {
                    places.insert(place.inside(String(run).utf8))
                }
            }
        }
        let fold: JournalFold
        if let whole {
            fold = whole
        } else {
            let entries = try stored(reader.journal(job.id, at: index.entries(of: places)))
            fold = JournalFold(entries.map(\.entry))
        }
        return OperationViews(
            spots: spots, ViewMaker(fold: fold, rootName: spec.operation.name, jobState: job.state))
    }

    /// The views of these operations, in the same order.
    func views(of spots: some Collection<Spot>) throws(Problem) -> [OperationView] {
        let views = try views(of: spots.map(\.path))
        return spots.compactMap { views[$0.path] }
    }
}

/// The views of some operations of a job.
struct OperationViews: Sendable {
    private var views: [[String]: OperationView] = [:]

    /// - Parameter spots: the operations with their enclosing ones.
    init(spots: [[String]: JobOutline.Spot], _ maker: ViewMaker) {
        var raw: [[String]: OperationView] = [:]
        var predecessors: [[String]: [String: [String]]] = [:]
        for (path, spot) in spots.sorted(by: { $0.key.count < $1.key.count }) {
            let outer = path.isEmpty ? nil : raw[Array(path.dropLast())]
            let view = maker.view(of: spot.operation, path: path, inside: outer)
            raw[path] = view
            var settled = maker.settled(view, copies: spot.copies)
            settled.predecessors = path.last.flatMap { predecessors[Array(path.dropLast())]?[$0] } ?? []
            predecessors[path] = spot.operation.memberPredecessors
            views[path] = settled
        }
    }

    subscript(_ path: [String]) -> OperationView? { views[path] }
}

extension JournalFold {
    /// Whether the event that an operation waits for has arrived and has not been consumed.
    func hasCome(_ wait: OperationWait) -> Bool {
        if wait.reason == .callback {
            return zip(1..., messages).contains { number, message in
                if case .report = message.content { !takenMessages.contains(number) } else { false }
            }
        }
        guard let key = wait.key else { return false }
        return zip(1..., messages).contains { number, message in
            switch message.content {
            case .signal(let name, _), .content(let name, _):
                wait.reason == .signal && name == key && !takenMessages.contains(number)
            case .approval(let id, _, _): wait.reason == .approval && id == key
            case .report, .member, .hold, .release: false
            }
        }
    }
}
