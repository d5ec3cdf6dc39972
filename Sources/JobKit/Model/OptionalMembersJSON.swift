package import StrictJSON

/// Members that are always there and are `null` when nothing is known.
extension JSONWriter {
    package mutating func member(_ name: String, orNull value: String?) {
        self.name(name)
        if let value { self.value(value) } else { null() }
    }

    package mutating func member(_ name: String, orNull value: Int?) {
        self.name(name)
        if let value { self.value(Int64(value)) } else { null() }
    }

    /// A number, or null. Infinities and NaN are null, too.
    package mutating func member(_ name: String, orNull value: Double?) {
        self.name(name)
        if let value, value.isFinite { self.value(value) } else { null() }
    }

    package mutating func member(_ name: String, orNull value: JSONObject?) {
        self.name(name)
        if let value { self.value(.object(value)) } else { null() }
    }

    /// A timestamp as RFC 3339, or null.
    package mutating func member(_ name: String, orNull value: Timestamp?) {
        self.name(name)
        if let value { self.value(value) } else { null() }
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
