internal import JobKit
internal import StrictJSON

extension OperationResult {
    /// The part of a result's content that is needed.
    enum BodyUse: Int, Comparable {
        case none
        /// Whether it is there.
        case presence
        /// The content itself.
        case reading

        static func < (left: BodyUse, right: BodyUse) -> Bool { left.rawValue < right.rawValue }
    }

    /// The document that references point into, with the content if needed.
    /// - Throws: when the content is needed: `reference.too_large` when an artifact is larger than `readBytesMax`,
    ///   `storage.*` when it cannot be read, `reference.type` when the content is not text.
    func document(
        with use: BodyUse, from place: (any ArtifactPlace)?
    ) throws(AOperationError) -> JSONValue {
        guard use > .none, case .object(var object) = document else { return document }
        if use == .reading {
            object["body"] = try loaded(from: place).readBody()
        } else if object["body"] == nil {
            object["body"] = .null
        }
        return .object(object)
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

    /// Whether `predicate` holds of the result.
    func meets(
        _ predicate: JSONPredicate, from place: (any ArtifactPlace)?, lookup: Binding.Lookup
    ) throws(AOperationError) -> Bool {
        try shortfall(of: predicate, from: place, lookup: lookup) == nil
    }

    /// Why `predicate` does not hold for the result, as a sentence without its end; nil when it holds.
    func shortfall(
        of predicate: JSONPredicate, from place: (any ArtifactPlace)?, lookup: Binding.Lookup
    ) throws(AOperationError) -> String? {
        let document = try document(with: predicate.bodyUse, from: place)
        if try predicate.evaluate(document: document, lookup: lookup) { return nil }
        return predicate.shortfall(of: document) ?? "the answer does not satisfy the predicate"
    }
}

extension JSONPointer {
    /// Whether it points to `body` of a result, or into it.
    var isInBody: Bool { tokens.first?.utf8.elementsEqual("body".utf8) ?? false }
}

extension JSONPredicate {
    /// The part of the current result's content that the predicate needs.
    var bodyUse: OperationResult.BodyUse {
        switch self {
        case .all(let parts), .any(let parts): parts.lazy.map(\.bodyUse).max() ?? .none
        case .not(let part): part.bodyUse
        case .compare(.at(let pointer), .exists) where pointer.isInBody && pointer.tokens.count == 1:
            .presence
        case .compare(.at(let pointer), _): pointer.isInBody ? .reading : .none
        case .compare(.reference, _): .none
        }
    }
}
