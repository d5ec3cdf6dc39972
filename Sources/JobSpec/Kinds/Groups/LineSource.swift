internal import JobKit
internal import StrictJSON

/// The lines of an earlier operation's result, each of which is an element of a map.
package struct LineSource: Sendable, Hashable {
    /// The limit of lines: 2,000,000.
    package static let linesMax = 2_000_000

    /// The form of a line.
    package enum Format: String, Sendable, Hashable, CaseIterable {
        /// A JSON value.
        case ndjson
        case text
    }

    /// The operation: a sibling, or seen from here as `$get` sees it.
    package var operation: String
    /// The form of each line.
    package var format = Format.ndjson

    /// The lines of an operation's result, as JSON.
    package init(operation: String) { self.operation = operation }
}

extension LineSource {
    /// The member that makes an object a source of lines.
    static let word = "$lines"

    /// `{"$lines": "orders", "format": "ndjson"}`
    static func read(_ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading) -> LineSource? {
        var operation: String?
        var format = Format.ndjson
        reading.members(of: object, "A source of lines", known: [word, "format"]) { reading, name, value in
            switch name {
            case word:
                operation = reading.string(value, "the name of another operation")
                if let operation { reading.refer(to: operation, hasFallback: false, scope) }
            case "format": format = reading.word(value) ?? format
            default: return false
            }
            return true
        }
        if !scope.repeats.isEmpty || scope.isFinal {
            reading.note(
                member: word, .notAvailable,
                "A repeat, and \"finally\", may run again what has succeeded, of which a map over lines keeps the results "
                    + "alone. Put the map outside.")
        }
        guard let operation else { return nil }
        var source = LineSource(operation: operation)
        source.format = format
        return source
    }

    /// The elements in some lines.
    /// - Throws: `reference.not_json`, `reference.type`, `reference.too_large` with the line; `evaluation.too_long`.
    func items(in part: LinePart, _ meter: StepMeter) throws(AOperationError) -> [JSONValue] {
        try meter.spend(OperationResult.stepsPerByte * part.content.count, on: .reading)
        var items: [JSONValue] = []
        var begin = 0
        for (index, end) in part.ends.enumerated() {
            var line = part.content[begin..<end]
            begin = end
            if line.last == 0x0A { line.removeLast() }
            if line.last == 0x0D { line.removeLast() }
            let number = part.start.line + index
            if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
            if format == .text ? line.isEmpty : line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
            items.append(try item(Array(line), number))
        }
        return items
    }

    private func item(_ line: [UInt8], _ number: Int) throws(AOperationError) -> JSONValue {
        switch format {
        case .ndjson:
            // The limits of other content: the value becomes a part of values that are stored, and read again.
            let limits = JSONLimits(bytesMax: line.count)
            do throws(JSONParseError) { return try JSONParser.parse(line, limits: limits) } catch {
                throw notJSON(error, number)
            }
        case .text:
            guard let text = String(validating: line, as: UTF8.self) else {
                throw AOperationError(
                    .referenceType, detail: "Line \(number) of \(operation) is not in UTF-8.")
            }
            return .string(text)
        }
    }

    private func notJSON(_ error: JSONParseError, _ number: Int) -> AOperationError {
        let place = error.description(inTextFrom: number)
        let isLimit = error.code == .depth || error.code == .members
        return AOperationError(
            .referenceNotJSON,
            detail:
                "The content of \(operation) \(isLimit ? "has a line that cannot be read" : "is not JSON"): \(place) For "
                + "lines of text, say \"format\": \"text\".")
    }
}
