package import HTTPMessage
internal import Synchronization

/// Passes on the content of every answer except one that rejects the token.
package final class AcceptedSink: HTTPContentSink {
    private let inner: any HTTPContentSink
    private let isRefused = Atomic(false)

    package init(_ inner: any HTTPContentSink) { self.inner = inner }

    /// The counting sink behind this one, if content reaches it with its length unchanged.
    var counting: (any CountingSink)? { inner as? any CountingSink }

    package func begin(status: Int, fields: [(name: String, value: String)]) throws(HTTPCallFailure) {
        isRefused.store(status == 401, ordering: .relaxed)
        if status != 401 { try inner.begin(status: status, fields: fields) }
    }

    package func take(_ bytes: Span<UInt8>) throws(HTTPCallFailure) {
        if !isRefused.load(ordering: .relaxed) { try inner.take(bytes) }
    }
}
