internal import StrictJSON
internal import Synchronization

/// How the operations of one job ended, by path, for the references of those that come later.
final class ResultBoard: Sendable {
    private let endings = Mutex<[[String]: OperationEnding]>([:])

    init() {}

    func post(_ ending: OperationEnding, at path: [String]) { endings.withLock { $0[path] = ending } }

    func ending(at path: [String]) -> OperationEnding? { endings.withLock { $0[path] } }
}

/// Where an operation stands in its spec: what its references can see from there.
indirect enum SpecPlace: Sendable {
    /// The root: sees nothing.
    case root
    /// A member of the group at `path`.
    case member(groupPath: [String], siblings: Set<String>, outer: SpecPlace)

    /// The path of the operation that a reference names: a sibling first, then siblings of enclosing groups.
    func path(of reference: String) -> [String]? {
        let names = reference.split(separator: "/").map(String.init)
        guard let first = names.first, case .member(let groupPath, let siblings, let outer) = self else {
            return nil
        }
        return siblings.contains(first) ? groupPath + names : outer.path(of: reference)
    }
}

/// Answers references from one place of a job's spec.
struct ReferenceReader: Sendable {
    let board: ResultBoard
    let place: SpecPlace

    /// The value at the referenced place, or its fallback.
    /// - Throws: `reference.failed` when the operation has no result, `reference.missing` when the place is not there.
    func value(of reference: Binding.Reference) throws(AOperationError) -> JSONValue {
        guard let path = place.path(of: reference.operation), let ending = board.ending(at: path),
            let document = Self.document(of: ending)
        else {
            if let fallback = reference.fallback { return fallback }
            throw AOperationError(
                .referenceFailed, detail: "\(reference.operation) has no result to take \(reference.at) from."
            )
        }
        if let value = reference.at.resolve(in: document) { return value }
        if let fallback = reference.fallback { return fallback }
        throw AOperationError(
            .referenceMissing,
            detail: "The result of \(reference.operation) has no \(reference.at). "
                + "Look at it under /operations, or give the reference a default.")
    }

    private static func document(of ending: OperationEnding) -> JSONValue? {
        if ending.state == .succeeded { return (ending.result ?? .empty).document }
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
