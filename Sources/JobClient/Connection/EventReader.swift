internal import HTTPMessage
import Synchronization

/// One message of an event stream.
struct StreamMessage: Sendable {
    var event = ""
    var id: String?
    var data = ""

    init(_ event: StreamedEvent) {
        self.event = String(decoding: event.type, as: UTF8.self)
        id = event.id.map { String(decoding: $0, as: UTF8.self) }
        data = String(decoding: event.data, as: UTF8.self)
    }
}

/// Splits the content of an event stream into messages, as it arrives.
final class EventReader: HTTPContentSink {
    private struct State {
        var status = 0
        var parser = EventStreamParser()
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
            guard state.status == 200 else {
                for index in bytes.indices { state.problem.append(bytes[index]) }
                return
            }
            state.parser.take(bytes) { event in
                guard !event.data.isEmpty || event.id != nil else { return }
                found.append(StreamMessage(event))
            }
            state.last = found.last { $0.id != nil }?.id ?? state.last
            state.count += found.count
        }
        for message in found { messages.yield(message) }
    }
}
