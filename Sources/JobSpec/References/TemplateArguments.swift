internal import StrictJSON

/// The values that a template was given, by the names of its parameters.
struct TemplateArguments: Sendable {
    private var members: [JSONObject.Member] = []
    private var index = NameIndex()

    /// Adds a value. Precondition: there is none of this name.
    mutating func add(_ value: JSONValue, as name: String) {
        members.append(JSONObject.Member(name: name, value: value))
        index.update(members, by: { $0.name })
    }

    subscript(name: String) -> JSONValue? {
        index.place(of: name, in: members, by: { $0.name }).map { members[$0].value }
    }
}
