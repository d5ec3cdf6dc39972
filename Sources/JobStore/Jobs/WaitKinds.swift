package import JobKit
internal import JobSpec

/// The kinds of things that a job waits for, by which lists filter: those in its `waiting_on`.
package struct WaitKinds: OptionSet, Sendable, Hashable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static let time = WaitKinds(rawValue: 1)
    package static let signal = WaitKinds(rawValue: 2)
    package static let approval = WaitKinds(rawValue: 4)
    package static let condition = WaitKinds(rawValue: 8)
    package static let lock = WaitKinds(rawValue: 16)
    package static let origin = WaitKinds(rawValue: 32)
    package static let hold = WaitKinds(rawValue: 64)
    package static let unique = WaitKinds(rawValue: 128)
    package static let queue = WaitKinds(rawValue: 256)
    package static let callback = WaitKinds(rawValue: 512)

    /// All kinds with their names.
    package static let named: KeyValuePairs<String, WaitKinds> = [
        "time": .time, "signal": .signal, "approval": .approval, "condition": .condition, "lock": .lock,
        "origin": .origin, "hold": .hold, "unique": .unique, "queue": .queue, "callback": .callback,
    ]

    /// The kinds of these waits.
    package init(_ waits: [JobDetail.WaitingOperation]) {
        self.init()
        for each in waits {
            let name = WaitWords.of(each.wait).category
            if let kind = Self.named.first(where: { $0.key == name })?.value { insert(kind) }
        }
    }
}

extension WaitKinds {
    /// The states from which alone a wait of this kind follows; that for a unique key needs a flag, too.
    package var states: [JobState] {
        switch self {
        case .queue: [.queued]
        case .time: [.scheduled]
        case .hold: [.held]
        case .unique: [.pending, .held]
        default: []
        }
    }
}

extension JobRecord {
    /// The kinds of things that it waits for.
    package var waitKinds: WaitKinds {
        switch self.state {
        case .queued: return .queue
        case .scheduled: return .time
        case .pending, .waiting, .retrying, .held:
            let detail = self.detail.values
            var kinds = WaitKinds(detail.waits)
            if detail.turn != nil { kinds.insert(.unique) }
            if self.state == .held { kinds.insert(.hold) }
            return kinds
        default: return []
        }
    }

    /// The origins that hold its calls back.
    package var awaitedOrigins: [String] {
        guard self.state.isSuspended else { return [] }
        return self.detail.values.waits.compactMap { $0.wait.reason == .origin ? $0.wait.key : nil }
    }
}
