package import StrictJSON

/// Stored bytes are invalid: written by another program, or damaged.
public struct StoredFormError: Error, Sendable, Hashable {
    /// The value, its position, and the expected form.
    public let detail: String

    /// An error in these words.
    package init(_ detail: String) { self.detail = detail }
}

/// Reads members of a JSON object that this library wrote earlier. A member that is absent counts as null.
package struct StoredObject {
    package let members: JSONObject
    /// The subject for error texts.
    let subject: String

    /// An object that was stored.
    package init(_ value: JSONValue, as subject: String) throws(StoredFormError) {
        guard case .object(let members) = value else {
            throw StoredFormError("The stored \(subject) is \(value.kindName), not an object.")
        }
        self.members = members
        self.subject = subject
    }

    /// The object in a text that this library wrote earlier.
    package init(decoding bytes: [UInt8], as subject: String) throws(StoredFormError) {
        let value: JSONValue
        do {
            value = try JSONParser.parse(
                bytes, limits: JSONLimits(bytesMax: bytes.count, depthMax: 512, membersMax: bytes.count))
        } catch {
            throw StoredFormError("The stored \(subject) is not JSON: \(error.detail)")
        }
        try self.init(value, as: subject)
    }

    /// The value of a member; nil when it is null or absent.
    package func value(_ name: String) -> JSONValue? {
        guard let value = members[name], !value.isNull else { return nil }
        return value
    }

    /// A value that must be there.
    package func require<Value>(_ value: Value?, _ name: String) throws(StoredFormError) -> Value {
        guard let value else { throw StoredFormError("The stored \(subject) lacks \"\(name)\".") }
        return value
    }

    package func string(_ name: String) throws(StoredFormError) -> String? {
        guard let value = value(name) else { return nil }
        guard case .string(let text) = value else { throw wrong(name, value, "a string") }
        return text
    }

    package func bool(_ name: String) throws(StoredFormError) -> Bool? {
        guard let value = value(name) else { return nil }
        guard case .bool(let flag) = value else { throw wrong(name, value, "a boolean") }
        return flag
    }

    package func int(_ name: String) throws(StoredFormError) -> Int? {
        try whole(name).map { Int($0) }
    }

    /// A whole number of any size.
    package func whole(_ name: String) throws(StoredFormError) -> Int64? {
        guard let value = value(name) else { return nil }
        guard let number = value.number?.int64 else { throw wrong(name, value, "a whole number") }
        return number
    }

    /// A moment in milliseconds since 1970.
    package func moment(_ name: String) throws(StoredFormError) -> Timestamp? {
        try whole(name).map { Timestamp(milliseconds: $0) }
    }

    /// An object, to be read like this one.
    package func inner(_ name: String) throws(StoredFormError) -> StoredObject? {
        guard let value = value(name) else { return nil }
        return try StoredObject(value, as: name)
    }

    package func double(_ name: String) throws(StoredFormError) -> Double? {
        guard let value = value(name) else { return nil }
        guard let number = value.number?.double else { throw wrong(name, value, "a number") }
        return number
    }

    package func time(_ name: String) throws(StoredFormError) -> Timestamp? {
        guard let text = try string(name) else { return nil }
        guard let time = Timestamp(text) else {
            throw StoredFormError("\"\(name)\" of the stored \(subject) is no time.")
        }
        return time
    }

    /// A list, empty when it is absent.
    package func array(_ name: String) throws(StoredFormError) -> [JSONValue] {
        guard let value = value(name) else { return [] }
        guard case .array(let elements) = value else { throw wrong(name, value, "an array") }
        return elements
    }

    /// A list of texts.
    package func strings(_ name: String) throws(StoredFormError) -> [String] {
        var texts: [String] = []
        for element in try array(name) {
            guard case .string(let text) = element else { throw wrong(name, element, "a list of strings") }
            texts.append(text)
        }
        return texts
    }

    package func object(_ name: String) throws(StoredFormError) -> JSONObject? {
        guard let value = value(name) else { return nil }
        guard case .object(let object) = value else { throw wrong(name, value, "an object") }
        return object
    }

    /// The member `name`, one of the raw values of `Word`.
    package func word<Word: RawRepresentable<String>>(_ name: String) throws(StoredFormError) -> Word? {
        guard let text = try string(name) else { return nil }
        guard let word = Word(rawValue: text) else {
            throw StoredFormError("\"\(name)\" of the stored \(subject) is the unknown word \"\(text)\".")
        }
        return word
    }

    private func wrong(_ name: String, _ value: JSONValue, _ expected: String) -> StoredFormError {
        StoredFormError("\"\(name)\" of the stored \(subject) is \(value.kindName), not \(expected).")
    }
}
