package import StrictJSON

/// A JSON value with bindings, which are resolved when the operation runs. Values are inserted whole, never spliced
/// into text, except by `$text`, which is explicit.
package indirect enum Binding: Sendable, Hashable {
    case literal(JSONValue)
    /// `{"$get": "login", "at": "/body/token"}`, `{"$item": "/id"}`, `{"$param": "order"}`, `{"$job": "id"}`,
    /// `{"$previous": "", "at": "/body/cursor"}`, `{"$hook": "", "at": "/body/id"}`
    case get(Reference)
    /// `{"$text": "Order {id}", "vars": {"id": …}}`
    case text(String, vars: [NetworkSpec.Entry])
    /// An array with at least one binding.
    case array([Binding])
    /// An object with at least one binding.
    case object([NetworkSpec.Entry])

    /// A position in a document that is known when the operation runs.
    package struct Reference: Sendable, Hashable {
        package var source: Source
        /// The position in it. In the result of an operation: `status`, `headers`, `body`, `bytes`.
        package var at: JSONPointer
        /// The value when the position does not exist or the operation did not succeed; nil makes that an error.
        package var fallback: JSONValue?

        /// A position in a document.
        package init(_ source: Source, at: JSONPointer = .root, fallback: JSONValue? = nil) {
            self.source = source
            self.at = at
            self.fallback = fallback
        }

        /// A position in the result of another operation.
        package init(operation: String, at: JSONPointer, fallback: JSONValue? = nil) {
            self.init(.operation(operation), at: at, fallback: fallback)
        }
    }

    /// The source of a bound value.
    package enum Source: Sendable, Hashable {
        /// The result of another operation: a sibling, a sibling of an enclosing group, or a path such as
        /// `outer/inner` that starts at one of those.
        case operation(String)
        /// The element that a map is at: of the innermost map, or of the one around that gave it this name (`as`).
        case item(of: String?)
        /// The result of the latest run before this one that succeeded: of the innermost `repeat`, or of the one around
        /// that has this name.
        case previous(of: String?)
        /// A parameter of the surrounding template.
        case parameter(String)
        /// A fact about the job or the operation itself.
        case job(JobFact)
        /// The delivery that made the job of a hook.
        case hook
        /// A secret, only in requests: its value as text, resolved at dispatch and never stored.
        case secret(String)
        /// The callback URL of an operation that awaits a request, only in requests.
        case callback(of: String)
    }

    /// Facts about a job.
    package enum JobFact: String, Sendable, Hashable, CaseIterable {
        /// The job's id.
        case id
        /// The name of its root operation.
        case name
        /// The queue it waited in.
        case queue
        /// 0…9.
        case priority
        /// Its labels, an object.
        case labels
        /// The submitter's metadata, an object; null when there is none.
        case metadata
        /// The time of its submission, or of the last retry by a person.
        case submittedAt = "submitted_at"
        /// The planned time for which its schedule made it; a job without a schedule has none.
        case scheduledFor = "scheduled_for"
        /// The address of the operation at hand.
        case operation
        case operationName = "operation_name"
        /// The number of the attempt, from 1; 0 before the execution.
        case attempt
        /// The number of the run of the innermost `repeat`, from 1; only inside of one.
        case run
    }
}
