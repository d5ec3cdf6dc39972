/// An expanded expression with its position in the expansion.
struct URITemplateInsertion {
    let expression: URITemplateExpression
    /// Whether at least one of its variables has a value.
    let isDefined: Bool
    let place: Range<Int>

    /// The names of its variables.
    var names: String { expression.variables.map(\.name).joined(separator: ", ") }
}

/// Checks that inserted values do not change the structure of the path, and undefined ones neither that nor the host.
struct URITemplatePathCheck {
    private let bytes: [UInt8]
    private let insertions: [URITemplateInsertion]

    init(_ bytes: [UInt8], _ insertions: [URITemplateInsertion]) {
        self.bytes = bytes
        self.insertions = insertions
    }

    func check() throws(URITemplateError) {
        if bytes.starts(with: [0x2F, 0x2F]), let found = insertions.first(where: { $0.place.lowerBound < 2 })
        {
            throw error(
                .host, found, "makes the URL begin with //, so that what follows would be a host.")
        }
        if bytes.first == 0x2F, let found = insertions.first, found.place == 0..<0 {
            throw error(.root, found, "is empty, so that the URL begins with a slash and leaves its base.")
        }
        let path = self.path
        if let gap = insertions.first(where: { !$0.isDefined && leavesGap($0, path) }) {
            let first = gap.expression.variables[0]
            throw URITemplateError(
                code: .undefined,
                detail:
                    "\(gap.names) has no value (null, or an empty list). Without one the URL leads elsewhere.",
                suggestion: "Give a default, or write {/\(first.name)} for a segment that may be missing.",
                offset: first.offset)
        }
        var start = path.lowerBound
        // No insertion before this one reaches the segment.
        var next = 0
        while start <= path.upperBound {
            let end = bytes[start..<path.upperBound].firstIndex(of: 0x2F) ?? path.upperBound
            while next < insertions.count, insertions[next].place.upperBound < start { next += 1 }
            if let found = insertion(in: start..<end, from: next), DotSegment.isOne(bytes[start..<end]) {
                throw error(
                    .dotSegment, found,
                    "makes a dot segment (. or .., also when it is encoded) in the path, which leads elsewhere."
                )
            }
            start = end + 1
        }
    }

    /// Whether an expression that expands to nothing leaves a segment of the path empty, or host or port incomplete. A
    /// segment or a query with an operator of its own is meant to be optional.
    private func leavesGap(_ found: URITemplateInsertion, _ path: Range<Int>) -> Bool {
        let operation = found.expression.operation
        guard operation != .path, operation != .query, operation != .continuation else { return false }
        let position = found.place.lowerBound
        if path.lowerBound > 0, position <= path.lowerBound { return true }
        guard operation == .simple, position <= path.upperBound else { return false }
        let isFirst = position == 0 || bytes[position - 1] == 0x2F
        return isFirst && (position == path.upperBound || bytes[position] == 0x2F)
    }

    /// The path, after scheme and host and before the query.
    private var path: Range<Int> {
        var start = 0
        for scheme in ["https://", "http://"] where bytes.count >= scheme.utf8.count {
            if bytes.span.spells(scheme, from: 0, to: scheme.utf8.count) { start = scheme.utf8.count }
        }
        if bytes.starts(with: [0x2F, 0x2F]) { start = 2 }
        let end = bytes[start...].firstIndex { $0 == 0x3F || $0 == 0x23 } ?? bytes.count
        if start > 0 { start = bytes[start..<end].firstIndex(of: 0x2F) ?? end }
        return start..<end
    }

    /// An expression that contributes to a segment, including one that expands to nothing: `.{x}.` is written as if it
    /// could never be `..`. Also one that ends before the segment, since its last character is the slash.
    private func insertion(in segment: Range<Int>, from next: Int) -> URITemplateInsertion? {
        // Insertions follow one another: when this one begins behind the segment, so do those behind it.
        guard next < insertions.count else { return nil }
        let place = insertions[next].place
        let isReached =
            place.isEmpty
            ? place.lowerBound <= segment.upperBound : place.lowerBound < segment.upperBound
        return isReached ? insertions[next] : nil
    }

    private func error(
        _ code: URITemplateError.Code, _ insertion: URITemplateInsertion, _ fault: String
    ) -> URITemplateError {
        URITemplateError(
            code: code, detail: "The value of \(insertion.names) \(fault)",
            suggestion: "Give another value, or send it in the query or in the body.",
            offset: insertion.expression.variables.first?.offset ?? 0)
    }
}
