import HTTPMessage

/// The scheme, host and port that a call goes to; what "the same place" means for redirects.
struct CallTarget: Hashable {
    /// Whether the scheme is `https`.
    let isSecure: Bool
    /// The host in lower case; an IPv6 address without its brackets.
    let host: String
    /// 1…65535; the scheme's own port when none is written.
    let port: Int

    /// Host and port as people write them: `example.com:443`, `[2001:db8::1]:80`.
    var description: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Stands in where there is no target yet.
    static let unknown = CallTarget(isSecure: false, host: "unknown", port: 80)

    /// Reads an absolute URL, strictly: what is accepted has one meaning only, so that libcurl, which parses the
    /// text again, cannot see another host in it.
    init(_ url: String) throws(URLPartsError) {
        self.init(try URLParts(url))
    }

    /// The target of a URL that was read.
    init(_ parts: URLParts) {
        self.init(isSecure: parts.isHTTPS, host: parts.host, port: parts.port)
    }

    private init(isSecure: Bool, host: String, port: Int) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
    }
}
