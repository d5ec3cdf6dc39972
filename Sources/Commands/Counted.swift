/// A count with its noun.
package enum Counted {
    /// `1 job`, `3 jobs`.
    package static func text(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}
