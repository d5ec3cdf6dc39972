internal import HTTPMessage
internal import JobKit
package import StrictJSON

/// A valid but probably unintended part of a spec.
package struct SpecWarning: Sendable, Hashable {
    /// The address of the operation; nil where it is about no operation.
    package let operation: String?
    /// The number of the callback that it is about, from 0; nil for others.
    package let callback: Int?
    /// A code for programs: `warning.…`.
    package let code: String
    /// A sentence for people, with the remedy.
    package let detail: String

    /// - Parameters:
    ///   - path: the names from the root down to the operation; empty where it is about no operation.
    ///   - callback: the number of the callback that it is about.
    package init(path: [String], callback: Int? = nil, code: String, detail: String) {
        operation = path.isEmpty ? nil : OperationAddress.text(of: path.dropFirst())
        self.callback = callback
        self.code = code
        self.detail = detail
    }

    /// Writes warnings as a list.
    package static func write(_ warnings: [SpecWarning], to writer: inout JSONWriter) {
        writer.beginArray()
        for warning in warnings { warning.write(to: &writer) }
        writer.endArray()
    }

    /// Writes the warning as one JSON object.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("operation", ifKnown: operation)
        writer.member("callback", ifKnown: callback)
        writer.member("code", code)
        writer.member("detail", detail)
        writer.endObject()
    }

    /// The warnings about one operation.
    /// - Parameter steps: those left to find misspelt words, for all operations together.
    static func about(
        _ entry: SpecPlan.Entry, isRoot: Bool, _ moment: Moment?, _ steps: inout Int
    ) -> [SpecWarning] {
        let operation = entry.operation
        var found = operation.kind.work.warnings(about: operation, at: moment)
        if let call = operation.call { found += said(about: call, entry.retry ?? .once, moment) }
        if let miss = operation.nearMiss(&steps) { found.append(miss.warning) }
        if isRoot && operation.onFailure == .continue {
            found.append(
                ("warning.root_on_failure", "The root is in no group, so on_failure changes nothing."))
        }
        return found.map { SpecWarning(path: entry.path, code: $0.0, detail: $0.1) }
    }

    /// The warnings about the call of a callback.
    static func aboutCallback(
        _ call: NetworkSpec, _ number: Int, _ moment: Moment?
    ) -> [SpecWarning] {
        var steps = SpellingSuggestion.stepsMax
        var found = said(about: call, .once, moment)
        if let miss = call.nearMiss(&steps) { found.append(miss.warning) }
        return found.map { SpecWarning(path: [], callback: number, code: $0.0, detail: $0.1) }
    }

    /// Members of a group that are skipped when one before them fails, although its failure is allowed.
    static func aboutAllowedFailures(in entry: SpecPlan.Entry) -> [SpecWarning] {
        let members = entry.operation.members
        let allowed = Set(members.lazy.filter { $0.onFailure == .continue }.map { ByteKey($0.name) })
        if allowed.isEmpty { return [] }
        return zip(members, entry.operation.memberEdges).flatMap { member, edges in
            edges.lazy.filter { $0.states == .succeeded && allowed.contains(ByteKey($0.operation)) }.map {
                edge in
                SpecWarning(
                    path: entry.path + [member.name], code: "warning.skipped_after_failure",
                    detail:
                        "It is skipped when \(edge.operation) fails, which on_failure permits. To run it anyway, "
                        + (edge.isImplied
                            ? "give its references to \(edge.operation) a default."
                            : "write {\"operation\": \"\(edge.operation)\", \"states\": \"any\"} in its after.")
                )
            }
        }
    }

    private static func said(
        about call: NetworkSpec, _ retry: RetrySpec, _ moment: Moment?
    ) -> [(code: String, detail: String)] {
        var found = aboutSecrets(call, moment)
        let isRepeatable = HTTPMethod(call.method)?.isIdempotent ?? false
        if !isRepeatable && retry.attemptsMax > 1 && call.idempotencyKey == nil {
            if retry.repeatsUnsafeMethods {
                found.append(
                    (
                        "warning.unsafe_repeat",
                        "\(call.method) will be repeated even when the upstream may have acted: it may act twice."
                    ))
            } else {
                found.append(
                    (
                        "warning.unsafe_retry",
                        "\(call.method) will only be repeated when nothing was sent, or when the answer is 429 or 503. "
                            + "Give it an idempotency_key if the upstream knows them, or say retry.unsafe if it may act twice."
                    ))
            }
        }
        if call.handsOutCallback, call.url.lowercased().hasPrefix("http://") {
            found.append(
                (
                    "warning.plain_callback",
                    "The callback URL, which is itself the permission to go on, is sent unencrypted. Use an https URL."
                ))
        }
        if call.body != nil, call.method == "GET" || call.method == "DELETE" {
            found.append(
                (
                    "warning.content_without_meaning",
                    "The content of \(call.method) has no general meaning: the upstream, or something on the way, "
                        + "may drop it or refuse the request."
                ))
        }
        if let place = call.openCredential {
            found.append(
                (
                    "warning.stored_credentials",
                    "\(place) looks like a credential and is stored with the spec as it is. Store it with "
                        + "PUT /v1/secrets/{name} and write {\"$secret\": \"name\"}, or use auth."
                ))
        }
        guard let credentials = call.auth.credentials else { return found }
        if let warning = credentials.warning { found.append(warning) }
        if call.url.lowercased().hasPrefix("http://") {
            found.append(
                ("warning.plain_credentials", "The credentials are sent unencrypted. Use an https URL."))
        }
        if case .literal = credentials.confidentialValue {
            found.append(
                (
                    "warning.stored_credentials",
                    "The credentials stand in the spec and are stored with it as they are. Store them with "
                        + "PUT /v1/secrets/{name} and write {\"$secret\": \"name\"}."
                ))
        }
        return found
    }
}
