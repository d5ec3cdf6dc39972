/// A part of the flags of a command, in its help and its manual page.
package struct FlagGroup: Sendable {
    package let title: String
    /// The flags by their names without dashes, each with its default, or with an example when the default is none.
    package let members: [(name: String, example: String)]

    package init(_ title: String, _ members: [(name: String, example: String)]) {
        self.title = title
        self.members = members
    }

    /// Those of the flags that are in the group, in its order.
    package func flags(of all: [Flag]) -> [Flag] {
        members.compactMap { member in all.first { $0.name == member.name } }
    }
}
