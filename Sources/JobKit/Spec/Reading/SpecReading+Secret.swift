internal import StrictJSON

/// Secrets: named in requests, and nowhere else.
extension SpecReading {
    /// `{"$secret": "name"}`
    mutating func secret(_ object: JSONObject) -> Binding {
        if !isInRequest {
            note(
                member: "$secret", .notAvailable,
                "A secret can be used in \"request\" only: everything else is stored and shown. "
                    + "Put the reference where the value is sent.")
        }
        var name: String?
        members(of: object, "A reference to a secret", known: ["$secret"]) { reading, member, value in
            guard member == "$secret" else { return false }
            name = reading.name(value)
            return true
        }
        return name.map { .get(Binding.Reference(.secret($0))) } ?? .literal(.null)
    }
}
