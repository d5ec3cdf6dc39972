/// The first reason why a text is refused, with its line.
package struct YAMLFault: Error, Sendable, Hashable {
    /// The number of the line, from 1.
    package let line: Int
    /// The reason and the remedy, for people.
    package let detail: String

    init(_ line: Int, _ detail: String) {
        self.line = line
        self.detail = detail
    }
}
