internal import StrictJSON

/// The kinds of operations that are built in.
enum BuiltInKinds {
    static let all: [any BuiltInKind.Type] = [
        NetworkSpec.self, DownloadSpec.self, DelaySpec.self, GroupSpec.self, ValueSpec.self,
        TransformSpec.self, ChooseSpec.self, RepeatSpec.self, AwaitSpec.self, PollSpec.self, PagesSpec.self,
        NotifySpec.self, TemplateSpec.self,
    ]

    static let table = KindTable(
        all.map { ($0.name, $0.members, $0) }, common: OperationReader.commonMembers)

    static var names: [String] { table.names }

    /// The owner of a member's name.
    enum Owner {
        /// Common to all operations.
        case common
        /// Of the whole job.
        case job
        /// Of the operations of these kinds.
        case kinds([String])
    }

    static func owner(of member: String) -> Owner? { owners[member] }

    private static let owners: [String: Owner] = {
        var kinds: [String: [String]] = [:]
        for kind in all {
            for member in kind.members { kinds[member.name, default: []].append(kind.name) }
        }
        var owners = kinds.mapValues { Owner.kinds($0) }
        for name in JobMembersReader.members { owners[name] = .job }
        for name in OperationReader.commonMembers { owners[name] = .common }
        return owners
    }()

    /// The members that an operation of a kind may have.
    static func members(of kind: String, atRoot: Bool) -> [String] {
        table.members(of: kind) + (atRoot ? JobMembersReader.members : [])
    }
}
