/// The words of `egress.blocked`, which name the program that refuses an address, and the remedy.
package struct EgressWords: Sendable, Hashable {
    /// The program, such as `this server`.
    package var caller: String
    /// The remedy, as it comes before the address.
    package var remedy: String

    package init(caller: String, remedy: String) {
        self.caller = caller
        self.remedy = remedy
    }

    /// Those of the server.
    package static let server = EgressWords(
        caller: "this server", remedy: "start the server with --egress-allow")

    /// The remedy for a blocked address.
    func suggestion(_ address: String, isIPv6: Bool) -> String {
        "If the call is meant, \(remedy) \(address)/\(isIPv6 ? 128 : 32)."
    }
}
