package import JobKit
package import StrictJSON

/// A spec after defaults: its operations in order, their dependencies, retry policies, and warnings. The answer to
/// `validate_only=true` and to `jobserver check`.
package struct SpecPlan: Sendable {
    package let spec: JobSpec
    /// Its operations, each group before its members, in the order of the spec.
    package let operations: [Entry]
    /// Things that are allowed and may not be meant.
    package let warnings: [SpecWarning]

    /// One operation of the plan.
    package struct Entry: Sendable {
        /// The names from the root down; the root itself has only its own. `*` is the number of an operation
        /// of which the run makes as many as it needs.
        package let path: [String]
        package let operation: OperationSpec
        /// Its dependencies: written edges, edges implied by references, and the previous step in an ordered group.
        package let after: [OperationSpec.AfterEdge]
        /// The retry policy with defaults; nil for an operation that is never retried.
        package let retry: RetrySpec?
    }

    /// The plan of a spec that the reader accepted.
    /// - Parameters:
    ///   - first: earlier warnings, about the text of the spec.
    ///   - moment: the facts known at its submission; nil when it is not submitted.
    package init(_ spec: JobSpec, after first: [SpecWarning] = [], at moment: SpecWarning.Moment? = nil) {
        self.spec = spec
        var entries: [Entry] = []
        Self.collect(spec.operation, path: [], after: spec.operation.after, into: &entries)
        operations = entries
        var steps = SpellingSuggestion.stepsMax
        warnings =
            first + entries.flatMap { SpecWarning.aboutTimes(of: $0.operation, at: $0.path, moment) }
            + entries.flatMap { SpecWarning.about($0, isRoot: $0.path.count == 1, moment, &steps) }
            + entries.flatMap { SpecWarning.aboutAllowedFailures(in: $0) }
            + SpecWarning.aboutCallbacks(entries)
            + spec.callbacks.enumerated().flatMap { index, callback in
                SpecWarning.aboutCallback(callback.call, index, moment)
            }
    }

    /// The warnings alone. Cheap for a call without warnings.
    package static func warnings(of spec: JobSpec, at moment: SpecWarning.Moment? = nil) -> [SpecWarning] {
        isPlain(spec.operation) && spec.callbacks.isEmpty
            ? SpecWarning.aboutTimes(of: spec.operation, at: [spec.operation.name], moment)
            : SpecPlan(spec, at: moment).warnings
    }

    private static func isPlain(_ operation: OperationSpec) -> Bool {
        var steps = SpellingSuggestion.stepsMax
        guard operation.conditions.isEmpty, operation.onFailure == .fail,
            operation.nearMiss(&steps) == nil
        else { return false }
        return operation.kind.work.isPlain(in: operation)
    }

    /// - Parameter place: its path, where that does not end in its name.
    private static func collect(
        _ operation: OperationSpec, path: [String], at place: [String]? = nil,
        after: [OperationSpec.AfterEdge], into entries: inout [Entry]
    ) {
        let path = place ?? path + [operation.name]
        var retry = operation.retry
        if operation.call != nil { retry = retry ?? .standard }
        entries.append(Entry(path: path, operation: operation, after: after, retry: retry))
        for (member, edges) in zip(operation.members, operation.memberEdges) {
            collect(member, path: path, after: edges, into: &entries)
        }
        if let copied = operation.copied {
            let place = path + ["*"]
            collect(copied, path: path, at: place, after: copied.after, into: &entries)
        }
    }

    /// Writes the plan as one JSON object.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("valid", true)
        writer.member("name", spec.operation.name)
        writer.member("type", spec.operation.kind.type)
        writer.member("queue", spec.queue)
        if let key = spec.queueKey { writer.member("queue_key", key) }
        writer.member("priority", spec.priority)
        writer.name("operations")
        writer.beginArray()
        for entry in operations {
            entry.write(to: &writer)
        }
        writer.endArray()
        writer.name("warnings")
        SpecWarning.write(warnings, to: &writer)
        writer.endObject()
    }

    /// The plan as lines for people: one for each operation, then the warnings.
    package var text: String {
        func isRoot(_ address: String?) -> Bool { address?.hasSameBytes(as: OperationAddress.root) ?? false }
        var lines = operations.map(\.line)
        lines += warnings.map { warning in
            let callback = warning.callback.map { "callbacks/\($0)" }
            let place = callback ?? (isRoot(warning.operation) ? spec.operation.name : warning.operation)
            return "warning: \(place.map { "\($0): " } ?? "")\(warning.detail) [\(warning.code)]"
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension SpecPlan.Entry {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("operation", OperationAddress.text(of: path.dropFirst()))
        writer.member("type", operation.kind.type)
        if let call = operation.call {
            writer.member("method", call.method)
            writer.member("url", call.url)
        }
        writer.name("after")
        writer.beginArray()
        for edge in after {
            writer.beginObject()
            writer.member(
                "operation", OperationAddress.text(of: path.dropFirst().dropLast() + [edge.operation]))
            writer.name("states")
            writer.value(edge.states.json)
            writer.member("implied", edge.isImplied)
            writer.endObject()
        }
        writer.endArray()
        writer.member("conditions", operation.conditions.map(\.type))
        writer.member("gated", operation.when != nil)
        if let retry {
            writer.name("retry")
            writer.value(JSONValue.object(JSONObject(retry.members.map { ($0.name, $0.value) })))
        }
        writer.name("timeouts")
        writer.beginObject()
        for clock in operation.effectiveTimeouts() where clock.value != .null {
            writer.member(clock.shortName, clock.value)
        }
        writer.endObject()
        if let time = operation.runAt { writer.member("run_at", time.json) }
        if let time = operation.startBy { writer.member("start_by", time.json) }
        if let time = operation.finishBy { writer.member("finish_by", time.json) }
        writer.member("on_failure", operation.onFailure.rawValue)
        writer.endObject()
    }

    fileprivate var line: String {
        let isRoot = path.count == 1
        var words = [
            isRoot ? operation.name : OperationAddress.text(of: path.dropFirst()), operation.kind.type,
        ]
        words += operation.kind.work.planWords
        if !after.isEmpty {
            let edges = after.map { $0.operation + ($0.states == .succeeded ? "" : " \($0.states.shown)") }
            words.append("after \(edges.joined(separator: ", "))")
        }
        if !operation.conditions.isEmpty {
            words.append("if \(operation.conditions.map(\.type).joined(separator: ", "))")
        }
        if let retry, retry.attemptsMax > 1 { words.append("up to \(retry.attemptsMax) attempts") }
        if let timeout = operation.timeout { words.append("within \(DurationText.text(timeout))") }
        return words.joined(separator: "  ")
    }
}
