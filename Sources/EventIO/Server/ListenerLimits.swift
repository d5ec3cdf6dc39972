package import HTTPMessage

/// The limits of an HTTP listener, with units. Variable for tests and configuration.
package struct ListenerLimits: Sendable, Hashable {
    /// The maximum number of served connections; further ones are answered 503 and closed. Default 10,000.
    package var connectionsMax = 10_000
    /// The maximum number of connections above `connectionsMax` that wait for their 503; none is accepted beyond.
    /// Default 64.
    package var refusedConnectionsMax = 64
    /// The maximum number of unanswered requests of one connection; reading pauses beyond. Default 64.
    package var pipelinedRequestsMax = 64
    /// The maximum number of requests read from one connection before others have their turn. Default 64.
    package var requestsPerTurnMax = 64
    /// The maximum number of requests on one connection before it is closed. Default 1,000,000.
    package var requestsPerConnectionMax = 1_000_000

    /// The time for a request head, from its first byte; also the time that a new connection may stay silent. Default
    /// 10 s. A late head is answered 408.
    package var headTime: Duration = .seconds(10)
    /// The time for a request body at any rate. Default 30 s.
    package var bodyTime: Duration = .seconds(30)
    /// The minimum rate of a body that takes longer than `bodyTime`, in bytes per second, measured per `bodyTime`.
    /// Default 500. A slower body is answered 408.
    package var bodyBytesPerSecondMin = 500
    /// The time after which an idle connection is closed. Default 60 s.
    package var idleTime: Duration = .seconds(60)
    /// The time after which a client that reads nothing of a waiting answer, or less than `answerBytesPerSecondMin`, is
    /// disconnected. Default 30 s.
    package var answerTime: Duration = .seconds(30)
    /// The minimum rate at which a client must read its answers, in bytes per second, measured over at least
    /// `answerTime`. Default 500.
    package var answerBytesPerSecondMin = 500
    /// The time that a connection waits for the client's close after the last answer, so that the answer is not lost.
    /// Default 2 s.
    package var lingerTime: Duration = .seconds(2)

    /// The maximum part of a refused request's body that is discarded so that the connection can be kept; also the
    /// maximum read while lingering. Default 256 KiB.
    package var drainedBytesMax = 256 << 10
    /// The maximum total size of unfinished request bodies. Default 256 MiB. A request beyond it is answered 503. A
    /// client whose connections are limited in number has at most half of it, and gets 429 beyond.
    package var bodyBytesTotalMax = 256 << 20
    /// The size of unsent answers above which a streamed answer and the reading of further requests pause. Default 256
    /// KiB.
    package var outputBytesHigh = 256 << 10
    /// The size of unsent answers below which both resume. Default 64 KiB.
    package var outputBytesLow = 64 << 10
    /// The maximum number of connections that wait in the system to be accepted. Default 1,024.
    package var backlog = 1024
    /// The pause of accepting when the process is out of descriptors. Default 100 ms.
    package var acceptPause: Duration = .milliseconds(100)

    /// The limits of the request parser: sizes of the head, of the target, of chunk framing.
    package var parser = HTTPParserLimits()

    package init() {}

    /// The interval of checks, short enough for the shortest timeout.
    var tick: Duration {
        let shortest = [headTime, bodyTime, idleTime, answerTime, lingerTime].min() ?? idleTime
        return min(max(shortest / 8, .milliseconds(2)), .milliseconds(250))
    }
}
