internal import JobKit
internal import StrictJSON

/// Which requests to the callback URL of an `await` end its wait.
package struct CallbackRules: Sendable, Hashable {
    /// The largest body of a request unless the spec says another one: 1 MiB.
    package static let bytesDefault = 1 << 20
    /// The largest body that may be looked into, for its signature or by `when`: 16 MiB.
    package static let readBytesMax = 16 << 20
    /// The largest body that a spec may permit: 1 TiB; a server has its own limit.
    static let bytesMax = 1 << 40

    /// The methods that count.
    package var methods: [String] = ["POST"]
    /// The proof of the sender, beyond knowing the URL; nil asks for none.
    package var verify: VerifySpec?
    /// A predicate over `/method`, `/query`, `/headers` and `/body`; a request for which it does not hold is progress.
    package var when: JSONPredicate?
    /// The longest time between two signs of life of the sender.
    package var heartbeat: Duration?
    package var bytesMax = Self.bytesDefault
    /// Whether people open the URL: a page asks them first.
    package var confirm = false
}

extension OperationSpec {
    /// Which requests to its callback URL count; nil when it has none.
    package var callbackRules: CallbackRules? { (kind.work as? AwaitSpec)?.callback }
}

enum CallbackRulesReader {
    static let members = ["methods", "verify", "when", "heartbeat", "max_bytes", "confirm"]
    private static let methods = ["POST", "PUT"]

    static func read(
        _ value: JSONValue, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> CallbackRules? {
        var rules = CallbackRules()
        reading.members(of: value, "A callback", known: members) { reading, name, value in
            switch name {
            case "methods": if let some = self.methods(value, &reading) { rules.methods = some }
            case "verify": rules.verify = VerifyReader.read(value, &reading)
            case "when": rules.when = when(value, scope, &reading)
            case "heartbeat": rules.heartbeat = reading.interval(value, atMost: reading.limits.waitMax)
            case "max_bytes": if let most = bytes(value, &reading) { rules.bytesMax = most }
            case "confirm": rules.confirm = reading.bool(value) ?? false
            default: return false
            }
            return true
        }
        check(rules, &reading)
        return rules
    }

    /// Refuses members that exclude each other.
    private static func check(_ rules: CallbackRules, _ reading: inout SpecReading) {
        let reads = rules.when != nil ? "when" : rules.verify.map { _ in "verify" }
        if let reads, rules.bytesMax > CallbackRules.readBytesMax {
            reading.note(
                member: "max_bytes", .conflict,
                "\"\(reads)\" looks into the body, which may have at most \(CallbackRules.readBytesMax) bytes then. "
                    + "Lower \"max_bytes\", or leave out \"\(reads)\".")
        }
        guard rules.confirm else { return }
        if rules.when != nil {
            reading.note(
                member: "when", .conflict,
                "The button of \"confirm\" sends no content to look at. Leave out \"when\" or \"confirm\".")
        }
        if !rules.methods.contains("POST") {
            reading.note(
                member: "methods", .conflict,
                "The page of \"confirm\" sends POST. Add it, or leave out \"confirm\".")
        }
        if rules.verify != nil {
            reading.note(
                member: "verify", .conflict,
                "A browser signs nothing, so no person could confirm. Leave out \"verify\" or \"confirm\".")
        }
    }

    private static func methods(_ value: JSONValue, _ reading: inout SpecReading) -> [String]? {
        var found: [String] = []
        reading.elements(of: value) { reading, element in
            guard let word = reading.string(element, "a method") else { return }
            guard methods.contains(where: word.hasSameBytes) else {
                let isRead = ["GET", "HEAD"].contains(where: word.hasSameBytes)
                return reading.note(
                    .unknownWord,
                    isRead
                        ? "A \(word) ends no wait: scanners of mail and previews of chats open each link. "
                            + "For people there is \"confirm\": true."
                        : "A callback URL takes POST and PUT.", allowed: methods)
            }
            if !found.contains(where: word.hasSameBytes) { found.append(word) }
        }
        if found.isEmpty {
            reading.note(.outOfRange, "Name at least one method.", suggestion: #"["POST"]"#)
            return nil
        }
        return found
    }

    private static func when(
        _ value: JSONValue, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> JSONPredicate? {
        let found = PredicateReader(scope).predicate(value, on: .result, &reading)
        if found?.hasReference == true {
            reading.note(
                .notAvailable,
                "It is decided when the request comes, from the request alone. Compare a place in it, with \"at\"."
            )
        }
        return found
    }

    private static func bytes(_ value: JSONValue, _ reading: inout SpecReading) -> Int? {
        reading.int(value, in: 1...CallbackRules.bytesMax)
    }
}

extension JSONPredicate {
    /// Whether it looks at another document than the one at hand.
    fileprivate var hasReference: Bool {
        switch self {
        case .all(let parts), .any(let parts): parts.contains { $0.hasReference }
        case .not(let part): part.hasReference
        case .compare(.reference, _): true
        case .compare(.at, _): false
        }
    }
}
