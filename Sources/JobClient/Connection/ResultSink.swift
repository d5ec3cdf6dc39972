internal import EventIO
internal import HTTPMessage
import Synchronization

/// Writes the content of a successful answer to a descriptor, over several requests when connections break.
final class ResultSink: HTTPContentSink {
    /// The code of its own failures.
    static let code = "client.output"
    private static let problemBytesMax = 1 << 20

    private struct State {
        var status = 0
        var tag: String?
        /// The number of bytes written.
        var count = 0
        var output: DescriptorOutput?
        /// The content of an unsuccessful answer.
        var problem: [UInt8] = []
    }

    private let state = Mutex(State())
    private let open: @Sendable () -> DescriptorOutput?

    /// - Parameter open: opens the output; called once, when there is content.
    init(_ open: @escaping @Sendable () -> DescriptorOutput?) { self.open = open }

    /// The output, once it is open.
    var output: DescriptorOutput? { state.withLock { $0.output } }

    /// The request fields that ask for what is missing.
    var missing: [(name: String, value: String)] {
        state.withLock { state in
            guard state.count > 0, let tag = state.tag else { return [] }
            return [("Range", "bytes=\(state.count)-"), ("If-Range", tag)]
        }
    }

    var problem: [UInt8] { state.withLock { $0.problem } }
    var byteCount: Int { state.withLock { $0.count } }

    func begin(status: Int, fields: [(name: String, value: String)]) throws(HTTPCallFailure) {
        let isChanged = state.withLock { state in
            state.status = status
            state.problem = []
            guard status == 200 || status == 206 else { return false }
            state.tag = fields.first { $0.name.lowercased() == "etag" }?.value
            if state.output == nil { state.output = open() }
            return status == 200 && state.count > 0
        }
        if isChanged { throw Self.failure("The result has changed while it was read.") }
    }

    func take(_ bytes: Span<UInt8>) throws(HTTPCallFailure) {
        var piece: [UInt8] = []
        piece.reserveCapacity(bytes.count)
        for index in bytes.indices { piece.append(bytes[index]) }
        let output = state.withLock { state -> DescriptorOutput?? in
            guard state.status == 200 || state.status == 206 else {
                if state.problem.count < Self.problemBytesMax { state.problem += piece }
                return nil
            }
            state.count += piece.count
            return state.output
        }
        guard let output else { return }
        guard output?.write(piece) == true else { throw Self.failure("The output cannot be written.") }
    }

    private static func failure(_ detail: String) -> HTTPCallFailure {
        HTTPCallFailure(code: code, detail: detail, phase: .receive, delivery: .answered)
    }
}
