/// The members of a JSON object, in their original order.
///
/// Names are compared as UTF-8 bytes: "é" composed and decomposed are two names (RFC 8259 §8.3).
public struct JSONObject: Sendable, Hashable {
    /// One member: a name and its value.
    public struct Member: Sendable, Hashable {
        /// The member's name.
        public var name: String
        /// The member's value.
        public var value: JSONValue

        /// A member.
        public init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }

        /// Equal when name bytes and values are equal.
        public static func == (left: Member, right: Member) -> Bool {
            left.name.hasSameBytes(as: right.name) && left.value == right.value
        }
    }

    /// The members, in order.
    public private(set) var members: [Member]

    /// An empty object.
    public init() { members = [] }

    /// An object with these members; a repeated name keeps its first place and its last value.
    public init(_ pairs: [(String, JSONValue)]) {
        members = []
        members.reserveCapacity(pairs.count)
        var index = NameIndex()
        for (name, value) in pairs { set(value, for: name, &index) }
    }

    /// An object with these members. Precondition: no name is repeated.
    public init(uniqueMembers: [Member]) { members = uniqueMembers }

    /// The number of members.
    public var count: Int { members.count }

    /// Whether the object has no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The value of a member. Setting nil removes the member; setting a new name appends it.
    ///
    /// Each is a search among the members. For many names of a large object use a `NameIndex`.
    public subscript(name: String) -> JSONValue? {
        get {
            guard let index = index(of: name) else { return nil }
            return members[index].value
        }
        set {
            switch (index(of: name), newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    /// Sets a member, or appends it, with an index that knows all members so far or none.
    package mutating func set(_ value: JSONValue, for name: String, _ index: inout NameIndex) {
        if let place = index.position(of: name, in: members, by: { $0.name }) {
            members[place].value = value
        } else {
            members.append(Member(name: name, value: value))
        }
    }

    private func index(of name: String) -> Int? {
        members.firstIndex { $0.name.hasSameBytes(as: name) }
    }
}
