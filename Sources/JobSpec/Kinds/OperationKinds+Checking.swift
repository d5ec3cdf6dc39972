internal import JobKit

extension OperationKinds {
    /// - Throws: a description of the first unusable kind: a name that is built in, duplicate or malformed, or a member
    ///   whose name is common to all operations or jobs.
    package init(_ list: [OperationKind]) throws(OperationKindsError) {
        var names: Set<String> = []
        for kind in list {
            try Self.check(kind)
            guard names.insert(kind.name).inserted else {
                throw OperationKindsError("There are two kinds of operations named \"\(kind.name)\".")
            }
        }
        self.init(checked: list)
    }

    private static func check(_ kind: OperationKind) throws(OperationKindsError) {
        guard SpecReading.isName(kind.name) else {
            throw OperationKindsError(
                "\"\(String(quotable: kind.name))\" cannot be the name of a kind of operation: a letter a to z, then "
                    + "at most 62 letters a to z, digits, \"_\" and \"-\".")
        }
        guard !BuiltInKinds.names.contains(kind.name) else {
            throw OperationKindsError(
                "The kind \"\(kind.name)\" is built in and cannot be replaced. Give yours another name.")
        }
        var seen = Set(OperationReader.reservedMembers)
        for member in kind.members {
            let name = String(quotable: member.name)
            guard !member.name.isEmpty, member.name.utf8.first != UInt8(ascii: "$") else {
                throw OperationKindsError(
                    "The kind \"\(kind.name)\" has a member \"\(name)\". Names are not empty and do not begin with $."
                )
            }
            guard seen.insert(member.name).inserted else {
                throw OperationKindsError(
                    "The kind \"\(kind.name)\" cannot have a member \"\(name)\": it has it twice, or every operation or "
                        + "job has it.")
            }
        }
    }
}

/// Custom kinds that cannot be used together; shown to the developer who starts the program.
package struct OperationKindsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason, with the remedy.
    package let description: String

    init(_ description: String) { self.description = description }
}
