package import HTTPMessage

/// Every limit of an HTTP listener, with its unit. Made for tests and configuration to change.
package struct ListenerLimits: Sendable, Hashable {
    /// Connections that are served at the same time; more are answered 503 and closed. Default 10,000.
    package var connectionsMax = 10_000
    /// Connections above `connectionsMax` that may wait for their 503; beyond these nobody is accepted. Default 64.
    package var refusedConnectionsMax = 64
    /// Requests of one connection that may be unanswered at once; reading pauses beyond. Default 64.
    package var pipelinedRequestsMax = 64
    /// Requests of one connection that are read before others have their turn. Default 64.
    package var requestsPerTurnMax = 64
    /// Requests that one connection may send before it is closed. Default 1,000,000.
    package var requestsPerConnectionMax = 1_000_000

    /// How long a request head may take, from its first byte; also how long a new connection may stay silent.
    /// Default 10 s. A late head is answered 408.
    package var headTime: Duration = .seconds(10)
    /// How long a request body may take whatever its rate. Default 30 s.
    package var bodyTime: Duration = .seconds(30)
    /// The rate that a body must reach when it takes longer than `bodyTime`, in bytes per second. Default 500.
    /// A slower body is answered 408.
    package var bodyBytesPerSecondMin = 500
    /// How long a connection may be kept without a request. Default 60 s. It is then closed.
    package var idleTime: Duration = .seconds(60)
    /// How long a client may read nothing of an answer that waits for it, and how long it may stay below
    /// `answerBytesPerSecondMin`. Default 30 s. The connection is then cut.
    package var answerTime: Duration = .seconds(30)
    /// The rate at which a client must read its answers, in bytes per second, measured over at least `answerTime`.
    /// Default 500.
    package var answerBytesPerSecondMin = 500
    /// How long a connection waits for the client's end after the last answer, so that the answer is not lost.
    /// Default 2 s.
    package var lingerTime: Duration = .seconds(2)

    /// How much of a refused request's body is read and thrown away so that the connection can be kept; also how
    /// much is read while lingering. Default 256 KiB.
    package var drainedBytesMax = 256 << 10
    /// Bytes of all bodies together that are being read and not yet complete. Default 256 MiB. A request that would
    /// go beyond is answered 503.
    package var bodyBytesTotalMax = 256 << 20
    /// Bytes of answers waiting for a slow reader, above which a streamed answer and the reading of further requests
    /// pause. Default 256 KiB.
    package var outputBytesHigh = 256 << 10
    /// Bytes of waiting answers below which both go on. Default 64 KiB.
    package var outputBytesLow = 64 << 10
    /// Connections that the system holds for us until we accept them. Default 1,024.
    package var backlog = 1024
    /// How long accepting pauses when the process is out of descriptors. Default 100 ms.
    package var acceptPause: Duration = .milliseconds(100)

    /// What the request parser allows: sizes of the head, of the target, of chunk framing.
    package var parser = HTTPParserLimits()

    /// The defaults.
    package init() {}

    /// How often the clocks are looked at: often enough for the shortest of them.
    var tick: Duration {
        let shortest = [headTime, bodyTime, idleTime, answerTime, lingerTime].min() ?? idleTime
        return min(max(shortest / 8, .milliseconds(2)), .milliseconds(250))
    }
}
