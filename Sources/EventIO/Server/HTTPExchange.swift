package import HTTPMessage

/// One request and its answer.
// Safe because all mutable state is only touched on the loop; other threads hop there.
package final class HTTPExchange: @unchecked Sendable {
    package let request: HTTPRequest
    /// The sink that took the body, which the request then lacks; nil when the request has it.
    package let sink: (any HTTPBodySink)?
    package let peer: PeerAddress
    /// The loop of the connection.
    package let loop: EventLoop

    /// The connection that takes the answer; nil once answered or abandoned.
    private var connection: HTTPConnection?
    package private(set) var isAbandoned = false
    private var abandonHandlers: [@Sendable () -> Void] = []

    init(request: HTTPRequest, sink: (any HTTPBodySink)?, connection: HTTPConnection) {
        self.request = request
        self.sink = sink
        peer = connection.peer
        loop = connection.listener.loop
        self.connection = connection
    }

    /// Sends the answer. Only the first call counts. From any thread: on the connection's loop the answer is written at
    /// once (it leaves with the others of the same turn), from other threads it hops there.
    ///
    /// An answer to a client that has disconnected is dropped, and its stream is cancelled.
    package func respond(_ response: HTTPResponse) {
        if loop.isCurrent {
            answer(response)
        } else {
            loop.execute { self.answer(response) }
        }
    }

    /// Calls `handler` on the loop when the client disconnects before its answer; at once when it has already, never
    /// when it was answered. From any thread.
    ///
    /// A client that only shut down its sending side still waits for its answer and has not disconnected.
    package func whenAbandoned(_ handler: @escaping @Sendable () -> Void) {
        loop.onLoop {
            if self.isAbandoned {
                handler()
            } else if self.connection != nil {
                self.abandonHandlers.append(handler)
            }
        }
    }

    /// Abandons the exchange, since the connection has closed. On the loop.
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
    /// Cancels a streaming source.
    package func cancel() {
        if case .stream(_, let source) = self { source.cancel() }
    }
}
