import HTTPMessage
import StrictJSON

// DESIGN
// What GET gives of a named resource may be sent back with PUT, so that a program changes one member and keeps the
// rest. Its spec is the member `spec`, which no spec has; the other members are what the server says, and are passed
// over. Its `version` stands for the tag: a change that was made in between is not undone.

/// The body of a PUT of something that is stored under a name: its spec alone, or what GET gave.
struct NamedBody: Sendable {
    /// The members that GET gives of anything with a name, beside its state.
    private static let members = [
        "name", "version", "spec", "created_at", "created_by", "updated_at", "updated_by",
    ]

    let spec: JSONValue
    private let condition: VersionCondition
    /// The version in the body; nil without one.
    private let version: Int64?
    private let isWhole: Bool

    /// - Parameter state: the members that GET gives of this resource beside those of any.
    init(_ context: RequestContext, _ name: String, state: [String]) throws(Problem) {
        condition = try VersionCondition(context.request.head.fields)
        let value = try context.request.json()
        guard var object = value.object, let spec = object["spec"] else {
            try Self.refuseWrapper(value)
            (self.spec, version, isWhole) = (value, nil, false)
            return
        }
        (self.spec, isWhole) = (spec, true)
        version = try Self.version(in: object)
        if let given = object["name"], given != .string(name) {
            throw Self.problem(
                "name",
                "The body is \(given.string ?? "something else"), and the path says \(name). Send it to the path of "
                    + "its name, or the spec alone: what is in the member \"spec\".")
        }
        for member in Self.members + state { object[member] = nil }
        guard let other = object.members.first?.name else { return }
        let known = Self.members + state
        throw Self.problem(
            other, "\"\(other)\" is not known beside spec; GET gives \(known.joined(separator: ", ")).",
            suggestion: SpellingSuggestion.nearest(to: other, in: known))
    }

    /// Refuses a body whose spec stands in a member named for the thing itself, as other APIs have it.
    private static func refuseWrapper(_ value: JSONValue) throws(Problem) {
        guard let object = value.object, object.count == 1, let member = object.members.first,
            member.value.object != nil, wrappers.contains(where: { member.name.hasSameBytes(as: $0) })
        else { return }
        throw problem(
            member.name,
            "\"\(member.name)\" is not known. Send what is in it alone, or as the member \"spec\", as GET gives it.",
            suggestion: "spec")
    }

    private static let wrappers = [
        "queue", "schedule", "connection", "template", "limits", "host", "secret", "grant", "hook", "data",
        "config", "settings",
    ]

    /// The version that the change may replace: 0 for none, nil for any.
    /// - Parameter now: the version that there is, 0 for none.
    /// - Throws: `.preconditionFailed` when there is another one than the request expects.
    func expected(of name: String, now: Int64) throws(Problem) -> Int64? {
        let expected = try condition.version(of: name, now: now)
        guard let version else { return expected }
        guard version == now else { throw VersionCondition.failure(of: name, now: now) }
        return now
    }

    /// Reads the spec with `read`. The pointers of its problems are made those in the body.
    func read<Value>(_ read: (JSONValue) throws(Problem) -> Value) throws(Problem) -> Value {
        do throws(Problem) { return try read(spec) } catch {
            guard isWhole else { throw error }
            var problem = error
            for place in problem.items.indices { problem.items[place].move(below: "/spec") }
            throw problem
        }
    }

    private static func version(in object: JSONObject) throws(Problem) -> Int64? {
        guard let value = object["version"] else { return nil }
        guard let version = value.number?.int64, version >= 0 else {
            throw problem(
                "version", "version is a whole number, as GET gives it. Leave it out to replace any.")
        }
        return version
    }

    private static func problem(_ member: String, _ detail: String, suggestion: String? = nil) -> Problem {
        Problem(
            .invalidBody, detail,
            items: [
                .init(
                    .pointer(JSONPointer(tokens: [member]).description), code: "body.value", detail: detail,
                    suggestion: suggestion)
            ])
    }
}
