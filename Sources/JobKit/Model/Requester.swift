/// The name of the client that asked for something: of its token, or of a person. A server without tokens knows neither
/// and records an empty name, which answers and texts leave out.
package enum Requester {
    /// ` by ada`; nothing for an unknown one.
    package static func text(_ name: String?) -> String {
        guard let name, !name.isEmpty else { return "" }
        return " by \(name)"
    }
}
