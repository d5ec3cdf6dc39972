import StrictJSON

/// Takes query parameters one by one and collects errors: unknown names, repeated names, invalid values.
struct QueryReader {
    private var parameters: [(name: String, value: String)]
    private var known: [String] = []
    /// The errors so far.
    private(set) var items: [Problem.Item] = []

    /// Whether so many errors are recorded that further ones are left out.
    var isFull: Bool { items.count >= Problem.itemsMax }

    init(_ parameters: [(name: String, value: String)]) { self.parameters = parameters }

    /// The value of a non-repeatable parameter; nil when it is absent.
    mutating func text(_ name: String) -> String? {
        known.append(name)
        let values = take { $0 == name }
        if values.count > 1 {
            add(
                name, code: "query.repeated",
                detail: "\(name) is given \(values.count) times; once is possible")
        }
        return values.first?.value
    }

    /// The words of a list, with commas between; those of a repeated parameter follow each other, as some generated
    /// clients write a list. Nil when it is absent.
    mutating func list(_ name: String) -> String? {
        known.append(name)
        let values = take { $0 == name }
        return values.isEmpty ? nil : values.map(\.value).joined(separator: ",")
    }

    /// A whole number; values above the range are clamped.
    mutating func number(_ name: String, from least: Int64, to most: Int64) -> Int64? {
        QueryReader.number(text(name), name, from: least, to: most, &self)
    }

    /// The same for a value that was taken already.
    static func number(
        _ text: String?, _ name: String, from least: Int64, to most: Int64, _ reader: inout QueryReader
    ) -> Int64? {
        guard let text else { return nil }
        // A number that overflows is above the range, too.
        let isNumber = !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard let number = Int64(text) ?? (isNumber ? most : nil), number >= least else {
            reader.add(
                name, code: "query.value",
                detail:
                    "\(name) must be a whole number, at least \(least); more than \(most) counts as \(most)")
            return nil
        }
        return min(number, most)
    }

    /// `true` or `false`; a name without a value is true.
    mutating func flag(_ name: String) -> Bool {
        guard let text = text(name) else { return false }
        switch text {
        case "", "true", "1": return true
        case "false", "0": return false
        default:
            add(name, code: "query.value", detail: "\(name) must be true or false", suggestion: "true")
            return false
        }
    }

    /// All parameters with a prefix, which is removed from the names.
    mutating func all(prefix: String) -> [(name: String, value: String)] {
        known.append(prefix)
        return take { $0.utf8.starts(with: prefix.utf8) && $0.utf8.count > prefix.utf8.count }.map {
            (String(Substring($0.name.utf8.dropFirst(prefix.utf8.count))), $0.value)
        }
    }

    /// Records that a value is invalid; nothing more once it is full.
    mutating func add(_ name: String, code: String, detail: String, suggestion: String? = nil) {
        guard !isFull else { return }
        // Of one sentence, since `finish` goes on behind it.
        let detail = detail.utf8.last == UInt8(ascii: ".") ? String(detail.dropLast()) : detail
        items.append(Problem.Item(.parameter(name), code: code, detail: detail, suggestion: suggestion))
    }

    /// Finishes the query.
    /// - Throws: when a value was invalid or a parameter was unknown.
    mutating func finish() throws(Problem) {
        for parameter in parameters.prefix(Problem.itemsMax) {
            let list = known.isEmpty ? "there are none here" : "known are " + known.joined(separator: ", ")
            add(
                parameter.name, code: "query.unknown", detail: "\"\(parameter.name)\" is not known; \(list)",
                suggestion: FamiliarQuery.parameter(parameter.name, in: known))
        }
        guard let first = items.first else { return }
        let count = items.count == 1 ? "" : " (and \(isFull ? "at least " : "")\(items.count - 1) more)"
        throw Problem(.invalidQuery, first.detail + count + ".", items: items)
    }

    private mutating func take(where fits: (String) -> Bool) -> [(name: String, value: String)] {
        let taken = parameters.filter { fits($0.name) }
        parameters.removeAll { fits($0.name) }
        return taken
    }
}
