import JobKit
import JobStore
import StrictJSON

/// The text of an event stream: `text/event-stream` of the WHATWG HTML standard, §9.2.
struct StreamText {
    static let contentType = "text/event-stream"

    private(set) var bytes: [UInt8] = []

    var isEmpty: Bool { bytes.isEmpty }

    /// Says after which pause a client reconnects: 2 s.
    mutating func retry() { bytes += "retry: 2000\n".utf8 }

    /// Appends an event whose data is one JSON value.
    /// - Parameter name: the type of the event; nil for `message`, which `onmessage` of a browser receives.
    mutating func event(_ name: String? = nil, id: String, data: (inout JSONWriter) -> Void) {
        var json = JSONWriter()
        data(&json)
        event(name, id: id, json: json.bytes)
    }

    /// Appends an event.
    /// - Parameter json: the data. Line ends between its tokens, as in metadata that a client wrote over several lines,
    ///   become spaces: a line end would end the field.
    mutating func event(_ name: String? = nil, id: String, json: [UInt8]) {
        if let name { bytes += "event: \(name)\n".utf8 }
        bytes += "id: \(id)\ndata: ".utf8
        bytes += json.lazy.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
        bytes += "\n\n".utf8
    }

    /// Appends the sign of life of a stream without news, from which a client may also continue.
    mutating func bookmark(id: String) { event("bookmark", id: id, json: Array("{}".utf8)) }

    /// Appends the last event of a stream that is not permitted any more: the code and the detail of the refusal that
    /// a client gets when it connects again.
    mutating func refused(_ problem: Problem, id: String) {
        event("refused", id: id) { json in
            json.beginObject()
            json.member("code", problem.kind.code)
            json.member("detail", problem.detail)
            json.endObject()
        }
    }

    /// Appends the change of a job.
    mutating func change(_ change: JobChange, id: String) {
        event(change.state == nil ? "erased" : nil, id: id) { json in
            json.beginObject()
            json.member("id", change.id.description)
            if let state = change.state {
                json.member("state", state.rawValue)
                json.member("done", state.isFinal)
            }
            json.member("revision", change.revision)
            if !change.name.isEmpty { json.member("name", change.name) }
            json.member("type", change.type)
            json.member("queue", change.queue)
            json.endObject()
        }
    }
}
