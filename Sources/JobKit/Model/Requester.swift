/// The words for whoever asked for something: a token's name, or a person's. A server without tokens knows neither and
/// records an empty name, which answers and texts leave out.
package enum Requester {
    /// ` by ada`; nothing for an unknown one.
    package static func text(_ name: String?) -> String {
        guard let name, !name.isEmpty else { return "" }
        return " by \(name)"
    }
}
