import DurableJobs
import HTTPMessage
import JobKit
import JobRunner

/// The origins that a request selects: those of a host, narrowed by `host:port` and `?scheme=`.
struct OriginName: Sendable {
    /// The name as written in the path.
    let text: String
    private let host: String
    private let port: Int?
    private let scheme: String?

    /// The maximum length in the path: that of a host of which all is percent-encoded, with a port.
    private static let bytesMax = 800

    init(_ context: RequestContext) throws(Problem) {
        var query = context.query
        try self.init(context, &query, takesScheme: true)
    }

    /// The host in the path.
    /// - Parameter query: the rest of the query, which is finished.
    init(_ context: RequestContext, _ query: inout QueryReader, takesScheme: Bool = false) throws(Problem) {
        let sent = String(decoding: context.parameter.prefix(Self.bytesMax), as: UTF8.self)
        guard context.parameter.count <= Self.bytesMax, let text = PercentCoding.decode(sent) else {
            throw Problem(
                .originNotFound, "\"\(sent.prefix(80))…\" is no host: it is too long, or has a bad escape.")
        }
        self.text = text
        let scheme = takesScheme ? query.text("scheme") : nil
        if let scheme, scheme != "http", scheme != "https" {
            query.add(
                "scheme", code: "query.value", detail: "scheme must be http or https", suggestion: "https")
        }
        try query.finish()
        self.scheme = scheme
        guard let parts = try? URLParts("http://\(text)/") else {
            throw Problem(
                .originNotFound,
                "\"\(text)\" is no host. Write a name or an address, and a port if you like: api.example:8443."
            )
        }
        host = parts.host
        port = parts.explicitPort
    }

    /// The name of the setting with its limits.
    var setting: String { port.map { "\(host):\($0)" } ?? host }

    /// The matching origins.
    /// - Throws: `.originNotFound` when there are none.
    func views(_ context: RequestContext) throws(Problem) -> [OriginView] {
        let views = context.server.engine.origins.views(now: context.startedAt).filter { view in
            guard let parts = try? URLParts(view.origin + "/"), parts.host == host else { return false }
            return (port == nil || parts.port == port) && (scheme == nil || parts.scheme == scheme)
        }
        if views.isEmpty, context.server.origins.record(setting) == nil {
            throw Problem(.originNotFound, "Nothing is known about \(text): no job has called it lately.")
        }
        return views
    }
}
