internal import JobKit
internal import StrictJSON

/// Resolves references from one position in a job's spec.
struct ReferenceReader: Sendable {
    let board: ResultBoard
    let job: JobFacts
    var place: SpecPlace
    /// The path of the referring operation below the root.
    let path: [String]
    /// The name of the referring operation.
    let name: String
    /// The current attempt, from 1; 0 before the execution.
    var attempt = 0
    /// Access to secrets.
    var secrets = SecretAccess.named

    /// The lookup of a running attempt. It resolves secrets: the reader of specs permits references to them in requests
    /// only.
    func lookup(in context: AOperationContext) -> Binding.Lookup {
        var reader = self
        reader.attempt = context.attempt
        reader.secrets = context.secrets
        return reader.value
    }

    /// The referenced value, or its fallback.
    /// - Throws: `reference.failed` when the operation has no result, `reference.missing` when the value does not
    ///   exist.
    func value(of reference: Binding.Reference) throws(AOperationError) -> JSONValue {
        if case .secret(let name) = reference.source { return .string(try secrets.text(of: name)) }
        if let content = try content(of: reference) { return content }
        let (document, failure) = try source(of: reference)
        guard let document else {
            if let fallback = reference.fallback { return fallback }
            throw failure
        }
        if let value = reference.at.resolve(in: document) { return value }
        if let fallback = reference.fallback { return fallback }
        throw AOperationError(.referenceMissing, detail: Self.missing(reference, in: document))
    }

    /// The content to be sent unchanged, when the reference is to content and the operation succeeded.
    private func content(of reference: Binding.Reference) throws(AOperationError) -> JSONValue? {
        guard case .operation(let name) = reference.source,
            let ending = place.path(of: name).flatMap(board.ending), ending.state == .succeeded
        else { return nil }
        var result = ending.result ?? .empty
        if reference.at == ContentReference.content { result = try result.loaded(from: board.artifacts) }
        return ContentReference.value(at: reference.at, of: result)
    }

    /// The result of the referenced operation; nil when it has none.
    func result(of operation: String) -> OperationResult? {
        place.path(of: operation).flatMap(board.ending).flatMap { $0.state == .succeeded ? $0.result : nil }
    }

    /// Whether the referenced operation succeeded.
    func hasSucceeded(_ operation: String) -> Bool {
        place.path(of: operation).flatMap(board.ending)?.state == .succeeded
    }

    private func source(
        of reference: Binding.Reference
    ) throws(AOperationError) -> (JSONValue?, AOperationError) {
        switch reference.source {
        case .operation(let name):
            let ending = place.path(of: name).flatMap(board.ending)
            let document = try ending.flatMap { ending throws(AOperationError) in
                try board.document(of: ending, with: reference.at.isInBody ? .reading : .none)
            }
            let detail = "\(name) has no result to take \(reference.at) from."
            return (document, AOperationError(.referenceFailed, detail: detail))
        case .item(let name):
            return (place.item(of: name), Self.missing("There is no item here to take \(reference.at) from."))
        case .parameter(let name):
            return (place.parameter(name), Self.missing("The parameter \(name) was not given."))
        case .job(let fact): return (value(of: fact), Self.missing("The job has no \(fact.rawValue)."))
        case .secret(let name): return (nil, SecretAccess.missing(name))
        }
    }

    private func value(of fact: Binding.JobFact) -> JSONValue? {
        switch fact {
        case .id: .string(job.id)
        case .name: .string(job.name)
        case .queue: .string(job.queue)
        case .priority: .number(JSONNumber(Int64(job.priority)))
        case .labels: job.labels
        case .metadata: job.metadata
        case .submittedAt: job.submittedAt.map { .string($0.description) }
        case .scheduledFor: job.scheduledFor.map { .string($0.description) }
        case .operation: .string(name)
        case .path: .string(path.joined(separator: "/"))
        case .attempt: .number(JSONNumber(Int64(attempt)))
        }
    }

    private static func missing(_ detail: String) -> AOperationError {
        AOperationError(.referenceMissing, detail: detail)
    }

    private static func missing(_ reference: Binding.Reference, in document: JSONValue) -> String {
        let instead = reference.at.absence(in: document).map { ": \($0)" } ?? ""
        let place = "\(reference.at)\(instead)"
        return switch reference.source {
        case .operation(let name):
            "The result of \(name) has no \(place). "
                + "Look at it under /operations, or give the reference a default."
        case .item: "The item has no \(place). Give the binding a default if it may lack it."
        case .parameter(let name): "The parameter \(name) has no \(place)."
        case .job(let fact): "The job's \(fact.rawValue) has no \(place). Give the binding a default."
        case .secret(let name): "There is no secret \(name)."
        }
    }

}

extension ResultBoard {
    /// The document that references to an ended operation see: its result, or its state and error.
    /// - Parameter use: the requested use of the content.
    func document(
        of ending: OperationEnding, with use: OperationResult.BodyUse
    ) throws(AOperationError) -> JSONValue? {
        if ending.state == .succeeded {
            let result = ending.result ?? .empty
            guard case .object(var document) = try result.document(with: use, from: artifacts)
            else { return nil }
            document["state"] = .string(ending.state.rawValue)
            return .object(document)
        }
        guard let error = ending.errors.first else { return nil }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("state", ending.state.rawValue)
        writer.name("error")
        error.write(to: &writer)
        writer.endObject()
        return try? JSONParser.parse(writer.bytes)
    }
}
