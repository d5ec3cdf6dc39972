internal import HTTPMessage

/// HTTP settings of a call (`http` in a request).
package struct ProtocolSpec: Sendable, Hashable {
    /// The version of HTTP.
    package var version = Version.auto
    /// Whether the answer may be compressed in transfer. Default true.
    package var compression = true

    /// HTTP/2 where the upstream offers it over TLS, otherwise HTTP/1.1.
    package init() {}

    /// A version of HTTP.
    package enum Version: String, Sendable, Hashable, CaseIterable {
        /// HTTP/2 where the upstream offers it over TLS, otherwise HTTP/1.1.
        case auto
        /// HTTP/1.1 only.
        case http1 = "1.1"
        /// HTTP/2 only: a server without it fails the call.
        case http2 = "2"
    }
}

extension ProtocolSpec {
    /// Applies the settings to `call`. A URL without TLS stays so.
    func apply(to call: inout HTTPCall) {
        guard self != ProtocolSpec() else { return }
        call.route.compression = compression
        call.route.httpVersion =
            switch version {
            case .auto: .auto
            case .http1: .http1
            case .http2: .http2
            }
    }
}
