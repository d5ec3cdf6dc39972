import EventIO
import HTTPMessage
import JobKit
import OpenSSLCrypto
import TraceFormat

extension Tracer {
    /// Begins the span of a request that submits jobs; nil when it is certain not to be recorded.
    @inline(never)
    func span(
        of exchange: HTTPExchange, _ route: Route, _ door: LoopDoor, _ startedAt: Timestamp
    ) -> SubmissionSpan? {
        let head = exchange.request.head
        return SubmissionSpan(
            of: head, at: route.pattern.text,
            from: door.server.entrance.client(of: head, from: exchange.peer),
            startedAt: startedAt, tracer: self, random: (door.randomWords.pair(), door.randomWords.pair()))
    }
}
