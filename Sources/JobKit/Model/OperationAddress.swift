/// The address of an operation in its job: one text, the same wherever the operation is named. It is relative to the
/// job: the names below it with slashes between. The names of runs and of members made from a list are numbers.
package enum OperationAddress {
    /// The address of the job itself. No other operation has it: a name begins with a letter, a number with a digit.
    package static let root = "_root"

    /// The address of the operation with these names below the job.
    package static func text(of path: some Collection<String>) -> String {
        path.isEmpty ? root : path.joined(separator: "/")
    }

    /// The address as one segment of a URL.
    package static func segment(of path: some Collection<String>) -> String {
        path.isEmpty ? root : path.joined(separator: "%2F")
    }

    /// The names that an address consists of; none for the job itself. An address that no operation can have has an
    /// empty name in it.
    package static func path(_ text: String) -> [String] {
        if text.utf8.elementsEqual(root.utf8) { return [] }
        return text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
