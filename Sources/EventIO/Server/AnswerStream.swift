import HTTPMessage

/// An answer whose content is produced while it is sent.
// Safe because all mutable state is only touched on the loop of the connection.
final class AnswerStream: @unchecked Sendable {
    /// The source of the content.
    let source: any HTTPBodySource
    /// Whether the content is framed in chunks.
    let isChunked: Bool
    /// The missing bytes of the announced length; nil when none was announced.
    var bytesLeft: Int?
    /// The task that pulls the content.
    var task: Task<Void, Never>?

    private var waiter: CheckedContinuation<Void, Never>?

    init(source: any HTTPBodySource, framing: HTTPResponseFraming) {
        self.source = source
        isChunked = framing == .chunked
        if case .length(let length) = framing { bytesLeft = length }
    }

    /// Waits until the client has read enough of what was sent so far, or has disconnected.
    func waitForRoom() async {
        await withCheckedContinuation { waiter = $0 }
    }

    func resume() {
        waiter?.resume()
        waiter = nil
    }

    /// Cancels the stream of a client that has disconnected.
    func cancel() {
        source.cancel()
        task?.cancel()
        resume()
    }
}
