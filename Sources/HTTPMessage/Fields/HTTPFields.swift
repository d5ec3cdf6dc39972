/// The fields of a message: ordered, with repeated and case-insensitive names (RFC 9110 §5).
///
/// All bytes live in one array, so a parsed head costs two allocations whatever the number of fields. Added fields are
/// checked: a name that is not a token, or a value with CR, LF, NUL or another control byte, is refused.
public struct HTTPFields: Sendable, RandomAccessCollection, ExpressibleByDictionaryLiteral {
    /// One field as text. Bytes that are not UTF-8 appear as U+FFFD.
    public typealias Element = (name: String, value: String)

    /// The position of one field in `bytes`.
    struct Entry: Sendable {
        var nameStart: UInt32
        var nameEnd: UInt32
        var valueStart: UInt32
        var valueEnd: UInt32
    }

    /// The bytes that the entries point into.
    private(set) var bytes: [UInt8]
    /// The fields in order.
    private(set) var entries: [Entry]
    /// Whether `bytes` is exactly the fields as `name: value` lines with CRLF, so that a writer can copy it whole.
    private(set) var isWireForm: Bool

    /// No fields.
    public init() {
        bytes = []
        entries = []
        isWireForm = true
    }

    /// The fields of a parsed head.
    init(bytes: [UInt8], entries: [Entry]) {
        self.bytes = bytes
        self.entries = entries
        isWireForm = false
    }

    /// Fields known to the program; an invalid name or value is a programmer error.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init()
        for (name, value) in elements {
            let added = add(name, value)
            precondition(added, "a literal field has a token as name and no control bytes in its value")
        }
    }

    /// Adds a field at the end; earlier ones of the same name stay.
    ///
    /// Blanks around `value` are not sent (RFC 9110 §5.5).
    /// - Returns: false, and nothing is added, when `name` is not a token or `value` holds a control byte.
    @discardableResult
    public mutating func add(_ name: String, _ value: String) -> Bool {
        let nameBytes = name.utf8.span
        let valueBytes = value.utf8.span
        guard !nameBytes.isEmpty else { return false }
        for index in 0..<nameBytes.count where !nameBytes[index].isTokenByte { return false }
        for index in 0..<valueBytes.count where !valueBytes[index].isFieldValueByte { return false }
        let (room, overflow) = bytes.count.addingReportingOverflow(nameBytes.count &+ valueBytes.count &+ 4)
        guard !overflow, room <= Int(UInt32.max) else { return false }
        append(name, value)
        return true
    }

    /// Replaces all fields of this name by one at the end. Returns false, and changes nothing, as `add` does.
    @discardableResult
    public mutating func set(_ name: String, _ value: String) -> Bool {
        var changed = self
        changed.remove(name)
        guard changed.add(name, value) else { return false }
        self = changed
        return true
    }

    /// Removes all fields of this name.
    public mutating func remove(_ name: String) {
        let kept = entries.filter { !isNamed(name, $0) }
        guard kept.count != entries.count else { return }
        entries = kept
        isWireForm = false
    }

    /// The value of the first field of this name, or nil.
    public subscript(name: String) -> String? {
        first(name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes of the first field of this name, without a copy, or nil.
    public func first(_ name: String) -> ArraySlice<UInt8>? {
        let wanted = name.utf8.span
        let all = bytes.span
        for entry in entries where all.spells(wanted, from: Int(entry.nameStart), to: Int(entry.nameEnd)) {
            return value(of: entry)
        }
        return nil
    }

    /// The values of all fields of this name, in order.
    public func all(_ name: String) -> [String] {
        entries.filter { isNamed(name, $0) }.map { String(decoding: value(of: $0), as: UTF8.self) }
    }

    /// All values of this name joined by `, ` as one list (RFC 9110 §5.2); nil when there is none.
    public func combined(_ name: String) -> String? {
        if count(of: name) <= 1 { return self[name] }
        return all(name).joined(separator: ", ")
    }

    /// The number of fields with this name.
    public func count(of name: String) -> Int {
        let wanted = name.utf8.span
        let all = bytes.span
        var count = 0
        for entry in entries where all.spells(wanted, from: Int(entry.nameStart), to: Int(entry.nameEnd)) {
            count += 1
        }
        return count
    }

    /// Calls `body` for each name, in lower case, in the order of their first fields. Several fields have one value, a
    /// list.
    package func forEachName(_ body: (_ name: String, _ value: String) -> Void) {
        let all = bytes.span
        for (place, entry) in entries.enumerated() {
            let (start, end) = (Int(entry.nameStart), Int(entry.nameEnd))
            let wanted = all.extracting(start..<end)
            var isFirst = true
            var isAlone = true
            for (other, field) in entries.enumerated() where other != place {
                guard all.spells(wanted, from: Int(field.nameStart), to: Int(field.nameEnd)) else { continue }
                isAlone = false
                if other < place { isFirst = false }
            }
            guard isFirst else { continue }
            var lower: [UInt8] = []
            lower.append(addingCapacity: wanted.count) { output in
                for index in wanted.indices { output.append(wanted[index].lowercasedByte) }
            }
            let name = String(decoding: lower, as: UTF8.self)
            body(name, isAlone ? String(decoding: value(of: entry), as: UTF8.self) : combined(name) ?? "")
        }
    }

    /// Whether there is a field of this name.
    public func contains(_ name: String) -> Bool {
        entries.contains { isNamed(name, $0) }
    }

    /// Whether there is a field whose name begins with this.
    package func contains(namesFrom prefix: String) -> Bool {
        let wanted = prefix.utf8.span
        let all = bytes.span
        for entry in entries {
            let start = Int(entry.nameStart)
            let end = Swift.min(start + wanted.count, Int(entry.nameEnd))
            if all.spells(wanted, from: start, to: end) { return true }
        }
        return false
    }

    /// 0.
    public var startIndex: Int { 0 }

    /// The number of fields.
    public var endIndex: Int { entries.count }

    /// The field at this position, 0 ..< count.
    public subscript(position: Int) -> Element {
        let entry = entries[position]
        return (
            String(decoding: bytes[Int(entry.nameStart)..<Int(entry.nameEnd)], as: UTF8.self),
            String(decoding: value(of: entry), as: UTF8.self)
        )
    }

    /// The bytes of the name of the field at this position, without a copy.
    public func nameBytes(at position: Int) -> ArraySlice<UInt8> {
        bytes[Int(entries[position].nameStart)..<Int(entries[position].nameEnd)]
    }

    /// The bytes of the value of the field at this position, without a copy.
    public func valueBytes(at position: Int) -> ArraySlice<UInt8> {
        value(of: entries[position])
    }

    func value(of entry: Entry) -> ArraySlice<UInt8> {
        bytes[Int(entry.valueStart)..<Int(entry.valueEnd)]
    }

    func isNamed(_ name: String, _ entry: Entry) -> Bool {
        bytes.span.spells(name, from: Int(entry.nameStart), to: Int(entry.nameEnd))
    }

    private mutating func append(_ name: String, _ value: String) {
        if entries.isEmpty {
            bytes.reserveCapacity(256)
            entries.reserveCapacity(8)
        }
        let (nameBytes, valueBytes) = (name.utf8.span, value.utf8.span)
        let nameStart = bytes.count
        let nameEnd = nameStart + nameBytes.count
        var valueStart = nameEnd + 2
        bytes.append(addingCapacity: nameBytes.count + valueBytes.count + 4) {
            (output: inout OutputSpan<UInt8>) in
            for index in nameBytes.indices { output.append(nameBytes[index]) }
            output.append(0x3A)
            output.append(0x20)
            for index in valueBytes.indices { output.append(valueBytes[index]) }
        }
        if let last = bytes.last,
            last.isBlankByte || (bytes.count > valueStart && bytes[valueStart].isBlankByte)
        {
            trimBlanks(from: &valueStart)
        }
        entries.append(
            Entry(
                nameStart: UInt32(nameStart), nameEnd: UInt32(nameEnd),
                valueStart: UInt32(valueStart), valueEnd: UInt32(bytes.count)))
        bytes.append(0x0D)
        bytes.append(0x0A)
    }

    /// Removes blanks from both ends of the value at the end of `bytes`.
    private mutating func trimBlanks(from valueStart: inout Int) {
        while bytes.count > valueStart, let last = bytes.last, last.isBlankByte { bytes.removeLast() }
        var firstKept = valueStart
        while firstKept < bytes.count, bytes[firstKept].isBlankByte { firstKept += 1 }
        bytes.removeSubrange(valueStart..<firstKept)
    }
}

extension HTTPFields: Equatable {
    /// Whether both have the same fields in the same order; names are case-insensitive, values are not.
    public static func == (left: HTTPFields, right: HTTPFields) -> Bool {
        left.entries.count == right.entries.count
            && zip(left.entries, right.entries).allSatisfy { one, other in
                let name = String(
                    decoding: right.bytes[Int(other.nameStart)..<Int(other.nameEnd)], as: UTF8.self)
                return left.isNamed(name, one) && left.value(of: one) == right.value(of: other)
            }
    }
}
