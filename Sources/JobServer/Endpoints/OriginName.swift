import DurableJobs
import HTTPMessage
import JobKit
import JobRunner
import JobSpec

/// The origin that a request selects: `https://api.example:8443`, percent-encoded or not. Without a scheme it is that
/// of https.
struct OriginName: Sendable {
    /// The name as written in the path.
    let text: String
    private let parts: URLParts

    init(_ context: RequestContext) throws(Problem) {
        text = try HostName.text(context, "origin")
        var url = text
        // A proxy may have joined the slashes.
        for scheme in ["https:", "http:"] where url.utf8.starts(with: scheme.utf8) {
            url = scheme + "//" + String(url.dropFirst(scheme.count).drop { $0 == "/" })
        }
        guard let parts = try? URLParts((url.contains("://") ? url : "https://" + url) + "/"),
            parts.scheme == "http" || parts.scheme == "https"
        else {
            throw Problem(
                .originNotFound,
                "\"\(text)\" is no origin. Write its scheme and host, and a port if it has one: "
                    + "https://api.example:8443.")
        }
        self.parts = parts
    }

    /// The origin.
    /// - Throws: `.originNotFound` when nothing is known about it.
    func view(_ context: RequestContext) throws(Problem) -> OriginView {
        let views = context.server.engine.origins.views(now: context.startedAt)
        let host = HostName(parts.host, port: nil)
        let others = views.filter(host.matches)
        let found = others.first { view in
            guard let known = try? URLParts(view.origin + "/") else { return false }
            return known.scheme == parts.scheme && known.port == parts.port
        }
        if let found { return found }
        let list = others.prefix(5).map(\.origin).joined(separator: ", ")
        throw Problem(
            .originNotFound,
            list.isEmpty
                ? "Nothing is known about \(text): no job has called it lately."
                : "Nothing is known about \(text); of this host there are: \(list).")
    }
}
