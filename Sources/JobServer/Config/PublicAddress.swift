import Commands

/// The address of the listener that strangers may reach: it serves what needs no token, and nothing else.
struct PublicAddress: Sendable, Hashable {
    /// The host as the socket API takes it: an IPv6 address without brackets.
    var host: String
    var port: Int

    static let flag = Flag(
        name: "public-listen", value: "HOST:PORT",
        help: "a second address that serves only /hooks, /callbacks, /ping and /healthz, so that nothing\n"
            + "else has to face the internet; default none")

    /// Reads the flag; nil when it is not given.
    init?(_ given: Arguments, command: String) throws(CommandFailure) {
        guard let text = given.value(Self.flag.name) else { return nil }
        let halves = text.utf8.lastIndex(of: UInt8(ascii: ":"))
        let port = halves.flatMap { Int(String(Substring(text.utf8[$0...].dropFirst()))) }
        var host = halves.map { text.utf8[..<$0] } ?? text.utf8[...]
        if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") {
            host = host.dropFirst().dropLast()
        }
        guard let port, (0...65_535).contains(port), !host.isEmpty else {
            throw .usage(
                "\(given.said(Self.flag.name, text)): expected an address and a port such as 0.0.0.0:8443",
                command: command)
        }
        (self.host, self.port) = (String(Substring(host)), port)
    }
}
