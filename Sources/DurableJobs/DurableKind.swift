public import JobKit
public import JobSpec
import StrictJSON

/// A kind of operation with parameters and a result that are `Codable`: its name, and what it does.
///
/// ```swift
/// struct Picture: Codable { let path: String; let width: Int }
///
/// let thumbnail = DurableKind("thumbnail") { (picture: Picture, _) in
///     try await images.thumbnail(of: picture.path, width: picture.width)  // `images` is an actor
/// }
/// ```
///
/// The closure captures its dependencies, such as an actor; only the parameters are stored. In
/// a spec it is `{"type": "thumbnail", "parameters": {"path": "cat.jpg", "width": 200}}`, which may have what every
/// operation may have, such as `retry` and `after`, and its result is the JSON of what is returned. Dates are in the
/// form of RFC 3339, to a millisecond.
///
/// An attempt that is in flight when the process ends is made again, with the same parameters, unless
/// `repeatsAfterCrash` is false: make it idempotent.
public struct DurableKind<Parameters: Codable & Sendable, Output: Codable & Sendable>: Sendable {
    /// The kind for `JobEngine.start(at:kinds:options:)` and `JobServer.run(kinds:)`.
    public let kind: OperationKind

    /// The word in `type`.
    public var name: String { kind.name }

    /// A kind that runs a closure.
    /// - Parameters:
    ///   - name: the word in `type`: `[a-z][a-z0-9_-]{0,62}`, none of those that are built in.
    ///   - repeatsAfterCrash: whether an attempt that was in flight when the process ended is made again. When not, it
    ///     ends as failed with `internal.interrupted`. Default true.
    ///   - run: called for each attempt, on the thread of the engine until it waits for an actor; work of more than a
    ///     moment belongs into one. An error that it throws fails the attempt.
    public init(
        _ name: String, repeatsAfterCrash: Bool = true,
        run: @escaping @Sendable (Parameters, OperationContext) async throws -> Output
    ) {
        kind = Self.kind(name, repeatsAfterCrash) { parameters in
            DurableOperation(name: name) { context in try await run(parameters, context) }
        }
    }

    /// A kind that runs an operation.
    /// - Parameters:
    ///   - name: the word in `type`: `[a-z][a-z0-9_-]{0,62}`, none of those that are built in.
    ///   - repeatsAfterCrash: whether an attempt that was in flight when the process ended is made again. When not, it
    ///     ends as failed with `internal.interrupted`. Default true.
    ///   - operation: makes the operation for each attempt. An error that it throws fails the attempt.
    public init<Operation: AOperation>(
        _ name: String, repeatsAfterCrash: Bool = true,
        operation: @escaping @Sendable (Parameters) throws -> Operation
    ) where Operation.Output == Output {
        kind = Self.kind(name, repeatsAfterCrash) { parameters in
            let made = try operation(parameters)
            return DurableOperation(name: made.name) { context in try await made.execute(in: context) }
        }
    }

    private static func kind(
        _ name: String, _ repeatsAfterCrash: Bool,
        _ make: @escaping @Sendable (Parameters) throws -> DurableOperation<Output>
    ) -> OperationKind {
        var kind = OperationKind(
            name, members: [.required(DurableParameters.member, .any)], repeatsAfterCrash: repeatsAfterCrash
        ) { members -> any AOperation<JSONValue> in
            let parameters: Parameters
            do throws(SpecProblem) { parameters = try decode(members) } catch {
                throw AOperationError(
                    .referenceMissing, detail: "\(name): \(error.sentence)", retryable: false)
            }
            return try make(parameters)
        }
        kind.check = { members in
            do throws(SpecProblem) { _ = try decode(members) } catch { return error }
            return nil
        }
        return kind
    }

    private static func decode(_ members: JSONObject) throws(SpecProblem) -> Parameters {
        do {
            return try JSONValue.decode(
                Parameters.self, from: (members[DurableParameters.member] ?? .null).encoded())
        } catch {
            throw SpecProblem(error, at: JSONPointer(tokens: [DurableParameters.member]))
        }
    }
}

/// The result of a kind that returns nothing.
public struct NoResult: Codable, Sendable, Hashable {
    /// The only one.
    public init() {}
}

extension DurableKind where Output == NoResult {
    /// A kind that runs a closure without a result: `DurableKind.withoutResult("mail") { (mail: Mail, _) in … }`
    /// - Parameters:
    ///   - name: the word in `type`: `[a-z][a-z0-9_-]{0,62}`, none of those that are built in.
    ///   - repeatsAfterCrash: whether an attempt that was in flight when the process ended is made again. When not, it
    ///     ends as failed with `internal.interrupted`. Default true.
    ///   - run: called for each attempt. An error that it throws fails the attempt.
    public static func withoutResult(
        _ name: String, repeatsAfterCrash: Bool = true,
        run: @escaping @Sendable (Parameters, OperationContext) async throws -> Void
    ) -> DurableKind {
        DurableKind(name, repeatsAfterCrash: repeatsAfterCrash) { parameters, context in
            try await run(parameters, context)
            return NoResult()
        }
    }
}

/// The position of the parameters in a spec.
enum DurableParameters {
    static let member = "parameters"
}

/// The work of a durable kind, whose result is JSON.
private struct DurableOperation<Output: Codable & Sendable>: AOperation {
    let name: String
    let body: @Sendable (OperationContext) async throws -> Output

    func execute(in context: OperationContext) async throws -> JSONValue {
        try JSONValue(encoding: await body(context))
    }
}
