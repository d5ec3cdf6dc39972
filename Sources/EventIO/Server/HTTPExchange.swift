package import HTTPMessage

/// One request and the one answer that it is owed.
// Safe because what changes is only touched on the loop; other threads hop there.
package final class HTTPExchange: @unchecked Sendable {
    /// The request, whole.
    package let request: HTTPRequest
    /// Who asks.
    package let peer: PeerAddress
    /// The loop of the connection.
    package let loop: EventLoop

    /// Where the answer goes; nil once answered or abandoned.
    private var connection: HTTPConnection?
    private var isAbandoned = false
    private var abandonHandlers: [@Sendable () -> Void] = []

    init(request: HTTPRequest, connection: HTTPConnection) {
        self.request = request
        peer = connection.peer
        loop = connection.listener.loop
        self.connection = connection
    }

    /// Gives the answer. Only the first call counts. From any thread: on the connection's loop the answer is written
    /// at once (it leaves with the others of the same turn), from elsewhere it is sent there.
    ///
    /// An answer to somebody who has gone is dropped; a body that streams is cancelled then.
    package func respond(_ response: HTTPResponse) {
        if loop.isCurrent {
            answer(response)
        } else {
            loop.execute { self.answer(response) }
        }
    }

    /// Calls `handler` on the loop when the client goes away before its answer is given; at once when it has gone
    /// already, never when it was answered. From any thread.
    ///
    /// A client that only ended its sending side still waits for its answer and has not gone.
    package func whenAbandoned(_ handler: @escaping @Sendable () -> Void) {
        loop.onLoop {
            if self.isAbandoned {
                handler()
            } else if self.connection != nil {
                self.abandonHandlers.append(handler)
            }
        }
    }

    /// The connection has closed. On the loop.
    func abandon() {
        guard connection != nil else { return }
        connection = nil
        isAbandoned = true
        let handlers = abandonHandlers
        abandonHandlers = []
        for handler in handlers { handler() }
    }

    private func answer(_ response: HTTPResponse) {
        guard let connection else {
            response.body.cancel()
            return
        }
        self.connection = nil
        if !abandonHandlers.isEmpty { abandonHandlers = [] }
        connection.take(response, for: self)
    }
}

extension HTTPBody {
    /// Tells a streaming source that nobody wants the rest.
    func cancel() {
        if case .stream(_, let source) = self { source.cancel() }
    }
}
