public import JobKit
public import StrictJSON

/// A custom kind of operation for job specs: its word in `type`, its members, and a factory of operations.
///
/// ```swift
/// let greeting = OperationKind("greeting", members: [.required("whom", .string)]) { members in
///     ClosureOperation { _ in .string("Hello, \(members["whom"]?.string ?? "")") }
/// }
/// ```
///
/// In a spec it is like any other: `{"type": "greeting", "whom": "Ada"}` may have `after`, `conditions`, `when`,
/// `run_at`, `start_by`, `finish_by`, `timeouts`, `on_failure` and, unless `mayRetry` is false, `retry`. Members that
/// are unknown, missing or of another type are problems of the spec. Its output is the body of its result.
public struct OperationKind: Sendable {
    /// Creates an operation from the members, which are complete, of the declared types, and resolved.
    public typealias Factory = @Sendable (_ members: JSONObject) throws -> any AOperation<JSONValue>

    /// The word in `type`: `[a-z][a-z0-9_-]{0,62}`, none of those that are built in.
    public let name: String
    /// The members it takes besides those that every operation has.
    public let members: [Member]
    /// Whether specs may say `retry`. Without it there is one attempt.
    public let mayRetry: Bool
    /// Whether an attempt that was in flight when the process ended is made again. When not, its start is made durable
    /// first, and after a crash it ends as failed with `internal.interrupted`.
    public let repeatsAfterCrash: Bool
    let make: Factory
    /// Finds a problem in members that refer to nothing, with its position in the operation; nil takes them as they
    /// are.
    package var check: (@Sendable (JSONObject) -> SpecProblem?)?

    /// - Parameters:
    ///   - name: the word in `type`.
    ///   - members: the declared members. Default: none.
    ///   - mayRetry: whether specs may have `retry`. Default true.
    ///   - repeatsAfterCrash: whether the operation is idempotent. Default true.
    ///   - make: called once for each attempt. An error that it throws fails the attempt.
    public init(
        _ name: String, members: [Member] = [], mayRetry: Bool = true, repeatsAfterCrash: Bool = true,
        make: @escaping Factory
    ) {
        self.name = name
        self.members = members
        self.mayRetry = mayRetry
        self.repeatsAfterCrash = repeatsAfterCrash
        self.make = make
    }

    /// A kind whose operations return any value that can be encoded; its JSON form is the body of the result. Dates are
    /// written as in RFC 3339.
    /// - Parameters:
    ///   - name: the word in `type`.
    ///   - members: the declared members. Default: none.
    ///   - mayRetry: whether specs may have `retry`. Default true.
    ///   - repeatsAfterCrash: whether the operation is idempotent. Default true.
    ///   - make: called once for each attempt. An error that it throws fails the attempt.
    public init<Operation: AOperation>(
        _ name: String, members: [Member] = [], mayRetry: Bool = true, repeatsAfterCrash: Bool = true,
        make: @escaping @Sendable (_ members: JSONObject) throws -> Operation
    ) where Operation.Output: Encodable {
        self.init(name, members: members, mayRetry: mayRetry, repeatsAfterCrash: repeatsAfterCrash) {
            members -> any AOperation<JSONValue> in
            let operation = try make(members)
            return ClosureOperation(operation.name) { context -> JSONValue in
                try JSONValue(encoding: await operation.execute(in: context))
            }
        }
    }

    /// A member of a kind.
    public struct Member: Sendable, Hashable {
        /// Its name.
        public let name: String
        /// Its type.
        public let form: Form
        /// Whether it must be there.
        public let isRequired: Bool

        /// A member that must be present.
        public static func required(_ name: String, _ form: Form = .any) -> Member {
            Member(name: name, form: form, isRequired: true)
        }

        /// A member that may be absent.
        public static func optional(_ name: String, _ form: Form = .any) -> Member {
            Member(name: name, form: form, isRequired: false)
        }
    }

    /// The type of a member. `null` is only allowed where anything is.
    public enum Form: String, Sendable, Hashable, CaseIterable {
        /// A string.
        case string
        /// Any number.
        case number
        /// `true` or `false`.
        case boolean
        /// An array, of anything.
        case array
        /// An object, of anything.
        case object
        /// Any value, `null` included.
        case any
        /// A number without a fraction, within 64 bits. As in JSON Schema (2020-12, section 6.1.1) 5.0 is one; it is
        /// passed on as 5.
        case integer

        /// The name in sentences: "a string" …
        var text: String {
            switch self {
            case .string: "a string"
            case .number: "a number"
            case .integer: "a whole number"
            case .boolean: "true or false"
            case .array: "a list"
            case .object: "an object"
            case .any: "a value"
            }
        }

        /// Whether `value` is one.
        func allows(_ value: JSONValue) -> Bool {
            switch (self, value) {
            case (.any, _), (.string, .string), (.number, .number), (.boolean, .bool), (.array, .array),
                (.object, .object):
                true
            case (.integer, .number(let number)): number.wholeInt64 != nil
            default: false
            }
        }

        /// The value in the form in which the factory gets it.
        func handedOn(_ value: JSONValue) -> JSONValue {
            guard self == .integer, case .number(let number) = value, let whole = number.wholeInt64 else {
                return value
            }
            return .number(JSONNumber(whole))
        }
    }
}
