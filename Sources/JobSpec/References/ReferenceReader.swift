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
    var secrets = SecretAccess.named

    /// The references of a running attempt. They resolve secrets: the reader of specs permits references to them in
    /// requests only.
    func attempt(in context: OperationContext) -> ReferenceReader {
        var reader = self
        reader.attempt = context.attempt
        reader.secrets = context.secrets
        return reader
    }

    /// The lookup of one evaluation.
    func lookup(_ meter: StepMeter = StepMeter()) -> Binding.Lookup {
        Binding.Lookup(meter) { reference throws(AOperationError) in try value(of: reference, meter) }
    }

    /// The steps of one reference, besides those for the content.
    private static let steps = 400

    /// The referenced value, or its fallback.
    /// - Throws: `reference.failed` when the operation has no result, `reference.missing` when the value does not
    ///   exist, `reference.not_json` when it would be inside content that is not JSON.
    private func value(
        of reference: Binding.Reference, _ meter: StepMeter
    ) throws(AOperationError) -> JSONValue {
        try meter.spend(Self.steps, on: .reading)
        if case .secret(let name) = reference.source { return .string(try secrets.text(of: name)) }
        if case .hook = reference.source { return try delivered(reference) }
        if case .callback(let name) = reference.source {
            guard let path = place.path(of: name) else {
                throw Self.missing("There is no operation \(name) whose callback URL could be meant.")
            }
            return .string(try secrets.callbackURL(of: path, named: name))
        }
        if let content = try content(of: reference, meter) { return content }
        guard let document = try document(of: reference, meter) else {
            if let fallback = reference.fallback { return fallback }
            throw Self.absence(of: reference)
        }
        if let obstacle = document.obstacle, document.hides(reference.at) { throw obstacle }
        if let value = try reference.at.resolve(in: document.value, meter) { return value }
        if let fallback = reference.fallback { return fallback }
        throw AOperationError(
            document.hides(reference.at) ? .referenceNotJSON : .referenceMissing,
            detail: Self.missing(reference, in: document.value))
    }

    /// The value that the job took from its delivery when it was made.
    private func delivered(_ reference: Binding.Reference) throws(AOperationError) -> JSONValue {
        if let value = job.delivery?[reference.at.description] ?? reference.fallback { return value }
        throw Self.missing(
            "The delivery has no \(String(quotable: reference.at.description)). Give the binding a default if it may "
                + "lack it.")
    }

    /// The content to be sent unchanged, when the reference is to content and the operation succeeded.
    private func content(
        of reference: Binding.Reference, _ meter: StepMeter
    ) throws(AOperationError) -> JSONValue? {
        let isWhole = reference.at == ContentReference.content
        guard isWhole || reference.at == ContentReference.contentType,
            case .operation(let name) = reference.source,
            let ending = place.path(of: name).flatMap(board.ending), ending.state == .succeeded
        else { return nil }
        var result = ending.result ?? .empty
        if isWhole {
            if result.byteCount <= OperationResult.readBytesMax {
                try meter.spend(4 * result.byteCount, on: .making)
            }
            result = try result.loaded(from: board.artifacts)
        }
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

    /// The document that the reference looks into; nil when there is none.
    private func document(
        of reference: Binding.Reference, _ meter: StepMeter
    ) throws(AOperationError) -> ResultDocument? {
        switch reference.source {
        case .operation(let name): try document(at: place.path(of: name), reference, meter)
        case .previous(let name): try document(at: place.run(of: name)?.previous, reference, meter)
        case .item(let name): place.item(of: name).map(ResultDocument.init)
        case .parameter(let name): place.parameter(name).map(ResultDocument.init)
        case .job(let fact): value(of: fact).map(ResultDocument.init)
        case .secret, .hook, .callback: nil
        }
    }

    private func document(
        at path: [String]?, _ reference: Binding.Reference, _ meter: StepMeter
    ) throws(AOperationError) -> ResultDocument? {
        try path.flatMap { path throws(AOperationError) in
            try board.document(at: path, with: .init(of: reference.at), meter)
        }
    }

    /// The error of a reference to what has no document.
    private static func absence(of reference: Binding.Reference) -> AOperationError {
        switch reference.source {
        case .operation(let name):
            AOperationError(
                .referenceFailed, detail: "\(name) has no result to take \(reference.at) from.")
        case .item: missing("There is no item here to take \(reference.at) from.")
        case .previous:
            missing(
                "No run before this one has succeeded, so there is no \(reference.at) to take. "
                    + "Give the binding a default for the first run.")
        case .parameter(let name): missing("The parameter \(name) was not given.")
        case .job(let fact): missing("The job has no \(fact.rawValue).")
        case .secret(let name): SecretAccess.missing(name)
        case .hook: missing("There is no delivery here.")
        case .callback(let name): missing("\(name) has no callback URL.")
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
        case .operation: .string(OperationAddress.text(of: path))
        case .operationName: .string(name)
        case .attempt: .number(JSONNumber(Int64(attempt)))
        case .run: place.run(of: nil).map { .number(JSONNumber(Int64($0.number))) }
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
        case .previous: "The result of the run before has no \(place). Give the binding a default."
        case .parameter(let name): "The parameter \(name) has no \(place)."
        case .job(let fact): "The job's \(fact.rawValue) has no \(place). Give the binding a default."
        case .secret(let name): "There is no secret \(name)."
        case .hook: "The delivery has no \(place)."
        case .callback(let name): "\(name) has no callback URL."
        }
    }
}
