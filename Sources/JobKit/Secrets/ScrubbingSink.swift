package import HTTPMessage
internal import Synchronization

/// A sink with positions, which must not shift: redaction keeps the length.
package protocol CountingSink: HTTPContentSink {
    /// The next content has a redacted secret.
    func noteHidden()
}

/// Redacts secrets in content before it is stored.
///
/// The end of a chunk is held back while it may be the beginning of a secret; `finish` passes on the rest.
final class ScrubbingSink: HTTPContentSink {
    private let inner: any HTTPContentSink
    private let scrubber: SecretScrubber
    private let counting: (any CountingSink)?
    private let stream: Mutex<StreamScrubber>

    init(_ inner: any HTTPContentSink, _ scrubber: SecretScrubber) {
        self.inner = inner
        self.scrubber = scrubber
        counting = inner as? any CountingSink ?? (inner as? AcceptedSink)?.counting
        stream = Mutex(StreamScrubber(scrubber, keepsLength: counting != nil))
    }

    func begin(status: Int, fields: [(name: String, value: String)]) throws(HTTPCallFailure) {
        stream.withLock { $0 = StreamScrubber(scrubber, keepsLength: counting != nil) }
        try inner.begin(status: status, fields: scrubber.scrubbed(fields))
    }

    func take(_ bytes: Span<UInt8>) throws(HTTPCallFailure) {
        var stream = stream.withLock { $0 }
        let passed = stream.take(bytes)
        self.stream.withLock { $0 = stream }
        try pass(passed, hasHidden: stream.hasHidden)
    }

    /// Passes on the rest, at the end of the content.
    func finish() throws(HTTPCallFailure) {
        let (rest, hasHidden) = stream.withLock { ($0.finish(), $0.hasHidden) }
        try pass(rest, hasHidden: hasHidden)
    }

    private func pass(_ bytes: [UInt8], hasHidden: Bool) throws(HTTPCallFailure) {
        guard !bytes.isEmpty else { return }
        if hasHidden { counting?.noteHidden() }
        try inner.take(bytes.span)
    }
}

extension Transport {
    /// Sends a call whose sink gets the content without secrets.
    func send(_ call: HTTPCall, without scrubber: SecretScrubber) async throws(HTTPCallFailure)
        -> HTTPCallAnswer
    {
        guard let sink = call.sink, !scrubber.isEmpty else { return try await send(call) }
        let between = ScrubbingSink(sink, scrubber)
        var call = call
        call.sink = between
        let answer = try await send(call)
        try between.finish()
        return answer
    }
}
