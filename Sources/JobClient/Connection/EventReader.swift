internal import HTTPMessage
import Synchronization

/// One message of an event stream.
struct StreamMessage: Sendable {
    var event = ""
    var id: String?
    var data = ""
}

/// Splits the content of an event stream into messages, as it arrives.
final class EventReader: HTTPContentSink {
    private struct State {
        var status = 0
        var line: [UInt8] = []
        var message = StreamMessage()
        var problem: [UInt8] = []
        var last: String?
        var count = 0
    }

    private let state = Mutex(State())
    private let messages: AsyncStream<StreamMessage>.Continuation

    /// - Parameter last: the id of the last message of earlier streams.
    init(_ messages: AsyncStream<StreamMessage>.Continuation, after last: String?) {
        self.messages = messages
        state.withLock { $0.last = last }
    }

    /// The id of the last message.
    var last: String? { state.withLock { $0.last } }

    /// The number of messages.
    var count: Int { state.withLock { $0.count } }

    /// The content of an answer that is no stream.
    var problem: [UInt8] { state.withLock { $0.problem } }

    func begin(status: Int, fields: [(name: String, value: String)]) throws(HTTPCallFailure) {
        state.withLock { $0 = State(status: status, last: $0.last, count: $0.count) }
    }

    func take(_ bytes: Span<UInt8>) throws(HTTPCallFailure) {
        var found: [StreamMessage] = []
        state.withLock { state in
            for index in bytes.indices {
                if state.status != 200 {
                    state.problem.append(bytes[index])
                } else if bytes[index] != 0x0A {
                    state.line.append(bytes[index])
                } else if let message = Self.endLine(&state) {
                    state.last = message.id ?? state.last
                    state.count += 1
                    found.append(message)
                }
            }
        }
        for message in found { messages.yield(message) }
    }

    /// Ends a line. Returns the message when the line ends one.
    private static func endLine(_ state: inout State) -> StreamMessage? {
        let line = state.line
        state.line.removeAll(keepingCapacity: true)
        guard !line.isEmpty else {
            let message = state.message
            state.message = StreamMessage()
            return message.data.isEmpty && message.id == nil ? nil : message
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        var rest = line[(colon + 1)...]
        if rest.first == UInt8(ascii: " ") { rest = rest.dropFirst() }
        let value = String(decoding: rest, as: UTF8.self)
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": state.message.event = value
        case "id": state.message.id = value
        case "data": state.message.data += (state.message.data.isEmpty ? "" : "\n") + value
        default: break
        }
        return nil
    }
}
