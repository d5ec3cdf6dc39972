/// Appends compact JSON to an array of bytes, with commas inserted automatically.
///
/// The caller is responsible for the order: a name before each value inside an object, and matching begins and ends.
/// The writer does not check that; tests of its users do.
///
/// ```swift
/// var json = JSONWriter()
/// json.beginObject()
/// json.member("id", "job_1")
/// json.member("attempt", 2)
/// json.endObject()          // {"id":"job_1","attempt":2}
/// ```
public struct JSONWriter: Sendable {
    /// The bytes written so far.
    public private(set) var bytes: [UInt8]
    /// Whether the next value in the same object or array needs a comma.
    private var needsComma = false

    /// Creates an empty writer with room for `capacity` bytes.
    public init(capacity: Int = 512) {
        bytes = []
        bytes.reserveCapacity(max(0, capacity))
    }

    /// A writer that goes on behind `bytes`, inside of the object that is open there.
    /// - Parameter afterMember: whether a member is before the next one.
    package init(continuing bytes: consuming [UInt8], afterMember: Bool) {
        self.bytes = bytes
        needsComma = afterMember
    }

    // MARK: structure

    /// Ends a line, so that another document can begin.
    public mutating func beginLine() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    /// Writes `{`.
    public mutating func beginObject() {
        separate()
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
    }

    /// Writes `}`.
    public mutating func endObject() {
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    /// Writes `[`.
    public mutating func beginArray() {
        separate()
        bytes.append(UInt8(ascii: "["))
        needsComma = false
    }

    /// Writes `]`.
    public mutating func endArray() {
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// Writes the name of the next member and the colon.
    public mutating func name(_ name: String) {
        bytes.appendJSONName(name, afterComma: needsComma)
        needsComma = false
    }

    // MARK: values

    /// Writes a string.
    public mutating func value(_ text: String) {
        separate()
        bytes.appendJSONString(text)
        needsComma = true
    }

    /// Writes a whole number.
    public mutating func value(_ number: Int64) {
        separate()
        bytes.appendDecimal(number)
        needsComma = true
    }

    /// Writes a whole number.
    public mutating func value(_ number: Int) { value(Int64(number)) }

    /// Writes a number in the shortest text that reads back as the same one; `null` for NaN and infinities.
    public mutating func value(_ number: Double) {
        if let thousandths = number.thousandths {
            separate()
            bytes.appendDecimal(thousandths: thousandths)
            needsComma = true
            return
        }
        guard let number = JSONNumber(number) else { return null() }
        value(number)
    }

    /// Writes a number with its original text.
    public mutating func value(_ number: JSONNumber) {
        separate()
        bytes.append(contentsOf: number.text.utf8)
        needsComma = true
    }

    /// Writes `true` or `false`.
    public mutating func value(_ flag: Bool) {
        separate()
        bytes.append(contentsOf: (flag ? "true" : "false").utf8)
        needsComma = true
    }

    /// Writes `null`.
    public mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
        needsComma = true
    }

    /// Writes a value with its contents.
    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let flag): self.value(flag)
        case .number(let number): self.value(number)
        case .string(let text): self.value(text)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let object): self.value(object)
        }
    }

    /// Writes an object with its contents.
    public mutating func value(_ object: JSONObject) {
        beginObject()
        for member in object.members {
            name(member.name)
            value(member.value)
        }
        endObject()
    }

    /// Writes a value that is JSON already, unchecked.
    public mutating func raw(_ json: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
        needsComma = true
    }

    /// Writes an array that is JSON already, unchecked. Not generic: other modules run generic code unspecialised.
    public mutating func raw(_ json: [UInt8]) {
        separate()
        bytes.append(contentsOf: json)
        needsComma = true
    }

    /// Writes a string whose characters `append` appends. Precondition: none of them needs an escape.
    package mutating func plain(_ append: (inout [UInt8]) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        append(&bytes)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    @inline(__always)
    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }
}

extension JSONWriter {
    /// Writes a member with a string.
    public mutating func member(_ name: String, _ text: String) {
        self.name(name)
        value(text)
    }

    /// Writes a member with a string, or with `null` for nil.
    public mutating func member(_ name: String, _ text: String?) {
        self.name(name)
        if let text { value(text) } else { null() }
    }

    /// Writes a member with a whole number.
    public mutating func member(_ name: String, _ number: Int64) {
        self.name(name)
        value(number)
    }

    /// Writes a member with a whole number.
    public mutating func member(_ name: String, _ number: Int) { member(name, Int64(number)) }

    /// Writes a member with a number, or with `null` for NaN and infinities.
    public mutating func member(_ name: String, _ number: Double) {
        self.name(name)
        value(number)
    }

    /// Writes a member with a boolean.
    public mutating func member(_ name: String, _ flag: Bool) {
        self.name(name)
        value(flag)
    }

    /// Writes a member with any value.
    public mutating func member(_ name: String, _ value: JSONValue) {
        self.name(name)
        self.value(value)
    }

    /// Writes a member with an object.
    public mutating func member(_ name: String, _ object: JSONObject) {
        self.name(name)
        value(object)
    }

    /// Writes a member whose value is JSON already, unchecked.
    public mutating func member(_ name: String, raw json: some Sequence<UInt8>) {
        self.name(name)
        raw(json)
    }

    /// Writes a member whose value is an array that is JSON already, unchecked. Not generic, as `raw`.
    public mutating func member(_ name: String, raw json: [UInt8]) {
        self.name(name)
        raw(json)
    }
}
