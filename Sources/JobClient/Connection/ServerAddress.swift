internal import Commands
internal import HTTPMessage

/// The server that the commands talk to, and how they identify themselves.
struct ServerAddress: Sendable {
    static let flags: [Flag] = [
        Flag(name: "url", value: "URL", help: "the server; default http://127.0.0.1:8080"),
        Flag(
            name: "token", value: "TOKEN",
            help: "the access token. Prefer JOBSERVER_TOKEN: flags are visible to other users"),
        Flag(
            name: "cacert", value: "FILE",
            help: "certificate authorities (PEM) to trust instead of the system's"),
    ]

    /// The base URL, without a slash at the end.
    let url: String
    let token: String?
    let authorities: String?

    /// - Throws: `.usage` for a URL or a token that cannot be sent.
    init(_ given: Arguments, command: String) throws(CommandFailure) {
        var text = given.value("url") ?? "http://127.0.0.1:8080"
        while text.utf8.last == 0x2F { text.removeLast() }
        if !text.contains("://") { text = "http://" + text }
        guard let parts = try? URLParts(text), parts.scheme == "http" || parts.scheme == "https",
            !text.contains("?")
        else {
            throw .usage(
                "\(given.said("url", text)): expected an address such as http://127.0.0.1:8080",
                command: command)
        }
        url = text
        token = given.value("token")
        if let token, !token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
            throw .usage(
                "The token in \(given.isHidden("token") ? "JOBSERVER_TOKEN" : "--token") has a blank or "
                    + "another character that no token has.", command: command)
        }
        authorities = given.value("cacert")
    }
}
