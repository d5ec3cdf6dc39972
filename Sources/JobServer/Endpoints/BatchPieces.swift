import HTTPMessage
import StrictJSON

/// Splits the body of a batch into its specs, byte for byte.
enum BatchPieces {
    /// The maximum number of specs in one batch.
    static let countMax = 1_000

    /// The specs in a body: the elements of a JSON array, or the lines of `application/x-ndjson`, each with the line
    /// number at which it begins (always 1 for elements).
    /// - Throws: `.malformedJSON`, `.invalidBody` when there are none, `.payloadTooLarge` when there are too many,
    ///   `.unsupportedMediaType`.
    static func cut(_ request: HTTPRequest) throws(Problem) -> [(spec: [UInt8], line: Int)] {
        let pieces = try isLines(request.head) ? lines(request.body) : elements(request.body)
        guard !pieces.isEmpty else {
            throw Problem(.invalidBody, "The batch is empty. It has 1 to \(countMax) job specs.")
        }
        return pieces
    }

    private static let tooLong = Problem(
        .payloadTooLarge, "A batch has at most \(countMax) job specs. Send the others in further batches.")

    private static func isLines(_ head: HTTPRequestHead) throws(Problem) -> Bool {
        if let type = try Negotiation.contentType(head) {
            if Negotiation.lineTypes.contains(Negotiation.name(of: type)) { return true }
        }
        try Negotiation.checkJSONBody(head)
        return false
    }

    private static func elements(_ body: [UInt8]) throws(Problem) -> [(spec: [UInt8], line: Int)] {
        do throws(JSONArraySlices.Failure) {
            return try JSONArraySlices.split(body, countMax: countMax).map { (Array($0), 1) }
        } catch {
            if error.isTooLong { throw tooLong }
            throw Problem(
                .malformedJSON,
                "Line \(error.line), column \(error.column): \(error.detail) A batch is a JSON array of 1 to "
                    + "\(countMax) job specs, or one on each line as application/x-ndjson.")
        }
    }

    private static func lines(_ body: [UInt8]) throws(Problem) -> [(spec: [UInt8], line: Int)] {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        let lines = zip(body.split(separator: 0x0A, omittingEmptySubsequences: false), 1...)
            .filter { !$0.0.allSatisfy(isSpace) }
        guard lines.count <= countMax else { throw tooLong }
        return lines.map { (Array($0), $1) }
    }
}
