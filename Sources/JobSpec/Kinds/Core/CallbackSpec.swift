package import JobKit
package import StrictJSON

/// A callback about the end of a job: a POST of an event, made by a separate job.
package struct CallbackSpec: Sendable, Hashable {
    /// The outcomes that cause a callback. Default all.
    package var states: Set<JobState> = Set(CallbackSpec.ends)
    /// The call, without content. The idempotency key is `auto` by default.
    package var call: NetworkSpec
    /// The call and its settings as in the spec: `request`, `connection`, `expect`, `retry`, `timeouts`.
    package var members: JSONObject

    /// The final states in the order in which they are listed.
    package static let ends = JobState.allCases.filter(\.isFinal)

    /// A callback for every outcome.
    package init(call: NetworkSpec, members: JSONObject) {
        self.call = call
        self.members = members
    }

    /// The media type of an event: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md
    private static let contentType = "application/cloudevents+json; charset=utf-8"

    /// The spec of the job that makes the call: of type `network`, named `callback`, in the queue `callbacks`.
    ///
    /// It has ten attempts over about three days, and every error is retryable except the status 410, unless `retry`
    /// says otherwise: a service that is down for a day, or was misconfigured, still gets its event. An attempt takes
    /// at most 15 s unless `timeouts` says otherwise.
    /// - Parameters:
    ///   - event: the content.
    ///   - job: the finished job; the label `callback_of` names it.
    ///   - retention: the retention of the callback job.
    package func delivery(
        of event: String, about job: JobID, priority: Int, retention: JobSpec.Retention
    ) -> JSONValue {
        var spec = JSONObject([
            ("type", .string("network")), ("name", .string("callback")), ("queue", .string("callbacks")),
            ("priority", .number(JSONNumber(Int64(priority)))),
            ("labels", .object(JSONObject([(ReservedLabel.callbackOf.rawValue, .string(job.description))]))),
            ("request", .object(request(with: event))),
            ("retry", .object(Self.merged(Self.retry, members["retry"]))),
            ("timeouts", .object(Self.merged(Self.timeouts, members["timeouts"]))),
        ])
        for name in ["connection", "expect"] { spec[name] = members[name] }
        let kept = [("succeeded", retention.succeeded), ("failed", retention.failed)].compactMap {
            name, length in
            length.map { (name, JSONValue.string(DurationText.text($0))) }
        }
        if !kept.isEmpty { spec["retention"] = .object(JSONObject(kept)) }
        return .object(spec)
    }

    private func request(with event: String) -> JSONObject {
        var request = members["request"]?.object ?? JSONObject([("url", members["request"] ?? .null)])
        if request["method"] == nil { request["method"] = .string("POST") }
        if call.idempotencyKey == .auto { request["idempotency_key"] = .string("auto") }
        var headers = request["headers"]?.object ?? JSONObject()
        if !call.hasHeader("content-type") {
            headers["Content-Type"] = .string(Self.contentType)
        }
        request["headers"] = .object(headers)
        request["text"] = .string(event)
        return request
    }

    /// The waits of Standard Webhooks: https://github.com/standard-webhooks/standard-webhooks
    private static let retry = JSONObject([
        ("max_attempts", .number(JSONNumber(10))),
        (
            "backoff",
            .object(
                JSONObject([
                    (
                        "schedule",
                        texts(["5s", "5m", "30m", "2h", "5h", "10h", "14h", "20h", "24h"])
                    )
                ]))
        ),
        ("jitter", .string("equal")),
        (
            "errors",
            texts([
                "dns.*", "connect.*", "tls.*", "proxy.*", "http.*", "body.*", "expect.*", "timeout.*",
                "auth.*",
            ])
        ),
        ("never", .array([.number(JSONNumber(410))])),
        ("max_elapsed", .string("P5D")),
    ])

    private static let timeouts = JSONObject([("attempt", .string("15s"))])

    private static func texts(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }

    private static func merged(_ members: JSONObject, _ others: JSONValue?) -> JSONObject {
        var merged = members
        for member in others?.object?.members ?? [] { merged[member.name] = member.value }
        return merged
    }
}
