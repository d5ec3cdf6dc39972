/// The lines at which the values of a document begin, by their JSON Pointers.
package struct PointerLines: Sendable {
    private var lines: [ByteKey: Int] = [:]

    package init() {}

    /// Notes the line, from 1, of the value at a pointer, unless one is known.
    package mutating func note(_ pointer: String, line: Int) {
        let key = ByteKey(pointer)
        lines[key] = lines[key] ?? line
    }

    /// The line of the value at a pointer, or of the nearest enclosing value.
    package func line(of pointer: String) -> Int {
        var rest = pointer.utf8[...]
        while true {
            if let line = lines[ByteKey(String(Substring(rest)))] { return line }
            guard let slash = rest.lastIndex(of: UInt8(ascii: "/")) else { return 1 }
            rest = rest[..<slash]
        }
    }
}
