internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// The form in which an answer is read while it arrives (`stream`).
package indirect enum StreamSpec: Sendable, Hashable {
    /// As bytes.
    case content
    /// As an event stream, until one of its events satisfies the predicate.
    case events(until: JSONPredicate)

    /// The size of the largest event that a predicate looks into, in bytes.
    static let eventBytesMax = 1 << 20
}

extension StreamedEvent {
    /// Its JSON form: `event`, by default `message`, `id`, `data`, and `json` when the data is JSON.
    var value: JSONValue {
        var members = [
            JSONObject.Member(
                name: "event",
                value: .string(type.isEmpty ? "message" : String(decoding: type, as: UTF8.self)))
        ]
        if let id { members.append(.init(name: "id", value: .string(String(decoding: id, as: UTF8.self)))) }
        members.append(.init(name: "data", value: .string(String(decoding: data, as: UTF8.self))))
        if let json = try? JSONParser.parse(data, limits: .written(data)) {
            members.append(.init(name: "json", value: json))
        }
        return .object(JSONObject(uniqueMembers: members))
    }
}

extension OperationResult {
    /// Whether the content is an event stream by its content type.
    var isEventStream: Bool {
        guard contentCoding == nil, let contentType else { return false }
        return contentType.prefix { $0 != ";" && $0 != " " }.lowercased().hasSameBytes(
            as: "text/event-stream")
    }

    /// The events of a body that is an event stream. What has no empty line behind it is no event.
    var events: [JSONValue] {
        var parser = EventStreamParser()
        var events: [JSONValue] = []
        parser.take(body.span) { if $0.hasData { events.append($0.value) } }
        return events
    }
}
