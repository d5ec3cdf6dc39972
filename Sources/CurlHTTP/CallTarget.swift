import HTTPMessage

/// The scheme, host and port of a call, which define "the same place" for redirects.
struct CallTarget: Hashable {
    let isSecure: Bool
    /// The host in lower case; an IPv6 address without its brackets.
    let host: String
    /// The port, 1…65535; the scheme's default when none is written.
    let port: Int

    /// Host and port as people write them: `example.com:443`, `[2001:db8::1]:80`.
    var description: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// The initial value, before there is a target.
    static let unknown = CallTarget(isSecure: false, host: "unknown", port: 80)

    /// Parses an absolute URL, strictly: an accepted one is unambiguous, so that libcurl, which parses the text again,
    /// cannot find another host in it.
    init(_ url: String) throws(URLPartsError) {
        self.init(try URLParts(url))
    }

    init(_ parts: URLParts) {
        self.init(isSecure: parts.isHTTPS, host: parts.host, port: parts.port)
    }

    private init(isSecure: Bool, host: String, port: Int) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
    }
}
