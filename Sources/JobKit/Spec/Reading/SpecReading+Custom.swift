internal import StrictJSON

/// Operations of kinds that are not built in.
extension SpecReading {
    /// Members that no kind can have for itself.
    static let reservedMembers = commonMembers + rootMembers + ["retry", "expect", "output"]

    /// The types that are built in, then the others.
    var allTypes: [String] { Self.types + (kinds?.names ?? []) }

    /// Whether a type that is not built in may stand here.
    func hasKind(_ type: String) -> Bool {
        guard let kinds else { return Self.isName(type) }
        return kinds[type] != nil
    }

    /// An operation of a kind that is not built in.
    mutating func custom(_ type: String, _ object: JSONObject, at seat: Seat) -> OperationSpec? {
        let kind = kinds?[type]
        let isRoot = if case .root = seat { true } else { false }
        let name = object["name"].flatMap { value in inside("name") { $0.name(value) } }
        var draft = OperationDraft(type: type, name: name ?? seat.defaultName(type), isRoot: isRoot)
        var entries: [NetworkSpec.Entry] = []
        if isRoot { hasReadRoot = true }
        members(
            of: object, "\(Self.withArticle(type)) operation", known: Self.known(to: kind, isRoot: isRoot)
        ) {
            reading, name, value in
            if Self.commonMembers.contains(name) { return reading.commonMember(name, value, of: &draft) }
            if Self.rootMembers.contains(name) {
                return reading.rootMemberSeen(name, value, isRoot: isRoot)
            }
            if name == "retry" {
                draft.retry = reading.customRetry(value, kind)
                return true
            }
            let member = kind?.members.first { $0.name == name }
            guard member != nil || kind == nil else { return false }
            entries.append(.init(name: name, value: reading.customMember(value, member?.form ?? .any)))
            return true
        }
        for member in kind?.members ?? [] where member.isRequired && object[member.name] == nil {
            missing(member.name, "\(Self.withArticle(type)) operation needs \(member.form.text) there.")
        }
        return draft.operation(.custom(CustomSpec(type: type, members: entries)))
    }

    private static func known(to kind: OperationKind?, isRoot: Bool) -> [String] {
        guard let kind else { return [] }
        return kind.members.map(\.name) + commonMembers + (kind.mayRetry ? ["retry"] : [])
            + (isRoot ? rootMembers : [])
    }

    /// A member of a kind. What is filled in when it runs is checked then.
    private mutating func customMember(_ value: JSONValue, _ form: OperationKind.Form) -> Binding {
        let binding = binding(value)
        let isRight =
            switch binding {
            case .literal(let value): form.allows(value)
            case .text: form == .string || form == .any
            case .array: form == .array || form == .any
            case .object: form == .object || form == .any
            default: true
            }
        if !isRight { wrongType(value, form.text) }
        return binding
    }

    private mutating func customRetry(_ value: JSONValue, _ kind: OperationKind?) -> RetrySpec? {
        if let kind, !kind.mayRetry {
            note(
                .notAvailable,
                "\(Self.withArticle(kind.name)) operation is not tried again. Leave \"retry\" out.")
            return nil
        }
        return retryMembers(value).rule(over: RetryMembers())
    }
}
