package import HTTPMessage
internal import Synchronization

/// Passes on the content of every answer but one that says that a token is not accepted.
package final class AcceptedSink: HTTPContentSink {
    private let inner: any HTTPContentSink
    private let isRefused = Atomic(false)

    package init(_ inner: any HTTPContentSink) { self.inner = inner }

    /// Where it passes content on, when nothing may become shorter on the way there.
    var counting: (any CountingSink)? { inner as? any CountingSink }

    package func begin(status: Int, fields: [(name: String, value: String)]) throws(HTTPCallFailure) {
        isRefused.store(status == 401, ordering: .relaxed)
        if status != 401 { try inner.begin(status: status, fields: fields) }
    }

    package func take(_ bytes: Span<UInt8>) throws(HTTPCallFailure) {
        if !isRefused.load(ordering: .relaxed) { try inner.take(bytes) }
    }
}
