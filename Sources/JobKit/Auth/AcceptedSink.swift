internal import HTTPMessage
internal import Synchronization

/// Passes on the content of every answer but one that says that a token is not accepted.
final class AcceptedSink: HTTPContentSink {
    private let inner: any HTTPContentSink
    private let isRefused = Atomic(false)

    init(_ inner: any HTTPContentSink) { self.inner = inner }

    /// Whether nothing may become shorter on the way.
    var isCounting: Bool { inner is any CountingSink }

    func begin(status: Int, fields: [(name: String, value: String)]) throws(HTTPCallFailure) {
        isRefused.store(status == 401, ordering: .relaxed)
        if status != 401 { try inner.begin(status: status, fields: fields) }
    }

    func take(_ bytes: Span<UInt8>) throws(HTTPCallFailure) {
        if !isRefused.load(ordering: .relaxed) { try inner.take(bytes) }
    }
}
