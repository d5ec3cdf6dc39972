import Foundation
import StrictJSON
import Testing

/// A job of the running program.
struct LiveJob: Sendable {
    /// A finished job with everything that can be read about it.
    struct Ended: Sendable {
        let job: LiveJob
        /// The job document.
        let document: JSONValue
        /// Its operations by their paths, with all of their errors.
        let operations: [String: JSONValue]
        /// The events, in order.
        let events: [JSONValue]

        var state: String? { document.text("/state") }
        /// The codes of `errors`, in order.
        var codes: [String] { document.codes }

        /// A place in the job document.
        func at(_ pointer: String) -> JSONValue? { document.at(pointer) }

        /// The state of an operation.
        func state(of path: String) -> String? { operations[path]?.text("/state") }

        /// The codes of the errors of an operation, in order.
        func codes(of path: String) -> [String] { operations[path]?.codes ?? [] }

        /// The index of an event; nil when it did not occur.
        func place(of type: String, _ path: String) -> Int? {
            events.firstIndex { $0.text("/type") == type && $0.text("/operation") == path }
        }

        /// The types of the events of an operation, in order.
        func events(of path: String) -> [String] {
            events.filter { $0.text("/operation") == path }.compactMap { $0.text("/type") }
        }
    }

    let id: String
    let world: World

    var path: String { "/v1/jobs/\(id)" }

    /// The job as it is now.
    func now() async throws -> LiveServer.Answer { try await world.get(path) }

    func cancel() async throws -> LiveServer.Answer { try await world.post(path + ":cancel") }

    /// Waits until the job is in a state, or final; returns its document.
    @discardableResult
    func reaches(_ state: String) async throws -> JSONValue {
        var answer = try await now()
        while answer.at("/state")?.string != state, answer.at("/done") != true {
            let tag = try #require(answer.field("etag"))
            let next = try await world.get(path, ["Prefer": "wait=10", "If-None-Match": tag])
            if next.status == 200 { answer = next }
        }
        #expect(answer.at("/state")?.string == state)
        return answer.json
    }

    /// Waits until one of its operations has ended.
    func ends(_ operation: String) async throws {
        while true {
            let tag = try #require(try await now().field("etag"))
            if try await operations()[operation]?.text("/finished_at") != nil { return }
            _ = try await world.get(path, ["Prefer": "wait=1", "If-None-Match": tag])
        }
    }

    /// Waits for the end and reads everything.
    func ended() async throws -> Ended {
        let answer = try await world.get(path, ["Prefer": "wait=30"])
        #expect(answer.at("/done") == true, "\(answer.json)")
        return Ended(
            job: self, document: answer.json, operations: try await operations(), events: try await events())
    }

    /// Its operations by their paths, with all of their errors.
    func operations() async throws -> [String: JSONValue] {
        let items = try await world.get(path + "/operations?view=full").at("/items")?.array ?? []
        return Dictionary(items.map { ($0.text("/operation") ?? "", $0) }) { first, _ in first }
    }

    /// The attempts of all its operations.
    func attempts() async throws -> [JSONValue] {
        try await world.get(path + "/attempts").at("/items")?.array ?? []
    }

    private func events() async throws -> [JSONValue] {
        try await world.get(path + "/events?page_size=500").at("/items")?.array ?? []
    }
}

extension JSONValue {
    func at(_ pointer: String) -> JSONValue? { JSONPointer(pointer)?.resolve(in: self) }

    /// The text at a place.
    func text(_ pointer: String) -> String? { at(pointer)?.string }

    /// The codes of its errors.
    var codes: [String] { errors.compactMap { $0.text("/code") } }

    /// Its `errors`, or the one `error` there is.
    var errors: [JSONValue] { at("/errors")?.array ?? at("/error").map { [$0] } ?? [] }

    /// The time at a place.
    func time(_ pointer: String) -> Date? {
        guard let text = text(pointer) else { return nil }
        return try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Seconds between two of its times.
    func seconds(from start: String, to end: String) -> Double? {
        guard let start = time(start), let end = time(end) else { return nil }
        return end.timeIntervalSince(start)
    }
}
