import HTTPMessage
import JobKit
import JobRunner
import JobSpec

/// A host that has limits, with or without a port.
struct HostName: Sendable {
    private let host: String
    private let port: Int?

    /// The maximum length in the path: that of a host of which all is percent-encoded, with a scheme and a port.
    private static let bytesMax = 820

    init(_ host: String, port: Int?) {
        self.host = host
        self.port = port
    }

    /// A host as people write it; nil when it is none.
    init?(_ text: String) {
        guard let parts = try? URLParts("http://\(text)/") else { return nil }
        self.init(parts.host, port: parts.explicitPort)
    }

    /// The host in the path.
    init(_ context: RequestContext) throws(Problem) {
        let text = try Self.text(context, "host")
        guard let name = HostName(text) else {
            throw Problem(
                .originNotFound,
                "\"\(text)\" is no host. Write a name or an address, and a port if you like: api.example:8443."
            )
        }
        self = name
    }

    /// The name of the setting with its limits.
    var setting: String { port.map { "\(host):\($0)" } ?? host }

    /// Whether an origin is one of this host.
    func matches(_ view: OriginView) -> Bool {
        guard let parts = try? URLParts(view.origin + "/"), parts.host == host else { return false }
        return port == nil || parts.port == port
    }

    /// The first parameter of the path, decoded.
    static func text(_ context: RequestContext, _ word: String) throws(Problem) -> String {
        let sent = String(decoding: context.parameter.prefix(bytesMax), as: UTF8.self)
        guard context.parameter.count <= bytesMax, let text = PercentCoding.decode(sent) else {
            throw Problem(
                .originNotFound, "\"\(sent.prefix(80))…\" is no \(word): it is too long, or has a bad escape."
            )
        }
        return text
    }
}
