package import JobKit
package import StrictJSON

/// The members that the server adds to a spec as it stores it.
package enum StoredSpec {
    /// The member with the planned time for which a schedule made the job.
    private static let scheduledFor = "$scheduled_for"

    /// The member with the values that the job of a hook takes from its delivery.
    static let delivery = "$hook"

    private static let members = [PinnedTemplates.member, scheduledFor, delivery]

    /// Whether a stored spec may have one of these members; a text in it may look like one.
    package static func mayHaveMembers(_ spec: [UInt8]) -> Bool {
        var rest = spec[...]
        while let place = rest.firstIndex(of: UInt8(ascii: "$")) {
            rest = rest[place...]
            let isName = place > 0 && spec[place - 1] == UInt8(ascii: "\"")
            if isName, members.contains(where: { rest.starts(with: $0.utf8) }) { return true }
            rest = rest.dropFirst()
        }
        return false
    }

    /// The spec without these members, as submitted.
    package static func submitted(_ spec: JSONValue) -> JSONValue {
        guard case .object(var object) = spec else { return spec }
        for member in members { object[member] = nil }
        return .object(object)
    }

    /// The spec of a job that a schedule makes for `date`.
    package static func scheduled(_ spec: JSONValue, for date: Timestamp) -> JSONValue {
        guard case .object(var object) = spec else { return spec }
        object[scheduledFor] = .string(date.description)
        return .object(object)
    }

    /// The values that the job of a stored spec takes from its delivery.
    static func delivery(in spec: JSONValue) -> JSONObject? { spec.object?[delivery]?.object }

    /// The planned time for which a schedule made the job of a stored spec.
    static func scheduledFor(in spec: JSONValue) -> Timestamp? {
        spec.object?[scheduledFor]?.string.flatMap { Timestamp($0) }
    }
}
