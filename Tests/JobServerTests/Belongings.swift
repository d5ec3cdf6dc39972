import Foundation
import HTTPMessage

@testable import JobServer

/// The ids and names that a tenant has, by the kind of thing.
struct Belongings {
    var ids: [String: String]
    var names: [String: String]

    /// The path of a route with what a tenant has.
    func path(_ route: Route) -> String {
        var path = route.pattern.text
        let kind = String(path.split(separator: "/").dropFirst().first ?? "")
        path = path.replacing("{id}", with: ids[kind] ?? "none").replacing("{host}", with: "example.com")
            .replacing("{origin}", with: "example.com")
        if kind == "jobs" {
            path = path.replacing("{path}", with: "step").replacing("{number}", with: "1")
                .replacing("{name}", with: "go")
        }
        return path.replacing("{name}", with: names[kind] ?? "none")
    }

    /// A text without what tells one of them from another.
    func blank(_ text: String) -> String {
        var text = text
        for id in ids.values { text = text.replacing(id, with: "ID") }
        for name in Set(names.values) { text = text.replacing(name, with: "NAME") }
        for pattern in [#"req_[0-9a-z]+"#, #"\d{4}-\d\d-\d\dT[0-9:.]+Z"#, #""fingerprint":"[^"]*""#] {
            text = text.replacingOccurrences(of: pattern, with: "", options: .regularExpression)
        }
        return text
    }

    /// A body that a route takes.
    static func body(_ route: Route) -> String? {
        switch (route.method, route.pattern.text) {
        case (.get, _), (.delete, _): nil
        case (_, "/v1/secrets/{name}"): #"{"text": "another-value"}"#
        case (_, "/v1/connections/{name}"): #"{"base_url": "http://127.0.0.1:9/"}"#
        case (_, "/v1/templates/{name}"): #"{"operation": {"type": "value", "value": 2}}"#
        case (_, "/v1/queues/{name}"): #"{"concurrency": 2}"#
        case (_, "/v1/grants/{name}"): #"{"state": "denied"}"#
        case (_, "/v1/hooks/{name}"):
            #"{"verify": {"scheme": "none"}, "job": {"type": "value", "value": 2, "queue": "mail"}}"#
        case (_, "/v1/hooks/{name}/deliveries:replay"): #"{"ids": ["dlv_01hzzzzzzzzzzzzzzzzzzzzzzz"]}"#
        case (_, "/v1/schedules/{name}"): #"{"cron": "30 0 1 1 *", "job": {"type": "value", "value": 2}}"#
        case (_, "/v1/schedules/{name}:backfill"):
            #"{"from": "2026-01-01T00:00:00Z", "to": "2026-01-01T01:00:00Z", "only": "all"}"#
        case (_, "/v1/hosts/{host}/limits"): #"{"concurrency": 2}"#
        case (_, "/v1/jobs/{id}/operations"): #"{"operation": {"type": "value", "name": "more", "value": 1}}"#
        case (_, "/v1/jobs/{id}/signals/{name}"): "1"
        default: nil
        }
    }
}
