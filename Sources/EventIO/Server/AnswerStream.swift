import HTTPMessage

/// An answer whose content is produced while it is sent.
// Safe because everything that changes is only touched on the loop of the connection.
final class AnswerStream: @unchecked Sendable {
    /// Where the content comes from.
    let source: any HTTPBodySource
    /// Whether the content is framed in chunks.
    let isChunked: Bool
    /// Bytes of the announced length that are still missing; nil when no length was announced.
    var bytesLeft: Int?
    /// The task that pulls the content.
    var task: Task<Void, Never>?

    private var waiter: CheckedContinuation<Void, Never>?

    init(source: any HTTPBodySource, framing: HTTPResponseFraming) {
        self.source = source
        isChunked = framing == .chunked
        if case .length(let length) = framing { bytesLeft = length }
    }

    /// Waits until the client has read enough of what was sent so far, or has gone.
    func waitForRoom() async {
        await withCheckedContinuation { waiter = $0 }
    }

    /// Lets the stream go on.
    func resume() {
        waiter?.resume()
        waiter = nil
    }

    /// The client has gone.
    func cancel() {
        source.cancel()
        task?.cancel()
        resume()
    }
}
