internal import JobKit
internal import StrictJSON

/// Reads when a group succeeds, and when it stops early.
enum CompletionReader {
    private enum CompletionWord: String, CaseIterable { case all, any }

    // MARK: Success

    private static let counts = ["at_least", "max_failures", "max_failed_percent"]

    /// - Parameter group: the whole group, whose members are counted.
    static func rule(_ value: JSONValue, _ group: JSONObject, _ reading: inout SpecReading) -> GroupCompletion
        .Rule?
    {
        guard case .object(let object) = value else {
            return reading.word(value, CompletionWord.self).map { $0 == .all ? .all : .any }
        }
        var needed: Int?
        var failures: Int?
        var percent: Double?
        reading.members(of: object, "succeed_when", known: counts) { reading, name, value in
            switch name {
            case "at_least":
                let most = group["operations"]?.array?.count ?? EachSpec.itemsMax
                needed = reading.int(value, in: 1...max(1, most))
            case "max_failures": failures = reading.int(value, in: 0...EachSpec.itemsMax)
            case "max_failed_percent":
                percent = reading.number(value, in: 0...100, limits: "The share is 0 to 100 percent.")
            default: return false
            }
            return true
        }
        if object["at_least"] != nil {
            if object.count > 1 {
                reading.note(.conflict, "Say how many must succeed, or how many may fail, not both.")
            }
            return needed.map { .atLeast($0) }
        }
        if object.isEmpty {
            reading.missing(
                "at_least", "Say how many must succeed, or how many may fail.", suggestion: #""at_least": 1"#)
        }
        return failures == nil && percent == nil ? nil : .tolerate(count: failures, percent: percent)
    }

    // MARK: The early stop

    /// The event that ends an operation before all inside of it has run.
    enum Stop: String, CaseIterable {
        case firstFailure = "first_failure"
        /// The group has succeeded, or cannot succeed any more.
        case decided
        /// The group has succeeded.
        case succeeded
        /// The group cannot succeed any more.
        case failed

        /// Whether it is about a group that cannot succeed any more.
        var isAboutFailure: Bool { self != .succeeded }
        /// Whether it is about a group that has succeeded.
        var isAboutSuccess: Bool { self == .decided || self == .succeeded }
    }

    /// `stop_when` of a group that succeeds by `rule`.
    static func stop(_ value: JSONValue, _ rule: GroupCompletion.Rule, _ reading: inout SpecReading) -> Stop?
    {
        let words: [Stop] =
            switch rule {
            case .all: [.firstFailure, .decided]
            case .any, .tolerate: [.decided]
            case .atLeast: [.decided, .succeeded, .failed]
            }
        guard let stop = reading.word(value, Stop.self) else { return nil }
        if words.contains(stop) { return stop }
        let list = words.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
        reading.note(
            .conflict, "With this \"succeed_when\" a group stops when it is \(list).",
            suggestion: "\"decided\"")
        return nil
    }
}
