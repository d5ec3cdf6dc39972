internal import JobKit
internal import StrictJSON

/// The document that predicates and references look into: an operation's result, or another value.
struct ResultDocument: Sendable {
    var value: JSONValue
    /// Whether its `/body` is content that is not JSON, or no content: then nothing inside of it exists, or is missing.
    var isOpaque = false
    /// Why its `/body` cannot be read at all.
    var obstacle: AOperationError?

    /// A document that is JSON as a whole.
    init(_ value: JSONValue) { self.value = value }

    /// Whether nothing can be said about this place.
    func hides(_ place: JSONPointer) -> Bool {
        guard isOpaque || obstacle != nil, place.isInBody else { return false }
        return obstacle != nil || place.tokens.count > 1
    }

    /// The error of asking for a place that it hides.
    func hidden(_ place: JSONPointer) -> AOperationError {
        obstacle ?? AOperationError(.referenceNotJSON, detail: "\(hiddenWords(place)).")
    }

    /// The same as a part of a sentence.
    func hiddenWords(_ place: JSONPointer) -> String {
        let why = obstacle?.detailWithoutEnd ?? place.absence(in: value) ?? "the content is not JSON"
        return "\(String(quotable: place.description)) cannot be looked at (\(why))"
    }
}

extension OperationResult {
    /// The part of a result's content that is needed.
    enum BodyUse: Int, Comparable {
        case none
        /// Whether it is there.
        case presence
        /// The whole document, with small content or the reference to a file.
        case whole
        /// The content itself.
        case reading

        static func < (left: BodyUse, right: BodyUse) -> Bool { left.rawValue < right.rawValue }

        /// The use by a reference to `place`.
        init(of place: JSONPointer) {
            self = place.isInBody || place.isInEvents ? .reading : place.tokens.isEmpty ? .whole : .none
        }
    }

    /// The steps that reading a byte of content takes.
    static let stepsPerByte = 4

    /// The document that references point into, with the content if needed.
    /// - Throws: when the content is needed: `reference.too_large` when an artifact is larger than `readBytesMax`,
    ///   `storage.*` when it cannot be read; `evaluation.too_long`.
    func document(
        with use: BodyUse, from place: (any ArtifactPlace)?, _ meter: StepMeter
    ) throws(AOperationError) -> ResultDocument {
        try meter.spend(32 + 8 * headers.count, on: .reading)
        switch use {
        case .none: return ResultDocument(.object(document(body: artifact == nil ? .null : nil)))
        case .presence: return ResultDocument(.object(document(body: .null)))
        case .whole:
            if artifact == nil { try meter.spend(Self.stepsPerByte * body.count, on: .reading) }
            return ResultDocument(document)
        case .reading:
            if byteCount <= Self.readBytesMax {
                try meter.spend(Self.stepsPerByte * byteCount, on: .reading)
            }
            let whole = try loaded(from: place)
            do throws(AOperationError) {
                let content = try whole.readContent()
                var members = document(body: content.value)
                if whole.isEventStream {
                    try meter.spend(Self.stepsPerByte * byteCount, on: .reading)
                    members["events"] = .array(whole.events)
                }
                var document = ResultDocument(.object(members))
                document.isOpaque = !content.isJSON
                return document
            } catch {
                var document = ResultDocument(.object(document(body: nil)))
                document.obstacle = error
                return document
            }
        }
    }

    /// The result with its content in memory.
    /// - Throws: as `document(with:from:)`.
    func loaded(from place: (any ArtifactPlace)?) throws(AOperationError) -> OperationResult {
        guard let artifact else { return self }
        guard let place else {
            throw AOperationError(.storageMissing, detail: "Nothing here can read artifacts.")
        }
        var read = self
        read.artifact = nil
        do throws(ArtifactFailure) {
            read.body = try place.bytes(of: artifact, bytesMax: Self.readBytesMax)
        } catch {
            guard error.code == .tooLarge else { throw AOperationError(artifact: error) }
            throw AOperationError(
                .referenceTooLarge,
                detail:
                    "The content has \(artifact.bytes) bytes, above the limit of \(Self.readBytesMax) for references "
                    + "into it. Use its status, headers, bytes or artifact, or fetch less.")
        }
        return read
    }

    /// The verdict of `predicate` on the result, and why it is not `holds`, as a sentence without its end.
    func verdict(
        of predicate: JSONPredicate, from place: (any ArtifactPlace)?, lookup: Binding.Lookup
    ) throws(AOperationError) -> (JSONPredicate.Verdict, shortfall: String?) {
        let document = try document(with: predicate.bodyUse, from: place, lookup.meter)
        let verdict = try predicate.verdict(on: document, lookup: lookup)
        switch verdict {
        case .holds: return (verdict, nil)
        case .fails:
            let shortfall = try predicate.shortfall(of: document, lookup.meter)
            return (verdict, shortfall ?? "the answer does not satisfy the predicate")
        case .unknown(let error):
            let shortfall = try predicate.shortfall(of: document, lookup.meter)
            return (verdict, shortfall ?? error.detailWithoutEnd)
        }
    }
}

extension AOperationError {
    /// The detail as a part of a longer sentence.
    var detailWithoutEnd: String {
        detail.utf8.last == UInt8(ascii: ".") ? String(detail.dropLast()) : detail
    }
}

extension JSONPointer {
    /// The content of a result.
    static let body = JSONPointer(tokens: ["body"])

    /// Whether it points to `body` of a result, or into it.
    var isInBody: Bool { tokens.first?.hasSameBytes(as: "body") ?? false }
}

extension JSONPointer {
    /// Whether it points to the `events` of a result, or into them.
    var isInEvents: Bool { tokens.first?.hasSameBytes(as: "events") ?? false }
}

extension JSONPredicate {
    /// The part of the current result's content that the predicate needs.
    var bodyUse: OperationResult.BodyUse {
        switch self {
        case .all(let parts), .any(let parts): parts.lazy.map(\.bodyUse).max() ?? .none
        case .not(let part): part.bodyUse
        case .compare(.at(let pointer), .exists) where pointer.isInBody && pointer.tokens.count == 1:
            .presence
        case .compare(.at(let pointer), _): .init(of: pointer)
        case .compare(.reference, _): .none
        }
    }
}

extension OperationResult {
    /// A JSON value as a result.
    /// - Throws: `evaluation.too_long`.
    init(json value: JSONValue, _ meter: StepMeter) throws(AOperationError) {
        try self.init(jsonText: value.encoded(), meter)
    }

    /// A JSON value, of which this is the text, as a result.
    /// - Throws: `evaluation.too_long`.
    init(jsonText: [UInt8], _ meter: StepMeter) throws(AOperationError) {
        self.init(status: nil, headers: [], contentType: "application/json", body: jsonText)
        try meter.spend(body.count, on: .making)
    }
}
