package import StrictJSON

/// Members that are left out when nothing is known.
extension JSONWriter {
    package mutating func member(_ name: String, ifKnown value: String?) {
        guard let value else { return }
        self.name(name)
        self.value(value)
    }

    package mutating func member(_ name: String, ifKnown value: Int?) {
        guard let value else { return }
        self.name(name)
        self.value(Int64(value))
    }

    /// Infinities and NaN are left out, too.
    package mutating func member(_ name: String, ifKnown value: Double?) {
        guard let value, value.isFinite else { return }
        self.name(name)
        self.value(value)
    }

    package mutating func member(_ name: String, ifKnown value: JSONObject?) {
        guard let value else { return }
        self.name(name)
        self.value(.object(value))
    }

    /// A timestamp as RFC 3339.
    package mutating func member(_ name: String, ifKnown value: Timestamp?) {
        guard let value else { return }
        self.name(name)
        self.value(value)
    }

    package mutating func member(_ name: String, _ values: [String]) {
        self.name(name)
        beginArray()
        for value in values { self.value(value) }
        endArray()
    }

    /// A timestamp as RFC 3339.
    package mutating func value(_ time: Timestamp) {
        plain { time.append(to: &$0) }
    }
}
